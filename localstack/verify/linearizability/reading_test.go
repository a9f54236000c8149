package linearizability_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
)

// Each way in which the table's records may contradict each other is noticed: one row of a sound table is deleted, or
// changed.
func TestContradictionsAreNoticed(t *testing.T) {
	t.Parallel()
	s := storetest.NewFixedScene(t, now)
	season := s.AddSeason(t)
	ann, judged, open := s.AddPlayer(t, storetest.Ann), s.AddShow(t), s.AddShow(t)
	for _, show := range []game.Show{judged, open} {
		if _, _, err := s.Store.Enter(t.Context(), ann.ID, show.ID, ann.Animals[0].ID, s.Now); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Store.Judge(t.Context(), ann.ID, judged.ID, s.Now); err != nil {
		t.Fatal(err)
	}
	of := linearizability.Extent{Users: []game.ID{ann.ID}, Shows: []game.ID{judged.ID, open.ID}, Seasons: []game.ID{season.ID}}
	contradictions := func(t *testing.T) []string {
		t.Helper()
		w, err := linearizability.Read(t.Context(), s.Rival, of)
		if err != nil {
			t.Fatal(err)
		}
		return w.Contradictions
	}
	storetest.Equal(t, "contradictions of a sound table", contradictions(t), nil)
	for name, test := range map[string]struct {
		pk, sk    string // what the row's key begins with
		attribute string // "" deletes the row
		value     any
		want      string
	}{
		"a balance":           {"USER#" + string(ann.ID), "PROFILE", "g", 77, "user " + string(ann.ID) + ": "},
		"an entry's player":   {"SHOW#" + string(open.ID) + "#", "ENTRY#", "u", "nobody", "which has no such entry"},
		"a gate":              {"G#", "", "n", 77, "counts 77 entries"},
		"a participation":     {"USER#" + string(ann.ID), "SEASON#" + string(season.ID) + "#SHOW#" + string(open.ID), "", nil, "who has entered it with 0"},
		"a score":             {"USER#" + string(ann.ID), "SEASON#" + string(season.ID) + "#SHOW#" + string(judged.ID), "", nil, "and results of 100"},
		"a row of a board":    {"BOARD#completed", "", "", nil, `the list of status "completed" and tier "" does not have show`},
		"a row's name":        {"BOARD#open#rookie", "", "na", "Another", `the list of status "open" and tier "rookie" has show`},
		"a show's own status": {"SHOW#" + string(judged.ID), "SHOW", "st", "cancelled", `the list of status "completed" and tier "" has show`},
	} {
		t.Run(name, func(t *testing.T) {
			row := rowOf(t, s, test.pk, test.sk)
			before := row.Read(t)
			defer row.Restore(t, before)
			if test.attribute == "" {
				row.Delete(t)
			} else {
				row.Edit(t, "SET "+test.attribute+" = :value", map[string]any{":value": test.value})
			}
			if got := contradictions(t); !slices.ContainsFunc(got, func(c string) bool { return strings.Contains(c, test.want) }) {
				t.Errorf("%q, want one with %q", got, test.want)
			}
		})
	}
}

// rowOf returns the first row whose key begins so.
func rowOf(t *testing.T, s *storetest.Scene, pk, sk string) storetest.Row {
	t.Helper()
	text := func(av types.AttributeValue) string { return av.(*types.AttributeValueMemberS).Value }
	for _, row := range s.Scan(t) {
		if strings.HasPrefix(text(row["PK"]), pk) && strings.HasPrefix(text(row["SK"]), sk) {
			return s.At(text(row["PK"]), text(row["SK"]))
		}
	}
	t.Fatalf("there is no row %s… %s…", pk, sk)
	return storetest.Row{}
}
