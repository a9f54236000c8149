#nullable enable
using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;

namespace RanchGame
{
    /// <summary>A trait that counts in shows.</summary>
    public sealed class Trait
    {
        private readonly Func<Phenotype, double> value;

        /// <summary>The name in a phenotype, such as growthRateScore.</summary>
        public string Name { get; }

        private Trait(string name, Func<Phenotype, double> value) => (Name, this.value) = (name, value);

        /// <summary>Returns the trait's value in a phenotype, 0 to 100.</summary>
        public double Of(Phenotype phenotype) => value(phenotype);

        public override string ToString() => Name;

        /// <summary>All eight traits, in the order of docs/rules.md, S2.3.1.</summary>
        public static IReadOnlyList<Trait> All { get; } = new[]
        {
            new Trait("weightScore", p => p.WeightScore),
            new Trait("milkYieldScore", p => p.MilkYieldScore),
            new Trait("growthRateScore", p => p.GrowthRateScore),
            new Trait("temperamentScore", p => p.TemperamentScore),
            new Trait("coatQualityScore", p => p.CoatQualityScore),
            new Trait("fertilityScore", p => p.FertilityScore),
            new Trait("hardinessScore", p => p.HardinessScore),
            new Trait("showPotentialScore", p => p.ShowPotentialScore),
        };

        /// <summary>Returns the two traits whose weights a show multiplies by four. It sends nothing, because the
        /// formula is public (docs/scoring.md).</summary>
        public static IReadOnlyList<Trait> Favourites(string showId)
        {
            using (var sha = SHA256.Create())
            {
                var hash = sha.ComputeHash(Encoding.UTF8.GetBytes("ranch/score/1/weights/" + showId.ToLowerInvariant()));
                var first = hash[8] % 8;
                return new[] { All[first], All[(first + 1 + hash[9] % 7) % 8] };
            }
        }
    }
}
