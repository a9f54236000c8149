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

// ruled checks that the contract and the game's rules accept the same requests.
type ruled struct{ *Contract }

func (r ruled) compare(t rapid.TB, operation string, body map[string]string, accepted bool) {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err, "%v", err)
	refused := r.ByID(operation).RefusesBody(text)
	require.Equal(t, accepted, (refused == nil),
		"%s with %s: the rules accept it: %t; the contract: %v", operation, text, accepted, refused)
}

func (r ruled) registration(t rapid.TB, form game.Registration) {
	t.Helper()
	r.compare(t, "register", map[string]string{
		"email": form.Email, "username": form.Username, "password": form.Password, "ranchName": form.RanchName,
	}, len(form.Problems()) == 0)
	r.compare(t, "login", map[string]string{"email": form.Email, "password": form.Password}, game.ValidEmail(form.Email))
	r.compare(t, "refresh", map[string]string{"refreshToken": form.Password}, form.Password != "")
}

var ann = game.Registration{Email: "ann.lee+ranch@mail.example.com", Username: "Ann_Lee-1", Password: "correct horse", RanchName: "Sunny Acres"}

// TestLengthsFollowTheRules compares the contract and the rules for fields of 0 to 299 characters.
func TestLengthsFollowTheRules(t *testing.T) {
	t.Parallel()
	r := ruled{load(t)}
	for n := range 300 {
		for _, letter := range []string{"a", "é", "😀"} {
			email, username, password, ranch := ann, ann, ann, ann
			email.Email = strings.Repeat(letter, n) + "@example.com"
			username.Username, password.Password, ranch.RanchName = strings.Repeat(letter, n), strings.Repeat(letter, n), strings.Repeat(letter, n)
			for _, form := range []game.Registration{email, username, password, ranch} {
				r.registration(t, form)
			}
		}
	}
}

// TestAddressesFollowTheRules tries every ASCII character at seven places in an e-mail address, and special addresses.
func TestAddressesFollowTheRules(t *testing.T) {
	t.Parallel()
	r := ruled{load(t)}
	locals, domains := []string{"", ".", ".a", "a.", "a..b", "a.b", "é", `"a"`}, []string{
		"", "a", "a.b", "a.bc", "a.b1", "1.2.3.4", "[1.2.3.4]", "-a.bc", "a-.bc", "a..bc", ".a.bc", "a.bc.", "a.b-c", "a.-bc", "a.bc-", "1.bc", "a1-2b.bc",
		"a.xn--", "a.xn--a", "a.XN--A", "a.Xn--1", "a.xn--a-", "a.xn--a-b", "a.xn-a", "xn--a.bc", "é.bc", "a.bé", "a@b.cd",
	}
	for char := range rune(128) {
		locals = append(locals, "a"+string(char)+"b", string(char), string(char)+"a", "a"+string(char))
		domains = append(domains, "a"+string(char)+"b.cd", "a.b"+string(char)+"c", "a.bc"+string(char))
	}
	addresses := []string{"ann"}
	for _, local := range locals {
		addresses = append(addresses, local+"@mail.example.com")
	}
	for _, domain := range domains {
		addresses = append(addresses, "ann@"+domain)
	}
	for _, email := range addresses {
		r.compare(t, "login", map[string]string{"email": email, "password": ""}, game.ValidEmail(email))
	}
}

// TestRequestsFollowTheRules tries random texts. Most are valid or nearly valid.
func TestRequestsFollowTheRules(t *testing.T) {
	t.Parallel()
	r := ruled{load(t)}
	rapid.Check(t, func(t *rapid.T) {
		r.registration(t, game.Registration{
			Email: text(t, "email", ann.Email), Username: text(t, "username", ann.Username), Password: text(t, "password", ann.Password),
			RanchName: text(t, "ranch", ann.RanchName),
		})
		id := text(t, "id", "6f9d1c2e-8A4b-4c3d-9e5f-0a1b2c3d4e5f")
		_, isID := game.ParseID(id)
		r.compare(t, "enterShow", map[string]string{"animalId": id}, isID)
		refused := r.ByID("getShow").id.Validate(id)
		require.Equal(t, isID, (refused == nil), "the id %q is one: %t; for the contract: %v", id, isID, refused)
	})
}

// text draws the sample, the sample with another piece in it, or any text.
func text(t *rapid.T, label, sample string) string {
	switch rapid.IntRange(0, 7).Draw(t, label+" kind") {
	case 0:
		return rapid.String().Draw(t, label)
	case 1, 2, 3, 4:
		return sample
	}
	pieces := []string{"", ".", "..", "@", "-", "_", "xn--", ".XN--a", "a", "Z", "7", " ", "é", "😀", "\n", "+", "'", "\\", "\u212a", "\x00", "{", "urn:uuid:"}
	at := rapid.IntRange(0, len(sample)).Draw(t, label+" at")
	until := rapid.IntRange(at, len(sample)).Draw(t, label+" until")
	return sample[:at] + rapid.SampledFrom(pieces).Draw(t, label+" piece") + sample[until:]
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
