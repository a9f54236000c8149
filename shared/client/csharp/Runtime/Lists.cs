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
        /// <summary>There is a next page: set After to the id of the last item.</summary>
        public bool Next { get; }
        /// <summary>There is a page before: set Before to the id of the first item. False on a page by After.</summary>
        public bool Prev { get; }

        internal Page(IReadOnlyList<T> items, string link)
        {
            bool Has(string relation) => Regex.IsMatch(link, ">; *rel=\"?" + relation + "\"?");
            (Items, Next, Prev) = (items, Has("next"), Has("prev"));
        }
    }

    /// <summary>Selects shows.</summary>
    public sealed class ShowFilter
    {
        /// <summary>Selects shows of every status.</summary>
        public const string AnyStatus = "*";

        /// <summary>Null for all tiers.</summary>
        public string? Tier { get; set; }
        /// <summary>Null for open shows, <see cref="AnyStatus"/> for all.</summary>
        public string? Status { get; set; }
        /// <summary>The id of the last show of the page before.</summary>
        public string? After { get; set; }

        internal ShowFilter From(string? after) => new ShowFilter { Tier = Tier, Status = Status, After = after };

        // In the API, an empty status selects shows of every status.
        internal string Path => new Query("/events/shows").Add("tier", Tier).Add("after", After)
            .Add("status", Status == AnyStatus ? "" : Status == "" ? null : Status).ToString();
    }

    /// <summary>Selects the caller's entries in a season or in a show; else in the active season.</summary>
    public sealed class OwnFilter
    {
        public string? Season { get; set; }
        public string? Show { get; set; }
        /// <summary>The id of the last entry of the page before.</summary>
        public string? After { get; set; }
        /// <summary>The most entries of a page, 1 to 50; null: 20.</summary>
        public int? Limit { get; set; }

        internal OwnFilter From(string? after) => new OwnFilter { Season = Season, Show = Show, After = after, Limit = Limit };

        internal string Path => new Query("/me/entries").Add("season", Season).Add("show", Show).Add("after", After).Add("limit", Limit?.ToString()).ToString();
    }

    /// <summary>Selects a page of a show's entries. Set at most one of After, Before and AroundMe. Without them, it
    /// selects the first page.</summary>
    public sealed class EntriesAt
    {
        public string? After { get; set; }
        public string? Before { get; set; }
        /// <summary>The page with the caller's best entry in its middle.</summary>
        public bool AroundMe { get; set; }
        /// <summary>The most entries of a page, 1 to 100; null: 50.</summary>
        public int? Limit { get; set; }

        internal string Path(string show) => new Query(show + "/entries").Add("after", After).Add("before", Before)
            .Add("around", AroundMe ? "me" : null).Add("limit", Limit?.ToString()).ToString();
    }

    // Query is a path with its query. It leaves out parameters that are null.
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
        // EachAsync yields the items of all pages. Each page begins after the last item of the page before.
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
