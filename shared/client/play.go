package client

import (
	"context"
	"net/http"
	"net/url"
)

// Registration is the data of a new player.
type Registration struct {
	Email     string `json:"email"`
	Username  string `json:"username"`
	Password  string `json:"password"`
	RanchName string `json:"ranchName"`
}

// Account is the account of a player who has registered or logged in.
type Account struct {
	ID          string `json:"id"`
	GoldBalance int64  `json:"goldBalance"`
}

// Animal is one of the player's animals.
type Animal struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Show is a show. Only Show, and not Shows, returns its entries.
type Show struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	EntryFee int64  `json:"entryFee"` // in gold; 0 is free
	Entries  []struct {
		PlayerID string `json:"playerId"`
	} `json:"entries"`
}

// Claimed is the answer to a claim.
type Claimed struct {
	Rank       *int64 `json:"rank"` // the best rank of the player's entries; nil if none has a rank
	GoldReward int64  `json:"goldReward"`
}

// Season is the active season.
type Season struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	MySeasonScore int64  `json:"mySeasonScore"`
}

// Animals returns all animals of the player.
func (c *Client) Animals(ctx context.Context) (animals []Animal, err error) {
	err = c.get(ctx, "/animals", &animals)
	return animals, err
}

// Shows returns at most 50 open shows of a tier, in the order of their closing times.
func (c *Client) Shows(ctx context.Context, tier string) (shows []Show, err error) {
	err = c.get(ctx, "/events/shows?tier="+url.QueryEscape(tier), &shows)
	return shows, err
}

// Show returns a show with all its entries.
func (c *Client) Show(ctx context.Context, id string) (show Show, err error) {
	err = c.get(ctx, showPath(id), &show)
	return show, err
}

// Season returns the active season. If no season is active, it returns a Season without an ID.
func (c *Client) Season(ctx context.Context) (season Season, err error) {
	err = c.get(ctx, "/events/season", &season)
	return season, err
}

// Enter enters an animal in a show, and pays the show's fee.
func (c *Client) Enter(ctx context.Context, show, animal string) error {
	request := Request{Method: http.MethodPost, Path: showPath(show) + "/enter", Body: map[string]string{"animalId": animal}}
	return c.call(ctx, request, http.StatusCreated, nil)
}

// Judge judges a show, which ranks its entries. A large show takes up to 30 s.
func (c *Client) Judge(ctx context.Context, show string) error {
	return c.call(ctx, Request{Method: http.MethodPost, Path: showPath(show) + "/judge"}, http.StatusOK, nil)
}

// Claim claims the player's prize in a judged show. It succeeds once for each show.
func (c *Client) Claim(ctx context.Context, show string) (claimed Claimed, err error) {
	err = c.call(ctx, Request{Method: http.MethodPost, Path: showPath(show) + "/claim-reward"}, http.StatusOK, &claimed)
	return claimed, err
}

func (c *Client) get(ctx context.Context, path string, v any) error {
	return c.call(ctx, Request{Method: http.MethodGet, Path: path}, http.StatusOK, v)
}

func showPath(id string) string { return "/events/shows/" + url.PathEscape(id) }
