package costs

import (
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// secondsPerHash is what a password's hash takes of a function of 1,024 MB, which has 0.58 of a core: 15 to 30 ms of a
// whole one (go test -bench . ./shared/password).
const secondsPerHash = 0.050

// flood is the dearest that anybody can call each function without end, at its route's limit. Those of Enter and Claim
// are reckoned as if they succeeded: a transaction that is refused consumes its write units all the same.
var flood = []struct {
	function, operation string // as in Session
	hashes              float64
}{
	{"Register", "register", 1},
	{"Login", "login", 1},
	{"Refresh", "refresh", 0},
	{"Logout", "logout", 0},
	{"ListAnimals", "animals", 0},
	{"ListShows", "list (50 of all, all open)", 0},
	{"GetShow", "show (100 entries, claimed), 16 gates", 0},
	{"EnterShow", "enter (fee), 16 gates", 0},
	{"JudgeShow", "judge (100 entries), 16 gates", 0},
	{"ClaimReward", "claim (prize), 16 gates", 0},
	{"GetSeason", "season (20 shows of 100 entries)", 0},
}

// Flood renders what a day costs where every route is called as often as it lets anybody: a table in Markdown, with
// their sum.
func Flood(operations map[string]Operation, template *samtemplate.Template) (string, error) {
	functions := map[string]samtemplate.Function{}
	for _, f := range template.Functions {
		functions[f.LogicalID] = f
	}
	var b strings.Builder
	b.WriteString("| Route | A second | At once | Each is | $ a day |\n|---|---:|---:|---|---:|\n")
	sum := 0.0
	for _, call := range flood {
		f, known := functions[call.function]
		o, measured := operations[call.operation]
		limit := template.Throttle(f.Route())
		if !known || !measured || limit.Rate == 0 {
			return "", fmt.Errorf("the flood: %s, %q or its limit is not there", call.function, call.operation)
		}
		calls := limit.Rate * 24 * 60 * 60
		seconds := o.Seconds() + call.hashes*secondsPerHash
		dollars := calls/1e6*(o.PerMillion()+perMillionInvocations+perMillionGatewayCalls) + calls*seconds*float64(f.MemoryMB)/1024*perGigabyteSecond
		fmt.Fprintf(&b, "| `%s` | %.0f | %d | %s | %.2f |\n", f.Route(), limit.Rate, limit.Burst, call.operation, dollars)
		sum += dollars
	}
	fmt.Fprintf(&b, "| All of them | | | | %.2f |\n", sum)
	return b.String(), nil
}
