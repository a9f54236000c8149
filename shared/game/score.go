package game

import (
	"crypto/sha256"
	"encoding/binary"
)

// These prefixes of the hashed texts contain the version of the scoring formula. A changed formula needs a new version.
// The change does not alter the scores of shows that were judged before, because the table stores these scores.
const (
	weightsDomain = "ranch/score/1/weights/"
	spreadDomain  = "ranch/score/1/spread/"
)

const (
	maxWeight       = 4 // of a trait that is no favourite
	favouriteFactor = 4

	// The score is multiplied by (conditionBase + conditionSlope x condition) / conditionScale, with the condition in
	// hundredths. The factor is 70 % at condition 0.00 and 100 % at 100.00.
	conditionBase  = 70_000
	conditionSlope = 3
	conditionScale = 100_000

	maxSpread = 3_00 // hundredths
)

// Scorer scores animals in one show. A score depends only on the show's id, and on the animal's id, phenotype and
// condition. Scorer computes with integers, so that every processor gets the same score.
//
// Each show has its own weights of the eight traits: 1 to 4 for each trait, and four times as much for each of the
// show's two favourite traits. A score is
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

// NewScorer returns the scorer of a show. Callers should use one scorer for all animals of the show, because NewScorer
// computes the show's weights each time.
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

// Weights returns the weight of each trait.
func (s Scorer) Weights() [TraitCount]int64 { return s.weights }

// Score returns the animal's score, from 0.00 to 100.00. The phenotype's values and the condition must be in this
// range, too.
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
