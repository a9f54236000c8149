package blackbox

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
)

func newID() string { return uuid.NewString() }

// unique returns a name that nobody else has, of 16 letters and digits.
func unique() string { return "bb" + strings.ReplaceAll(newID(), "-", "")[:14] }

// scene says what show to make; what is left out is a free show for one gate that closes in two hours, in the suite's
// season and in a tier of its own.
type scene struct {
	name, tier, closesIn, closesAt, season string
	fee, gates                             int
}

// exhibit is a show that was made.
type exhibit struct {
	id, name, tier, closesAt, season string
	fee                              int
}

func newShow(t testing.TB, s scene) exhibit {
	t.Helper()
	made, err := createShow(s)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func createShow(s scene) (exhibit, error) {
	if s.name == "" {
		s.name = "Show " + unique()
	}
	if s.tier == "" {
		s.tier = unique()
	}
	if s.season == "" {
		s.season = suite.season["id"].(string)
	}
	args := []string{"show", "create", "--name", s.name, "--tier", s.tier, "--season", s.season, "--fee", strconv.Itoa(s.fee),
		"--gates", strconv.Itoa(max(s.gates, 1)), "--force"}
	switch {
	case s.closesAt != "":
		args = append(args, "--closes-at", s.closesAt)
	case s.closesIn != "":
		args = append(args, "--closes-in", s.closesIn)
	default:
		args = append(args, "--closes-in", "2h")
	}
	var o object
	if err := ranchctl(&o, args...); err != nil {
		return exhibit{}, err
	}
	return exhibit{o["id"].(string), s.name, s.tier, o["entryClosesAt"].(string), s.season, s.fee}, nil
}

// detail returns a show as the API shows it.
func detail(t testing.TB, show string) object {
	t.Helper()
	return get(t, reader(t).token, "/events/shows/"+show).object(t, 200)
}

// entries returns the entries of a show as the API shows them.
func entries(t testing.TB, show string) []object {
	t.Helper()
	all := []object{}
	for _, entry := range detail(t, show)["entries"].(list) {
		all = append(all, entry.(object))
	}
	return all
}

// activeSeasons returns them in the order in which they count.
func activeSeasons() ([]object, error) {
	var seasons []object
	if err := ranchctl(&seasons, "season", "list"); err != nil {
		return nil, err
	}
	seasons = slices.DeleteFunc(seasons, func(s object) bool { return s["isActive"] != true })
	slices.SortFunc(seasons, func(a, b object) int {
		return cmp.Or(cmp.Compare(a["startDate"].(string), b["startDate"].(string)), cmp.Compare(a["id"].(string), b["id"].(string)))
	})
	return seasons, nil
}
