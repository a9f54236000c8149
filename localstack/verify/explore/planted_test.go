package explore

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// statusAlone lets changes of a status be looked at no more, but the status itself, which may have come back: the
// number is of the attribute. The status that does not do is that of what is named.
func statusAlone(number, bad string) func(pk, sk, condition string, values map[string]any) string {
	return func(_, _, condition string, values map[string]any) string {
		as := "attribute_not_exists(" + number + ")"
		if strings.Contains(condition, as) {
			values[":planted"] = map[string]any{"S": bad}
		}
		return strings.ReplaceAll(condition, as, "("+as+" OR NOT st = :planted)")
	}
}

// Each guard that is taken away is found out.
func TestFindsWhatIsPlanted(t *testing.T) {
	for name, c := range map[string]struct {
		history string
		item    func(pk, sk string) bool
	}{
		"an entry does not look at its gate":          {"fair/enter+judge", func(pk, _ string) bool { return strings.HasPrefix(pk, "G#") }},
		"a judging does not look at the show":         {"fair/judge+set", func(_, sk string) bool { return sk == "SHOW" }},
		"a claim does not look for a receipt":         {"fair/claim.bob+claim.bob", func(_, sk string) bool { return strings.HasPrefix(sk, "CLAIM#") }},
		"a balance goes without the ledger's number":  {"fair/enter+claim", func(_, sk string) bool { return sk == "PROFILE" }},
		"a registration does not look at the address": {"fair/register+register.email", func(pk, _ string) bool { return strings.HasPrefix(pk, "EMAIL#") }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, parseCase(c.history).Fixture, func(next http.RoundTripper) http.RoundTripper {
				return storetest.Weakened{RoundTripper: next, Weaker: storetest.Always(c.item)}
			})
			found := p.explore(t.Context(), parseCase(c.history), 500, true)
			if found.Violations == 0 {
				t.Errorf("not found in %d histories", found.Histories)
			}
		})
	}
}

// What stood in the way of an attempt is taken back before it arrives, late. Its call was refused, and so the attempt
// must do nothing: neither status decides, but the number of its changes. Without that number these histories are
// wrong.
func TestLateAttempts(t *testing.T) {
	for history, weaker := range map[string]func(pk, sk, condition string, values map[string]any) string{
		"fair/enter+animal+animal.back/late@0.1/0111001000100000": statusAlone("ch", game.StatusPregnant),
		"fair/claim+ban+unban/late@0.2/002211121000000000":        statusAlone("sn", string(game.UserBanned)),
		"fair/enter+ban+unban/late@0.1/0111001000100000":          statusAlone("sn", string(game.UserBanned)),
	} {
		replay(t, history)
		c, choices, err := ParseHistory(history)
		if err != nil {
			t.Fatal(err)
		}
		p := newPlace(t, c.Fixture, func(next http.RoundTripper) http.RoundTripper {
			return storetest.Weakened{RoundTripper: next, Weaker: weaker}
		})
		if out, problems := p.play(c, NewReplay(choices)); len(problems) == 0 {
			t.Errorf("%s: nothing is found to be wrong with\n%s", history, out.Story())
		} else {
			t.Log(out.Story(), problems)
		}
	}
}
