package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// Page is a page of a list.
type Page[T any] struct {
	Items []T
	Next  bool // there are items behind the last one: ask for those After it
	Prev  bool // there are items before the first one, as a page by Around or Before says: ask for those Before it
}

// ShowFilter says which shows are listed: of a tier, "" for all tiers; of a status, "" for open ones, AnyStatus for
// all; behind the show with an id, "" for the first page.
type ShowFilter struct{ Tier, Status, After string }

// AnyStatus lists shows whatever their status.
const AnyStatus = "*"

// ShowsPage returns 50 shows at most by closing time.
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

// Shows returns the shows of the first page, 50 at most.
func (c *Client) Shows(ctx context.Context, f ShowFilter) ([]ListedShow, error) {
	first, err := c.ShowsPage(ctx, f)
	return first.Items, err
}

// EachShow goes through all shows, page after page. An error is the last that it yields.
func (c *Client) EachShow(ctx context.Context, f ShowFilter) iter.Seq2[ListedShow, error] {
	return each(func() (Page[ListedShow], error) { return c.ShowsPage(ctx, f) }, func(last ListedShow) { f.After = last.ID })
}

// OwnFilter says which of the caller's entries are listed: of a season, or of a show; of the active season if both are
// "". A page has Limit entries at most, 1 to 50, 0 for 20, and begins behind the entry After, "" for the first page.
type OwnFilter struct {
	Season, Show, After string
	Limit               int
}

// OwnEntries returns a page of the caller's entries, newest first.
func (c *Client) OwnEntries(ctx context.Context, f OwnFilter) (Page[OwnEntry], error) {
	return c.ownEntries(ctx, "", f)
}

func (c *Client) ownEntries(ctx context.Context, player string, f OwnFilter) (Page[OwnEntry], error) {
	query := url.Values{}
	setUnlessEmpty(query, "season", f.Season)
	setUnlessEmpty(query, "show", f.Show)
	setUnlessEmpty(query, "after", f.After)
	setLimit(query, f.Limit)
	return page[OwnEntry](ctx, c, player, "/me/entries", query)
}

// EachOwnEntry goes through all of the caller's entries, page after page. An error is the last that it yields.
func (c *Client) EachOwnEntry(ctx context.Context, f OwnFilter) iter.Seq2[OwnEntry, error] {
	return c.eachOwnEntry(ctx, "", f)
}

func (c *Client) eachOwnEntry(ctx context.Context, player string, f OwnFilter) iter.Seq2[OwnEntry, error] {
	return each(func() (Page[OwnEntry], error) { return c.ownEntries(ctx, player, f) }, func(last OwnEntry) { f.After = last.ID })
}

// EntriesAt says which page of a show's entries is asked for: behind an entry, before one, or with the caller's best
// entry in the middle; at most one of these, and the first page without. A page has Limit entries at most, 1 to 100,
// 0 for 50.
type EntriesAt struct {
	After, Before string
	Around        bool
	Limit         int
}

// ShowEntries returns a page of a show's entries: by rank once the show is completed.
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

// EachEntry goes through a show's entries, from a page on, page after page. An error is the last that it yields. If the
// show is judged meanwhile, the order changes: begin again.
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

// links finds the relations of a Link header.
var links = regexp.MustCompile(`<[^>]*>; *rel="?(next|prev)"?`)

// page reads a page as the player, "" for whoever has the session.
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

// each yields the items of page after page; goOn makes the next page the one behind the last item.
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
