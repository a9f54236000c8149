package httpapi

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/game"
)

const anID = "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f"

func TestParameters(t *testing.T) {
	type read struct {
		Number  int
		ID      game.ID
		Bool    bool
		Refused map[string][]string
	}
	number, uuid := map[string][]string{"limit": {"Must be a whole number from 2 to 5."}}, map[string][]string{"after": {"Must be a UUID."}}
	truth := map[string][]string{"due": {`Must be "true" or "false".`}}
	for query, want := range map[Query]read{
		"": {3, "", false, nil}, "limit=2": {2, "", false, nil}, "limit=5": {5, "", false, nil}, "limit=4&limit=9": {4, "", false, nil},
		"limit=1": {1, "", false, number}, "limit=6": {6, "", false, number}, "limit=": {0, "", false, number}, "limit=x": {0, "", false, number}, "limit=99999999999999999999": {1<<63 - 1, "", false, number},
		"after=" + anID: {3, anID, false, nil}, "after=6F9D1C2E-8A4B-4C3D-9E5F-0A1B2C3D4E5F": {3, anID, false, nil}, "after": {3, "", false, uuid}, "after=x": {3, "", false, uuid},
		"due=true": {3, "", true, nil}, "due=false": {3, "", false, nil}, "due=True": {3, "", false, truth}, "due": {3, "", false, truth}, "due=1": {3, "", false, truth},
		"limit=6&after=x": {6, "", false, map[string][]string{"limit": number["limit"], "after": uuid["after"]}},
	} {
		p := (&Request{Query: query}).Parameters()
		got := read{p.Number("limit", 3, 2, 5), p.ID("after"), p.Bool("due"), nil}
		if refusal, refused := errors.AsType[*game.Refusal](p.Refusal()); refused {
			got.Refused = refusal.Details
			assert.ErrorIs(t, refusal, game.ErrInvalidInput, "?%s: %v", query, refusal)
		}
		assert.Empty(t, cmp.Diff(want, got), "?%s", query)
	}
}

// TestPlace has queries with one place, and with what is none or more than one.
func TestPlace(t *testing.T) {
	type place struct {
		After, Before game.ID
		Around        bool
		Refused       []string
	}
	for query, want := range map[Query]place{
		"": {}, "after=" + anID: {After: anID}, "before=" + anID: {Before: anID}, "around=me": {Around: true},
		"around=": {Refused: []string{"around"}}, "around=you": {Refused: []string{"around"}}, "before=x": {Refused: []string{"before"}},
		"after=" + anID + "&before=" + anID:     {After: anID, Before: anID, Refused: []string{"after"}},
		"after=" + anID + "&around=me":          {After: anID, Around: true, Refused: []string{"after"}},
		"before=" + anID + "&around=them":       {Before: anID, Refused: []string{"after", "around"}},
		"after=x&before=" + anID + "&around=me": {Before: anID, Around: true, Refused: []string{"after"}},
	} {
		p := (&Request{Query: query}).Parameters()
		var got place
		got.After, got.Before, got.Around = p.Place()
		got.Refused = slices.Sorted(maps.Keys(p.problems))
		assert.Empty(t, cmp.Diff(want, got), "?%s", query)
	}
}

// A link has the request's path, the kept parameters, encoded, and the id from which the other page is counted.
func TestLinked(t *testing.T) {
	r := &Request{Path: "/v1/events/shows", Query: "tier=a%26b+%3E&status=&limit=7&other=1"}
	response := OK(nil).Linked(r, "next", url.Values{"after": {anID}}, "tier", "status", "absent")
	next := "</v1/events/shows?after=" + anID + "&status=&tier=a%26b+%3E>; rel=\"next\""
	assert.Equal(t, next, response.Header["Link"])
	both := response.Linked(r, "prev", url.Values{"before": {anID}}).Header["Link"]
	want := "</v1/events/shows?before=" + anID + ">; rel=\"prev\", " + next
	assert.Equal(t, want, both)
}
