package explore

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/verify/linearizability"
	"github.com/ranch-game/ranch/shared/game"
)

// Story tells who did what, a line each.
func (o Outcome) Story() string {
	var story strings.Builder
	for _, step := range o.Steps {
		fmt.Fprintln(&story, step.Text)
	}
	for i, c := range o.Calls {
		switch {
		case c.Unknown():
			fmt.Fprintf(&story, "%s: unknown (%v)\n", o.Names[i], c.Err)
		case c.Err != nil:
			fmt.Fprintf(&story, "%s: refused, %v\n", o.Names[i], c.Err)
		default:
			fmt.Fprintf(&story, "%s: done%s\n", o.Names[i], brief(c.Answer))
		}
	}
	return story.String()
}

// brief is what an answer says, as far as a story goes.
func brief(answer any) string {
	switch a := answer.(type) {
	case int64:
		return fmt.Sprintf(", %d", a)
	case linearizability.Prize:
		return fmt.Sprintf(", rank %d and %d gold", a.Rank, a.Prize)
	case linearizability.Details:
		return fmt.Sprintf(", %s with %d entries", a.Show.Status, len(a.Entries))
	case []game.ListedShow:
		text := ""
		for _, s := range a {
			text += fmt.Sprintf(", %s with %d entries", s.Status, s.EntryCount)
		}
		return text
	case []game.Contestant:
		return fmt.Sprintf(", %d ranked", len(a))
	case game.Account:
		return fmt.Sprintf(", %s with %d gold", a.Status, a.GoldBalance)
	}
	return ""
}

// words are what the items are called whose keys begin so: the partition key, and the sort key where that tells more.
var words = []struct{ pk, sk, word string }{
	{"USER#", "PROFILE", "user"}, {"USER#", "ANIMAL#", "animal"}, {"USER#", "LEDGER#", "ledger row"}, {"USER#", "SEASON#", "participation"},
	{"EMAIL#", "", "address"}, {"USERNAME#", "", "username"}, {"TOKEN#", "", "refresh record"}, {"SHOW#", "SHOW", "show"}, {"SHOW#", "ENTRY#", "entry"},
	{"SHOW#", "CLAIM#", "receipt"}, {"SHOW#", "RESULT", "results"}, {"SHOW#", "", "entries"}, {"G#", "", "gate"}, {"BOARD#", "", "board"},
	{"SEASON", "", "season"}, {"AUDIT#", "", "record of the change"},
}

func word(k protocol.Key) string {
	for _, w := range words {
		if strings.HasPrefix(k.PK, w.pk) && strings.HasPrefix(k.SK, w.sk) {
			return w.word
		}
	}
	return k.PK + " " + k.SK
}

// list says which items they are, each kind once.
func list(keys []protocol.Key) string {
	var all []string
	for _, k := range keys {
		if w := word(k); !slices.Contains(all, w) {
			all = append(all, w)
		}
	}
	return strings.Join(all, ", ")
}

// about is what the request is about.
func about(q *protocol.Request) string {
	if q.Changes() {
		return list(slices.Concat(q.Writes, q.Checks))
	}
	var keys []protocol.Key
	for _, r := range q.Reads {
		keys = append(keys, protocol.Key{PK: r.PK, SK: r.From})
	}
	return list(keys)
}

// verdict is what the table says to a write that it does not apply.
func verdict(a answer) string {
	var answer struct {
		Type                string `json:"__type"`
		CancellationReasons []struct{ Code string }
	}
	if a.err != nil {
		return a.err.Error()
	}
	if json.Unmarshal(a.reply.body, &answer) != nil {
		return http.StatusText(a.reply.status)
	}
	_, what, _ := strings.Cut(answer.Type, "#")
	for _, reason := range answer.CancellationReasons {
		if reason.Code != "None" {
			what = reason.Code
		}
	}
	return what
}

// faultTexts say what happens to an attempt.
var faultTexts = map[Fault]string{
	Conflict:  "is answered with a conflict",
	Throttle:  "is throttled",
	Failed:    "is answered that the server has failed, and is not applied",
	FailAfter: "reaches the table, and is answered that the server has failed",
	Lost:      "reaches the table, and its answer is lost",
	Late:      "has no answer, and is still under way",
	Deadline:  "is never sent: the time of its call is over",
	Overdue:   "is under way when the time of its call is over",
	Gone:      "is never sent: its process is gone",
	Left:      "is under way when its process is gone",
}
