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

// State identifies the state of a history. Two histories with the same state can continue in the same ways, with the
// same problems in the end.
type State [sha256.Size]byte

// state returns the history's State. Every call must be held, asleep or over. The State covers all that later steps
// and the problems depend on. These are the calls' answers and their times, the clock, the ids that calls will draw,
// the stored items, open and late transactions, calls that repeat reads, sleep or are gone, and happens-before.
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
			continue // its earlier answers make no difference any more
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

// described returns what the table can see of the attempt. Histories draw different tokens. So described replaces the
// token by a name that only tells equal tokens from different ones.
func (s *schedule) described(a *attempt) string {
	return fmt.Sprintf("%s %x %s", a.id(release), sum(a.body), s.tokens[a.Token])
}

// heard is the answer to an attempt, as a call has got it, with the time since the beginning of the history.
type heard struct {
	*attempt
	answer State // the sum of the answer
	at     time.Duration
}

// now returns the time since the history began, in whole milliseconds: no rule notices a shorter time.
func (s *schedule) now() time.Duration { return time.Since(s.began).Truncate(time.Millisecond) }

// answered returns the call's answer, if it is over.
func (c *calling) answered() string {
	answer, err := json.Marshal(c.result.Answer)
	if err != nil {
		panic(err) // answers contain only values of rows
	}
	return fmt.Sprintf("%s %v", answer, c.result.Err)
}

// told returns the sum of all answers that the call got.
func (c *calling) told() State {
	for _, h := range c.heard {
		text := fmt.Sprintf("%x %d %x %v %x", c.known, h.number, sum(h.body), h.at, h.answer)
		c.known = sha256.Sum256([]byte(text))
	}
	c.heard = nil
	return c.known
}

// sum returns a digest of JSON. The digest ignores the order of members and the value of ClientRequestToken.
func sum(text []byte) State {
	var value map[string]any
	if json.Unmarshal(text, &value) != nil {
		return sha256.Sum256(text)
	}
	delete(value, "ClientRequestToken")
	sorted, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was parsed before
	}
	return sha256.Sum256(sorted)
}

// sum returns the sum of the answer.
func (a answer) sum() State {
	return sha256.Sum256([]byte(fmt.Sprintf("%d %v %x", a.reply.status, a.err, sum(a.reply.body))))
}

func writeSorted(to io.Writer, lines []string) {
	slices.Sort(lines)
	fmt.Fprintln(to, lines)
}
