package explore

import (
	"strings"
)

// Choices are all choices of a history, as text: a digit or letter for each choice.
type Choices string

const choiceDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// Replay is a Chooser that repeats given choices. After the last choice, it always chooses the first option.
type Replay struct {
	choices Choices
	at      int
}

// NewReplay returns a Chooser that repeats the choices.
func NewReplay(c Choices) *Replay { return &Replay{choices: c} }

// Next implements Chooser.
func (r *Replay) Next(options []Option) int { return r.Pick(len(options)) }

// Pick implements Chooser.
func (r *Replay) Pick(n int) int {
	if r.at >= len(r.choices) {
		return 0
	}
	r.at++
	return min(max(strings.IndexByte(choiceDigits, r.choices[r.at-1]), 0), n-1)
}

// Did implements Chooser.
func (r *Replay) Did(Step) {}
