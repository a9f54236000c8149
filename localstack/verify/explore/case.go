package explore

import (
	"fmt"
	"strings"
)

// Case is what histories are explored of: calls on a fixture, each by its name, and a fault. The text of one is
// "fair/enter+judge/late@0.1", and that of one of its histories has the choices behind it.
type Case struct {
	Fixture string
	Calls   []string
	Strike  Strike
}

func (c Case) String() string {
	return fmt.Sprintf("%s/%s/%s", c.Fixture, strings.Join(c.Calls, "+"), c.Strike)
}

// ParseHistory reads a case and the choices of one of its histories.
func ParseHistory(text string) (Case, Choices, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return Case{}, "", fmt.Errorf("%q is no history: it wants fixture/call+call/fault/choices", text)
	}
	strike, err := parseStrike(parts[2])
	if err == nil && strings.Trim(parts[3], choiceDigits) != "" {
		err = fmt.Errorf("%q are no choices", parts[3])
	}
	return Case{parts[0], strings.Split(parts[1], "+"), strike}, Choices(parts[3]), err
}
