package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/shared/game"
)

// TestRequestsFollowTheRules checks that the contract and the game's rules accept the same requests. It tries random
// texts, of which most are valid or nearly valid.
func TestRequestsFollowTheRules(t *testing.T) {
	t.Parallel()
	c := load(t)
	rapid.Check(t, func(t *rapid.T) {
		compare := func(operation string, body map[string]string, accepted bool) {
			sent, err := json.Marshal(body)
			require.NoError(t, err)
			v, err := decode(sent)
			require.NoError(t, err)
			refused := c.ByID(operation).body.Validate(v)
			require.Equal(t, accepted, refused == nil, "%s with %s: the contract: %v", operation, sent, refused)
		}
		form := game.Registration{
			Email:    text(t, "email", "ann.lee+ranch@mail.example.com"),
			Username: text(t, "username", "Ann_Lee-1"), Password: text(t, "password", "correct horse"), RanchName: text(t, "ranch", "Sunny Acres"),
		}
		compare("register", map[string]string{
			"email": form.Email, "username": form.Username, "password": form.Password, "ranchName": form.RanchName,
		}, len(form.Problems()) == 0)
		compare("login", map[string]string{"email": form.Email, "password": form.Password}, game.ValidEmail(form.Email))
		compare("refresh", map[string]string{"refreshToken": form.Password}, form.Password != "")
		compare("changePassword", map[string]string{"currentPassword": form.Username, "newPassword": form.Password},
			len(game.PasswordChange{New: form.Password}.Problems()) == 0)
		compare("changeEmail", map[string]string{"email": form.Email, "password": form.Password}, game.ValidEmail(form.Email))
		id := text(t, "id", "6f9d1c2e-8A4b-4c3d-9e5f-0a1b2c3d4e5f")
		_, isID := game.ParseID(id)
		compare("enterShow", map[string]string{"animalId": id}, isID)
	})
}

// text draws the sample, the sample with another piece in it, perhaps repeated up to every limit, or any text.
func text(t *rapid.T, label, sample string) string {
	switch rapid.IntRange(0, 7).Draw(t, label+" kind") {
	case 0:
		return rapid.String().Draw(t, label)
	case 1, 2, 3:
		return sample
	}
	pieces := []string{"", ".", "..", "@", "-", "_", "xn--", ".XN--a", "a", "Z", "7", " ", "é", "😀", "\n", "+", "'", "\\", "\u212a", "\x00", "{", "urn:uuid:"}
	at := rapid.IntRange(0, len(sample)).Draw(t, label+" at")
	until := rapid.IntRange(at, len(sample)).Draw(t, label+" until")
	times := rapid.OneOf(rapid.Just(1), rapid.IntRange(2, 260)).Draw(t, label+" times")
	return sample[:at] + strings.Repeat(rapid.SampledFrom(pieces).Draw(t, label+" piece"), times) + sample[until:]
}

// TestTablesAreTheRules checks that the contract's tables of prizes and points equal the game's rules.
func TestTablesAreTheRules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../" + FileName)
	require.NoError(t, err)
	points := "| Points |"
	for rank := range 6 {
		points += fmt.Sprintf(" %d |", game.SeasonPoints(rank+1))
	}
	rows := []string{points}
	for _, tier := range []string{game.TierRookie, game.TierPro, game.TierElite} {
		rows = append(rows, fmt.Sprintf("| %s | %d | %d | %d |", tier, game.Prize(tier, 1), game.Prize(tier, 2), game.Prize(tier, 3)))
	}
	for _, row := range rows {
		assert.Contains(t, string(text), row, "%s has no row %s", FileName, row)
	}
}
