package client

import (
	"crypto/sha256"
	"strings"
)

// traits are the JSON names of the phenotype's traits, in the contract's order.
var traits = [...]string{
	"weightScore", "milkYieldScore", "growthRateScore", "temperamentScore", "coatQualityScore", "fertilityScore", "hardinessScore",
	"showPotentialScore",
}

// Favourites returns the two traits whose weights a show multiplies by four, as the JSON names of Phenotype's fields.
// It sends nothing, because the formula is public (docs/scoring.md).
func Favourites(show string) [2]string {
	h := sha256.Sum256([]byte("ranch/score/1/weights/" + strings.ToLower(show)))
	first := h[8] % 8
	return [2]string{traits[first], traits[(first+1+h[9]%7)%8]}
}
