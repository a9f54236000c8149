package records

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/table"
)

// itemSize returns the size by which DynamoDB charges and limits an item: the sum of the sizes of its attributes' names
// and values (Amazon DynamoDB Developer Guide, "DynamoDB item sizes and formats"). Strings and binary values count
// their bytes. A number counts about one byte for every two significant digits, and one more. Null and boolean count
// one. A list or map counts three, and one for every element, plus the elements.
func itemSize(av table.Attributes) int {
	size := 0
	for name, value := range av {
		size += len(name) + valueSize(value)
	}
	return size
}

func valueSize(value types.AttributeValue) int {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberSize(v.Value)
	case *types.AttributeValueMemberBOOL, *types.AttributeValueMemberNULL:
		return 1
	case *types.AttributeValueMemberL:
		size := 3
		for _, element := range v.Value {
			size += 1 + valueSize(element)
		}
		return size
	case *types.AttributeValueMemberM:
		return 3 + len(v.Value) + itemSize(v.Value)
	}
	panic("store: no size is known of this type")
}

// numberSize counts leading and trailing zeros as digits: at worst a byte too much.
func numberSize(digits string) int {
	size := 1
	if strings.HasPrefix(digits, "-") {
		digits, size = digits[1:], size+1
	}
	return size + (len(digits)+1)/2
}

func sizeOf(t *testing.T, item any) int {
	t.Helper()
	av, err := table.Marshal(item)
	require.NoError(t, err)
	return itemSize(av)
}

// furthest is an instant with the most digits: in the year 9999.
var furthest = game.InstantOf(time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC))

// A change of an item of up to 1 KB costs 2 WCU in a transaction. Every entry and every claim changes the user's item.
func TestUserStaysBelowOneKilobyteAtTheLimits(t *testing.T) {
	t.Parallel()
	const longestEmail, longestUsername, longestRanch = 254, 24, 100
	account := game.NewAccount(game.Registration{
		Email:     strings.Repeat("e", longestEmail),
		Username:  strings.Repeat("u", longestUsername),
		RanchName: strings.Repeat("🐄", longestRanch), // code points count, of up to four bytes
	}, furthest)
	account.GoldBalance, account.PremiumBalance, account.PrestigePoints = math.MaxInt64, math.MaxInt64, math.MaxInt64
	account.LastLoginAt, account.MarketRestrictedUntil = &furthest, furthest
	account.LedgerSeq, account.SessionsFrom = 999_999_999_999, furthest
	account.Ranch.PlotCount, account.Ranch.MaxPlotCount, account.Ranch.PrestigeLevel = math.MaxInt32, math.MaxInt32, math.MaxInt32
	for label, item := range map[string]any{
		"user":           NewUserItem(account),
		"e-mail address": ReservationItem{Key: EmailKey(account.Email), User: account.ID, PasswordHash: password.Hash("password")},
	} {
		size := sizeOf(t, item)
		assert.True(t, size <= 1024, "the %s has %d bytes, want at most 1,024", label, size)
	}
}

// Each of these rows costs 2 WCU in a transaction.
func TestSmallRowsStayBelowOneKilobyte(t *testing.T) {
	t.Parallel()
	name, show := strings.Repeat("🐄", 100), someShow
	row := game.LedgerEntry{
		ID: someSeason, UserID: someUser, Seq: 999_999_999_999, Amount: math.MinInt64, BalanceAfter: math.MaxInt64, Currency: game.Currency,
		Category: game.CategoryStarter, Description: "Show entry: " + name, RefID: &show, CreatedAt: furthest,
	}
	fee, highest := newLedgerFields(row), game.Phenotype{}
	for i := range highest {
		highest[i] = game.FixedMax
	}
	// The participation has the longest possible name of the show, and a shorter name of the animal. With the longest
	// of both it would exceed 1 KB.
	for label, item := range map[string]any{
		"animal": NewAnimalItem(game.Animal{
			ID: someAnimal, Owner: someUser, Ranch: someShow, Name: name, Breed: "Holstein", Sex: "female", BornAt: furthest, Stage: "adult",
			Status: "pregnant", RarityTier: "legendary", Condition: game.FixedMax, Health: 100, DiedAt: &furthest,
			Phenotype: &game.Phenotype{}, Genotype: &game.Genotype{},
		}),
		"ledger row": NewLedgerItem(row),
		"entry": EntryItem{
			Key: EntryKey(someShow, someAnimal, MaxGates), Call: someSeason, Player: someUser, PlayerUsername: strings.Repeat("u", 24), AnimalName: name,
			Breed: "Holstein", RarityTier: "legendary", CreatedAt: furthest,
			Condition: game.FixedMax, Health: 100, Phenotype: &highest,
		},
		"receipt":        ClaimItem{Key: NewVerdict(someShow, furthest).ClaimKey(250_000 - 1), Call: someSeason, Player: someUser, Rank: math.MaxInt32, Prize: math.MaxInt32, ClaimedAt: furthest},
		"refresh record": NewRefreshItem(game.RefreshRecord{ID: someUser, UserID: someUser, Digest: strings.Repeat("f", 64), ExpiresAt: furthest}),
		"open gate":      GateItem{Key: GateKey(game.Show{ID: someShow, EntryClosesAt: furthest}, MaxGates-1), Count: math.MaxInt32},
		"participation":  ParticipationItem{Key: ParticipationKey(someUser, someSeason, someShow, someAnimal), AnimalName: strings.Repeat("n", 64), CreatedAt: furthest, Fee: &fee},
	} {
		size := sizeOf(t, item)
		t.Logf("%s: %d bytes", label, size)
		assert.True(t, size <= 1024, "%s: %d bytes, want at most 1,024", label, size)
	}
}
