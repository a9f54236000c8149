#nullable enable
using System;
using System.Collections.Generic;

namespace RanchGame
{
    // If the answer to a change got lost, Lookup makes the answer from the show or the caller's entries. Its methods
    // return null if the change is not there.
    internal static class Lookup
    {
        // EnteredBy reads the caller's entries in the show.
        public static Entered? EnteredBy(string animal, IReadOnlyList<OwnEntry> own)
        {
            foreach (var entry in own)
            {
                if (!string.Equals(entry.AnimalId, animal, StringComparison.OrdinalIgnoreCase)) continue; // the service accepts ids in any case
                if (entry.ShowStatus == "cancelled") return null; // a cancelled show returns the fee
                return new Entered(Answer("message", $"{entry.AnimalName} entered in {entry.ShowName}!", "entryFee", entry.EntryFee), true);
            }
            return null;
        }

        public static Judged? JudgedAs(ShowDetail show)
        {
            if (show.Status != "completed") return null;
            var winners = new List<object?>();
            var ranked = 0;
            foreach (var entry in show.Entries)
            {
                if (entry.Rank == null) continue;
                ranked++;
                if (ranked <= 3)
                    winners.Add(Json.Object("rank", (long)entry.Rank, "playerId", entry.PlayerId, "animalId", entry.AnimalId, "score", entry.Score ?? 0.0));
            }
            return new Judged(Answer("message", $"Show judged. {ranked} entries.", "topThree", winners), true);
        }

        // ClaimedBy reads the caller's entries in the show.
        public static Claimed? ClaimedBy(IReadOnlyList<OwnEntry> own)
        {
            var claimed = false;
            long? rank = null;
            long gold = 0;
            foreach (var entry in own)
            {
                claimed |= entry.RewardClaimed;
                if (rank == null || entry.Rank < rank) rank = entry.Rank ?? rank;
                gold = Math.Max(gold, entry.GoldReward ?? 0);
            }
            if (!claimed) return null;
            var message = gold > 0 ? $"You received {gold} gold for rank {rank}!" : "No reward for this placement.";
            return new Claimed(Answer("rank", rank, "goldReward", gold, "message", message), true);
        }

        private static JsonObject Answer(params object?[] namesAndValues)
        {
            var fields = Json.Object(namesAndValues);
            fields["success"] = true;
            return JsonObject.Of(fields);
        }
    }
}
