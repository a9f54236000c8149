package game

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	jsonUser = ID("11111111-1111-4111-8111-111111111111")
	jsonShow = ID("33333333-3333-4333-8333-333333333333")
)

// The records' JSON has the names and types of docs/rules.md, S2, and shows nothing else.
func TestRecordsJSON(t *testing.T) {
	const moment = Instant(1_795_167_000_000)
	tests := map[string]struct {
		record any
		want   string
	}{
		"user": {
			User{ID: jsonUser, Email: "ann@example.com", Username: "Ann", Status: UserActive, GoldBalance: 500, PremiumBalance: 1,
				PrestigePoints: 2, MarketRestrictedUntil: moment, CreatedAt: moment},
			`{"id":"11111111-1111-4111-8111-111111111111","email":"ann@example.com","username":"Ann","status":"active","goldBalance":500,
			  "premiumBalance":1,"prestigePoints":2,"marketRestrictedUntil":"2026-11-20T09:30:00.000Z","createdAt":"2026-11-20T09:30:00.000Z"}`,
		},
		"ranch": {
			Ranch{ID: jsonUser, Name: "The Ranch", PlotCount: 4, MaxPlotCount: 20, PrestigeLevel: 1},
			`{"id":"11111111-1111-4111-8111-111111111111","name":"The Ranch","plotCount":4,"prestigeLevel":1}`,
		},
		"open show in a list": {
			ListedShow{Show: Show{ID: jsonShow, Name: "Cup", Tier: "pro", EntryFee: 25, EntryClosesAt: moment, Status: ShowOpen, SeasonID: jsonUser},
				EntryCount: 3},
			`{"id":"33333333-3333-4333-8333-333333333333","name":"Cup","tier":"pro","entryFee":25,"entryClosesAt":"2026-11-20T09:30:00.000Z",
			  "judgedAt":null,"status":"open","seasonId":"11111111-1111-4111-8111-111111111111","entryCount":3}`,
		},
		"completed show": {
			Show{ID: jsonShow, EntryClosesAt: moment, JudgedAt: new(moment), Status: ShowCompleted},
			`{"id":"33333333-3333-4333-8333-333333333333","name":"","tier":"","entryFee":0,"entryClosesAt":"2026-11-20T09:30:00.000Z",
			  "judgedAt":"2026-11-20T09:30:00.000Z","status":"completed","seasonId":""}`,
		},
		"unranked entry": {
			Entry{ID: jsonShow, PlayerID: jsonUser, PlayerUsername: "Ann", AnimalID: jsonUser, AnimalName: "Buck", Breed: "Angus",
				RarityTier: "common", CreatedAt: moment},
			`{"id":"33333333-3333-4333-8333-333333333333","playerId":"11111111-1111-4111-8111-111111111111","playerUsername":"Ann",
			  "animalId":"11111111-1111-4111-8111-111111111111","animalName":"Buck","breed":"Angus","rarityTier":"common","score":null,
			  "rank":null,"rewardClaimed":false}`,
		},
		"ranked entry": {
			Entry{Score: new(Fixed(87_50)), Rank: new(1), RewardClaimed: true},
			`{"id":"","playerId":"","playerUsername":"","animalId":"","animalName":"","breed":"","rarityTier":"","score":87.50,"rank":1,
			  "rewardClaimed":true}`,
		},
		"season": {
			Season{ID: jsonUser, Name: "Autumn", StartDate: moment, EndDate: moment + 1, IsActive: true},
			`{"id":"11111111-1111-4111-8111-111111111111","name":"Autumn","startDate":"2026-11-20T09:30:00.000Z",
			  "endDate":"2026-11-20T09:30:00.001Z","isActive":true}`,
		},
		"ledger entry": {
			LedgerEntry{ID: jsonUser, UserID: jsonUser, Seq: 2, Amount: -25, Currency: Currency, Category: CategoryFee, BalanceAfter: 475,
				Description: "Show entry: Cup", RefID: new(jsonShow), CreatedAt: moment},
			`{"id":"11111111-1111-4111-8111-111111111111","user_id":"11111111-1111-4111-8111-111111111111","seq":2,"amount":-25,
			  "currency":"gold","category":"fee","balance_after":475,"description":"Show entry: Cup",
			  "ref_id":"33333333-3333-4333-8333-333333333333","created_at":"2026-11-20T09:30:00.000Z"}`,
		},
		"animal": {
			Animal{ID: jsonShow, Owner: jsonUser, Ranch: jsonUser, Name: "Buck", Breed: "Angus", Sex: "male", BornAt: moment, Stage: "adult",
				Status: "idle", RarityTier: "rare", Condition: 80_00, Health: 100,
				Phenotype: &Phenotype{1, 2, 3, 4, 5, 6, 7, 8}, Genotype: &Genotype{1, 2, 3, 4, 5, 6, 7, 8}},
			`{"id":"33333333-3333-4333-8333-333333333333","owner":"11111111-1111-4111-8111-111111111111",
			  "ranch":"11111111-1111-4111-8111-111111111111","name":"Buck","breed":"Angus","sex":"male","born_at":"2026-11-20T09:30:00.000Z",
			  "stage":"adult","status":"idle","rarity_tier":"rare","condition":80.00,"health":100,"died_at":null,
			  "phenotype":{"weightScore":0.01,"milkYieldScore":0.02,"growthRateScore":0.03,"temperamentScore":0.04,"coatQualityScore":0.05,
			    "fertilityScore":0.06,"hardinessScore":0.07,"showPotentialScore":0.08},
			  "genotype":{"gWeight":1,"gMilkYield":2,"gGrowthRate":3,"gTemperament":4,"gCoatQuality":5,"gFertility":6,"gHardiness":7,
			    "gShowPotential":8}}`,
		},
	}
	for name, test := range tests {
		encoded, err := json.Marshal(test.record)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(decode(t, test.want), decode(t, string(encoded))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// decode keeps numbers as they are written.
func decode(t *testing.T, text string) (value any) {
	t.Helper()
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	object := make(map[string]any, len(raw))
	for name, field := range raw {
		object[name] = string(field)
		if field[0] == '{' {
			object[name] = decode(t, string(field))
		}
	}
	return object
}
