package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// Page is one page of a list. The methods that begin with Each read all pages.
type Page[T any] struct {
	Items []T
	Next  bool // there is a next page: set After to the id of the last item
	Prev  bool // there is a page before: set Before to the id of the first item. Always false on a page by After
}

// ShowFilter selects shows. The zero value selects the open shows of all tiers.
type ShowFilter struct {
	Tier   string // "rookie", "pro" or "elite"; "" for all
	Status string // "open", "completed" or "cancelled"; "" for open shows, AnyStatus for all
	After  string // the id of the last show of the page before; "" for the first page
}

// AnyStatus is the ShowFilter.Status that selects shows of every status.
const AnyStatus = "*"

// ShowsPage returns a page of at most 50 shows, in the order of their closing times. An open show accepts entries until
// its EntryClosesAt. It stays open until a player or the service judges it, or an operator cancels it.
func (c *Client) ShowsPage(ctx context.Context, f ShowFilter) (Page[ListedShow], error) {
	query := url.Values{}
	setUnlessEmpty(query, "tier", f.Tier)
	setUnlessEmpty(query, "after", f.After)
	if f.Status == AnyStatus {
		query.Set("status", "")
	} else {
		setUnlessEmpty(query, "status", f.Status)
	}
	return page[ListedShow](ctx, c, "", "/events/shows", query)
}

// Shows returns the first page of shows: 50 at most. EachShow returns all.
func (c *Client) Shows(ctx context.Context, f ShowFilter) ([]ListedShow, error) {
	first, err := c.ShowsPage(ctx, f)
	return first.Items, err
}

// EachShow yields all selected shows. It requests each page when the loop needs it. After an error it ends.
func (c *Client) EachShow(ctx context.Context, f ShowFilter) iter.Seq2[ListedShow, error] {
	return each(func() (Page[ListedShow], error) { return c.ShowsPage(ctx, f) }, func(last ListedShow) { f.After = last.ID })
}

// OwnFilter selects entries of the caller. The zero value selects the entries of the active season.
type OwnFilter struct {
	Season string // the season's id
	Show   string // the show's id, of any season
	After  string // the id of the last entry of the page before; "" for the first page
	Limit  int    // the most entries of a page, from 1 to 50; 0 means 20

	player string // the caller's id, if the session may have another player now; "" for the session's player
}

// OwnEntries returns a page of the caller's entries, newest first, with the status of their shows. If an entry has a
// GoldReward above 0 and is not RewardClaimed, the caller can claim the prize.
func (c *Client) OwnEntries(ctx context.Context, f OwnFilter) (Page[OwnEntry], error) {
	query := url.Values{}
	setUnlessEmpty(query, "season", f.Season)
	setUnlessEmpty(query, "show", f.Show)
	setUnlessEmpty(query, "after", f.After)
	setLimit(query, f.Limit)
	return page[OwnEntry](ctx, c, f.player, "/me/entries", query)
}

// EachOwnEntry yields all selected entries of the caller, newest first, as EachShow yields shows.
func (c *Client) EachOwnEntry(ctx context.Context, f OwnFilter) iter.Seq2[OwnEntry, error] {
	return each(func() (Page[OwnEntry], error) { return c.OwnEntries(ctx, f) }, func(last OwnEntry) { f.After = last.ID })
}

// EntriesAt selects a page of a show's entries. Set at most one of After, Before and Around. Without them, you get the
// first page.
type EntriesAt struct {
	After  string // the page after the entry with this id
	Before string // the page before the entry with this id
	Around bool   // the page with the caller's best entry in its middle; the first page if the caller has none
	Limit  int    // the most entries of a page, from 1 to 100; 0 means 50
}

// ShowEntries returns a page of a show's entries. The entries of a judged show are in the order of their ranks, and
// entries without a rank are last.
func (c *Client) ShowEntries(ctx context.Context, show string, at EntriesAt) (Page[Entry], error) {
	query := url.Values{}
	setUnlessEmpty(query, "after", at.After)
	setUnlessEmpty(query, "before", at.Before)
	if at.Around {
		query.Set("around", "me")
	}
	setLimit(query, at.Limit)
	return page[Entry](ctx, c, "", showPath(show)+"/entries", query)
}

// EachEntry yields a show's entries from the page at on. It requests each page when the loop needs it. After an error
// it ends. If the show is judged meanwhile, the order changes: begin again.
func (c *Client) EachEntry(ctx context.Context, show string, at EntriesAt) iter.Seq2[Entry, error] {
	return each(func() (Page[Entry], error) { return c.ShowEntries(ctx, show, at) }, func(last Entry) {
		at.After, at.Before, at.Around = last.ID, "", false
	})
}

func setUnlessEmpty(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func setLimit(query url.Values, limit int) {
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
}

// links matches the relations of a Link header (RFC 8288).
var links = regexp.MustCompile(`<[^>]*>; *rel="?(next|prev)"?`)

// page reads a page as the player with the id, or if it is "", as the session's player.
func page[T any](ctx context.Context, c *Client, player, path string, query url.Values) (Page[T], error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	o := c.protectedAs(ctx, player, Request{Method: http.MethodGet, Path: path}, c.timeout(defaultTimeout))
	var p Page[T]
	if err := o.read(http.StatusOK, &p.Items); err != nil {
		return Page[T]{}, err
	}
	for _, header := range o.answer.Header.Values("Link") {
		for _, link := range links.FindAllStringSubmatch(header, -1) {
			p.Next, p.Prev = p.Next || link[1] == "next", p.Prev || link[1] == "prev"
		}
	}
	return p, nil
}

// each yields the items of all pages. Before it reads the next page, it calls goOn with the last item.
func each[T any](page func() (Page[T], error), goOn func(last T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			p, err := page()
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range p.Items {
				if !yield(item, nil) {
					return
				}
			}
			if !p.Next || len(p.Items) == 0 {
				return
			}
			goOn(p.Items[len(p.Items)-1])
		}
	}
}
