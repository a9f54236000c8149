package explore

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// State is what a history has come to: two that have come to the same can go on alike, and whatever they do then, the
// same is wrong with both or nothing is.
type State [sha256.Size]byte

// state is what the history has come to, while every call is held, asleep or over. A call's next steps depend on its
// answers and their times, the clock, and the ids that it will draw. The table's answers depend on the stored items and
// on the open and late transactions. The scheduler's options depend on the calls that repeat reads, sleep or are gone.
// And how they are judged goes by what they answered, by who was over before whom was made, and by what follows from
// whom.
func (s *schedule) state() State {
	hash := sha256.New()
	stored := s.table.memory.stored()
	fmt.Fprintf(hash, "%x %v %d %t %t %t\n", stored, s.now(), s.drawn(), s.polled, s.struck, s.woken)
	for _, c := range s.calls {
		fmt.Fprintln(hash, c.asleep, s.trusted(c), c.gone, c.returned.Load(), c.result.Called < 0)
		for _, other := range s.calls {
			fmt.Fprintln(hash, other.result.Returned < c.result.Called, 2*other.last+1 < c.result.Called)
		}
		if s.quiet(c) {
			fmt.Fprintln(hash, c.answered())
			continue // what else it was told makes no difference any more
		}
		fmt.Fprintf(hash, "%x\n", c.told())
		for _, a := range c.held {
			fmt.Fprintln(hash, s.described(a), s.polls(c, a))
		}
		for _, subject := range slices.Sorted(maps.Keys(c.asked)) {
			if s.vain(c, c.asked[subject]) {
				fmt.Fprintln(hash, subject)
			}
		}
	}
	var open []string
	for _, t := range s.commits {
		open = append(open, fmt.Sprintln(t.id(over), s.described(t.attempt), t.commit.Hidden()))
	}
	for _, a := range s.ghosts {
		open = append(open, fmt.Sprintln(a.id(arrival), s.described(a)))
	}
	writeSorted(hash, open)
	s.lineage.write(hash, s.openGroup())
	return State(hash.Sum(nil))
}

// described says what the table can tell the attempt from others by. Each history draws new tokens: only equality with
// other attempts' tokens has a meaning.
func (s *schedule) described(a *attempt) string {
	return fmt.Sprintf("%s %x %s", a.id(release), sum(a.body), s.tokens[a.Token])
}

// heard is what a call has been told of an attempt, and when.
type heard struct {
	*attempt
	answer State // its sum
	at     time.Duration
}

// now is the time since the beginning, as far as a rule can tell it.
func (s *schedule) now() time.Duration { return time.Since(s.began).Truncate(time.Millisecond) }

// answered is what the call has answered, if it is over.
func (c *calling) answered() string {
	answer, err := json.Marshal(c.result.Answer)
	if err != nil {
		panic(err) // answers are what rows say
	}
	return fmt.Sprintf("%s %v", answer, c.result.Err)
}

// told is all that the call has heard.
func (c *calling) told() State {
	for _, h := range c.heard {
		text := fmt.Sprintf("%x %d %x %v %x", c.known, h.number, sum(h.body), h.at, h.answer)
		c.known = sha256.Sum256([]byte(text))
	}
	c.heard = nil
	return c.known
}

// sum is the same of two texts of JSON that differ in the order of members and in their tokens alone.
func sum(text []byte) State {
	var value map[string]any
	if json.Unmarshal(text, &value) != nil {
		return sha256.Sum256(text)
	}
	delete(value, "ClientRequestToken")
	sorted, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was read
	}
	return sha256.Sum256(sorted)
}

// sum says what the answer is.
func (a answer) sum() State {
	return sha256.Sum256([]byte(fmt.Sprintf("%d %v %x", a.reply.status, a.err, sum(a.reply.body))))
}

func writeSorted(to io.Writer, lines []string) {
	slices.Sort(lines)
	fmt.Fprintln(to, lines)
}
