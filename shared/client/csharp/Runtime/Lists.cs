#nullable enable
using System;
using System.Collections.Generic;
using System.Text;
using System.Text.RegularExpressions;

namespace RanchGame
{
    /// <summary>A page of a list.</summary>
    public sealed class Page<T>
    {
        public IReadOnlyList<T> Items { get; }
        /// <summary>There is a next page: set After to the id of the last item. Page through unclaimed prizes with
        /// <see cref="RanchClient.EachOwnEntry"/>.</summary>
        public bool Next => NextPath != null;
        /// <summary>There is a page before: set Before to the id of the first item. False on a page by After.</summary>
        public bool Prev { get; }

        internal string? NextPath { get; }

        internal Page(IReadOnlyList<T> items, string link) =>
            (Items, NextPath, Prev) = (items, Link.To("next", link), Link.To("prev", link) != null);
    }

    /// <summary>A page of a season's standings.</summary>
    public sealed class Ranking
    {
        public StandingsPage Page { get; }
        /// <summary>There is a next page: set After to the PlayerId of the last player.</summary>
        public bool Next { get; }
        /// <summary>There is a page before: set Before to the PlayerId of the first player. False on a page by
        /// After.</summary>
        public bool Prev { get; }

        internal Ranking(StandingsPage page, string link) => (Page, Next, Prev) = (page, Link.To("next", link) != null, Link.To("prev", link) != null);
    }

    internal static class Link
    {
        // To returns the path and query of another page, or null.
        public static string? To(string relation, string link)
        {
            var found = Regex.Match(link, "<(/[^<>]*)>; *rel=\"?" + relation + "\"?");
            return found.Success ? found.Groups[1].Value : null;
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

        // In the API, an empty status selects shows of every status.
        internal string Path => new Query("/events/shows").Add("tier", Tier).Add("after", After)
            .Add("status", Status == AnyStatus ? "" : Status == "" ? null : Status).ToString();
    }

    /// <summary>Selects the caller's entries in a season, of all seasons ("all"), or in a show; else in the active season,
    /// and with Unclaimed of all seasons.</summary>
    public sealed class OwnFilter
    {
        public string? Season { get; set; }
        public string? Show { get; set; }
        /// <summary>Only entries with a prize to claim. Pages may be short or empty, and still have a next one.</summary>
        public bool Unclaimed { get; set; }
        /// <summary>The id of the last entry of the page before.</summary>
        public string? After { get; set; }
        /// <summary>The most entries of a page, 1 to 50; null: 20.</summary>
        public int? Limit { get; set; }

        internal string Path => new Query("/me/entries").Add("season", Season).Add("show", Show).Add("unclaimed", Unclaimed ? "true" : null)
            .Add("after", After).Add("limit", Limit?.ToString()).ToString();
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

    /// <summary>Selects a page of a season's standings. Set at most one of After, Before and AroundMe. Without them, it
    /// selects the first page.</summary>
    public sealed class StandingsAt
    {
        /// <summary>Null for the active season.</summary>
        public string? Season { get; set; }
        /// <summary>The PlayerId of the last player of the page before.</summary>
        public string? After { get; set; }
        /// <summary>The PlayerId of the first player of the next page.</summary>
        public string? Before { get; set; }
        /// <summary>The page with the caller in its middle.</summary>
        public bool AroundMe { get; set; }
        /// <summary>The most players of a page, 1 to 100; null: 50.</summary>
        public int? Limit { get; set; }

        internal string Path => new Query("/events/season/standings").Add("season", Season).Add("after", After).Add("before", Before)
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
}
