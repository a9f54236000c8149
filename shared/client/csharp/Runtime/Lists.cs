#nullable enable
using System;
using System.Collections.Generic;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace RanchGame
{
    /// <summary>A page of a list.</summary>
    public sealed class Page<T>
    {
        public IReadOnlyList<T> Items { get; }
        /// <summary>There are items behind the last one: ask for those after it.</summary>
        public bool Next { get; }
        /// <summary>There are items before the first one, as a page around or before something says: ask for those before it.</summary>
        public bool Prev { get; }

        internal Page(IReadOnlyList<T> items, string link)
        {
            bool Has(string relation) => Regex.IsMatch(link, ">; *rel=\"?" + relation + "\"?");
            (Items, Next, Prev) = (items, Has("next"), Has("prev"));
        }
    }

    /// <summary>Which shows are listed.</summary>
    public sealed class ShowFilter
    {
        /// <summary>Lists shows whatever their status.</summary>
        public const string AnyStatus = "*";

        /// <summary>Null for all tiers.</summary>
        public string? Tier { get; set; }
        /// <summary>Null for open shows, <see cref="AnyStatus"/> for all.</summary>
        public string? Status { get; set; }
        /// <summary>The id of the last show of the page before.</summary>
        public string? After { get; set; }

        internal ShowFilter From(string? after) => new ShowFilter { Tier = Tier, Status = Status, After = after };

        // An empty status is a filter of its own: it lists all.
        internal string Path => new Query("/events/shows").Add("tier", Tier).Add("after", After)
            .Add("status", Status == AnyStatus ? "" : Status == "" ? null : Status).ToString();
    }

    /// <summary>Which of the caller's entries are listed: of a season, or of a show; without both, of the active season.</summary>
    public sealed class OwnFilter
    {
        public string? Season { get; set; }
        public string? Show { get; set; }
        /// <summary>The id of the last entry of the page before.</summary>
        public string? After { get; set; }
        /// <summary>Of a page: 1 to 50; null is 20.</summary>
        public int? Limit { get; set; }

        internal OwnFilter From(string? after) => new OwnFilter { Season = Season, Show = Show, After = after, Limit = Limit };

        internal string Path => new Query("/me/entries").Add("season", Season).Add("show", Show).Add("after", After).Add("limit", Limit?.ToString()).ToString();
    }

    /// <summary>Which page of a show's entries is asked for: set at most one of After, Before and AroundMe; the first page
    /// without.</summary>
    public sealed class EntriesAt
    {
        public string? After { get; set; }
        public string? Before { get; set; }
        /// <summary>The page with the caller's best entry in the middle.</summary>
        public bool AroundMe { get; set; }
        /// <summary>Of a page: 1 to 100; null is 50.</summary>
        public int? Limit { get; set; }

        internal string Path(string show) => new Query(show + "/entries").Add("after", After).Add("before", Before)
            .Add("around", AroundMe ? "me" : null).Add("limit", Limit?.ToString()).ToString();
    }

    // Query is a path with its query; what is null is left out.
    internal sealed class Query
    {
        private readonly StringBuilder text;
        private char before = '?';

        public Query(string path) => text = new StringBuilder(path);

        public Query Add(string name, string? value)
        {
            if (value == null) return this;
            text.Append(before).Append(name).Append('=').Append(Uri.EscapeDataString(value));
            before = '&';
            return this;
        }

        public override string ToString() => text.ToString();
    }

    internal static class Pages
    {
        // EachAsync goes through page after page: each one behind the last item of the one before.
        public static async IAsyncEnumerable<T> EachAsync<T>(
            Func<string?, CancellationToken, Task<Page<T>>> page, Func<T, string> id,
            [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancel = default)
        {
            for (string? after = null; ;)
            {
                var got = await page(after, cancel);
                foreach (var item in got.Items) yield return item;
                if (!got.Next || got.Items.Count == 0) yield break;
                after = id(got.Items[got.Items.Count - 1]);
            }
        }
    }
}
