package explore

import (
	"fmt"
	"math/rand/v2"
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

// Random is a Chooser that chooses at random from a seed. Each call has a random rank, and makes its steps before calls
// of lower rank until its rank changes. So whole calls run between the steps of others, and transactions stay open for
// many steps.
type Random struct {
	rng   *rand.Rand
	ranks map[int]float64 // by call
}

// reranked is the probability that a step gives its call another rank.
const reranked = 0.2

// NewRandom returns a Chooser for a seed.
func NewRandom(seed uint64) *Random {
	return &Random{rng: rand.New(rand.NewPCG(seed, 0)), ranks: map[int]float64{}}
}

// Next implements Chooser.
func (r *Random) Next(options []Option) int {
	first := 0
	for i, o := range options {
		if _, ranked := r.ranks[o.Call]; !ranked {
			r.ranks[o.Call] = r.rank(o)
		}
		if r.ranks[o.Call] > r.ranks[options[first].Call] {
			first = i
		}
	}
	if r.rng.Float64() < reranked {
		r.ranks[options[first].Call] = r.rank(options[first])
	}
	return first
}

// rank draws a rank for the option's call. Late attempts get a low rank, since they find most flaws if they arrive
// last.
func (r *Random) rank(o Option) float64 {
	if strings.HasSuffix(o.ID, arrival) {
		return r.rng.Float64() / 8
	}
	return r.rng.Float64()
}

// Pick implements Chooser.
func (r *Random) Pick(n int) int { return r.rng.IntN(n) }

// Did implements Chooser.
func (r *Random) Did(Step) {}

// recorder records the choices of a Chooser.
type recorder struct {
	Chooser
	made []byte
}

func (r *recorder) Next(options []Option) int {
	n := r.Chooser.Next(options)
	if n >= 0 {
		r.note(n)
	}
	return n
}

func (r *recorder) Pick(n int) int {
	picked := r.Chooser.Pick(n)
	r.note(picked)
	return picked
}

func (r *recorder) note(n int) {
	if n >= len(choiceDigits) {
		panic(fmt.Sprintf("%d is more than there are digits for", n))
	}
	r.made = append(r.made, choiceDigits[n])
}
