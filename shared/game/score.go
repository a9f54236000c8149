package game

import (
	"crypto/sha256"
	"encoding/binary"
)

// The formula's version is part of every hash: a change of the formula is a new version, and never alters the scores of
// shows judged before, since those are stored.
const (
	weightsDomain = "ranch/score/1/weights/"
	spreadDomain  = "ranch/score/1/spread/"
)

const (
	maxWeight       = 4 // of a trait that is no favourite
	favouriteFactor = 4

	// The condition factor is (conditionBase + conditionSlope x condition) / conditionScale, condition in hundredths:
	// 70 % at 0.00, 100 % at 100.00.
	conditionBase  = 70_000
	conditionSlope = 3
	conditionScale = 100_000

	maxSpread = 3_00 // hundredths
)

// Scorer scores animals in one show. Scores are reproducible: they depend on nothing but the show's id, the animal's
// id, its phenotype and its condition, and are computed in integers, so that they are the same on every processor.
//
// Each show weights the eight traits its own way: by 1 to 4, and four times that for each of two favourites. A score is
//
//	Σ(weight x trait) / Σ(weight) x (70 % + 30 % x condition / 100.00), rounded half up to hundredths,
//	plus a spread from -3.00 to +3.00, clamped to the range from 0.00 to 100.00.
//
// Weights come from h = SHA-256("ranch/score/1/weights/" + show). Trait t has 1 + h[t] mod 4. The first favourite is
// trait a = h[8] mod 8, the second is trait (a + 1 + h[9] mod 7) mod 8. The spread, in hundredths, is the first eight
// bytes of SHA-256("ranch/score/1/spread/" + show + "/" + animal), read as a big-endian integer, modulo 601, less 300.
// docs/scoring.md has a worked example.
type Scorer struct {
	show    ID
	weights [TraitCount]int64
	total   int64
}

// NewScorer does once what scoring needs of a show.
func NewScorer(show ID) Scorer {
	h := sha256.Sum256([]byte(weightsDomain + show))
	s := Scorer{show: show}
	for trait := range s.weights {
		s.weights[trait] = 1 + int64(h[trait]%maxWeight)
	}
	first := h[TraitCount] % byte(TraitCount)
	second := (first + 1 + h[TraitCount+1]%byte(TraitCount-1)) % byte(TraitCount)
	s.weights[first] *= favouriteFactor
	s.weights[second] *= favouriteFactor
	for _, weight := range s.weights {
		s.total += weight
	}
	return s
}

// Score returns the animal's score, from 0.00 to 100.00. The phenotype's values and the condition are in that range,
// too.
func (s Scorer) Score(animal ID, p Phenotype, condition Fixed) Fixed {
	var weighted int64
	for trait, weight := range s.weights {
		weighted += weight * int64(p[trait])
	}
	numerator := weighted * (conditionBase + conditionSlope*int64(condition))
	denominator := s.total * conditionScale
	return (Fixed((2*numerator+denominator)/(2*denominator)) + s.spread(animal)).Clamp()
}

func (s Scorer) spread(animal ID) Fixed {
	var buffer [128]byte // on the stack: two ids and the domain fit
	message := append(buffer[:0], spreadDomain...)
	message = append(message, s.show...)
	message = append(message, '/')
	message = append(message, animal...)
	h := sha256.Sum256(message)
	return Fixed(binary.BigEndian.Uint64(h[:8])%(2*maxSpread+1)) - maxSpread
}
