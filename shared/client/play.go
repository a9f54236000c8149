package client

import (
	"context"
	"net/http"
	"net/url"
)

// ShowFilter selects shows. The zero value selects the open shows of all tiers.
type ShowFilter struct {
	Tier   string // "rookie", "pro" or "elite"; "" for all
	Status string // "open", "completed" or "cancelled"; "" for open shows
}

// Shows returns the first page of shows, at most 50, in the order of their closing times. An open show accepts entries
// until its EntryClosesAt. It stays open until a player or the service judges it, or an operator cancels it.
func (c *Client) Shows(ctx context.Context, f ShowFilter) ([]ListedShow, error) {
	query := url.Values{}
	for name, value := range map[string]string{"tier": f.Tier, "status": f.Status} {
		if value != "" {
			query.Set(name, value)
		}
	}
	path := "/events/shows"
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return get[[]ListedShow](ctx, c, path)
}

// Show returns a show with all its entries. If the show does not exist, the error is an *Error with the code NotFound.
func (c *Client) Show(ctx context.Context, id string) (ShowDetail, error) {
	return get[ShowDetail](ctx, c, showPath(id))
}

// Season returns the active season with the caller's score, or nil if no season is active.
func (c *Client) Season(ctx context.Context) (*Season, error) {
	answer, err := get[seasonAnswer](ctx, c, "/events/season")
	if err != nil || answer.none() {
		return nil, err
	}
	return &answer.Season, nil
}

// Enter enters an animal in a show and pays the show's fee. It is safe to call again: the fee is paid once. A refusal
// is an *Error with the code NotFound, Invalid, InsufficientGold or Duplicate.
func (c *Client) Enter(ctx context.Context, show, animal string) (Entered, error) {
	var answer enteredAnswer
	request := Request{Method: http.MethodPost, Path: showPath(show) + "/enter", Body: map[string]string{"animalId": animal}}
	err := c.protected(ctx, request, defaultTimeout, once).readChange(http.StatusCreated, &answer)
	if err != nil {
		return Entered{}, err
	}
	return answer.Entered, nil
}

// Judge judges a show, which ranks its entries. A large show takes up to 30 s. Any player may judge an open show. If
// the show has already been judged or cancelled, the error is an *Error with the code NotFound: read the show.
func (c *Client) Judge(ctx context.Context, show string) (Judged, error) {
	var judged Judged
	request := Request{Method: http.MethodPost, Path: showPath(show) + "/judge"}
	err := c.protected(ctx, request, judgingTimeout, once).readChange(http.StatusOK, &judged)
	if err != nil {
		return Judged{}, err
	}
	return judged, nil
}

// Claim claims the caller's prize in a judged show. It succeeds once for each show, with 0 gold if there is no prize,
// and is safe to call again: the prize is paid once. A refusal is an *Error with the code NotFound or AlreadyClaimed.
func (c *Client) Claim(ctx context.Context, show string) (Claimed, error) {
	var answer claimedAnswer
	request := Request{Method: http.MethodPost, Path: showPath(show) + "/claim-reward"}
	err := c.protected(ctx, request, defaultTimeout, once).readChange(http.StatusOK, &answer)
	if err != nil {
		return Claimed{}, err
	}
	return answer.Claimed, nil
}

func showPath(id string) string { return "/events/shows/" + url.PathEscape(id) }

func get[T any](ctx context.Context, c *Client, path string) (value T, err error) {
	var answer T
	request := Request{Method: http.MethodGet, Path: path}
	if err := c.protected(ctx, request, defaultTimeout, repeatedly).read(http.StatusOK, &answer); err != nil {
		return value, err
	}
	return answer, nil
}
