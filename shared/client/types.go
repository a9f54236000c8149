package client

import "time"

// The contract's schemas. A test of localstack/accept/contract holds that fields, types and nulls are those of
// docs/openapi.yaml.

// Registration is what a new player says.
type Registration struct {
	Email     string `json:"email"`
	Username  string `json:"username"`
	Password  string `json:"password"`
	RanchName string `json:"ranchName"`
}

// Tokens are what a registration and a log-in answer beside the user. A refreshing answers the access token alone.
type Tokens struct {
	Token        string `json:"token"` // the access token
	RefreshToken string `json:"refreshToken"`
}

// User is a player as registration answers it.
type User struct {
	ID                    string    `json:"id"`
	Email                 string    `json:"email"`
	Username              string    `json:"username"`
	Status                string    `json:"status"`
	GoldBalance           int64     `json:"goldBalance"`
	PremiumBalance        int64     `json:"premiumBalance"`
	PrestigePoints        int64     `json:"prestigePoints"`
	MarketRestrictedUntil time.Time `json:"marketRestrictedUntil"`
	CreatedAt             time.Time `json:"createdAt"`
}

// Account is a player as a log-in answers it.
type Account struct {
	User
	LastLoginAt time.Time `json:"lastLoginAt"`
	Ranch       *Ranch    `json:"ranch"`
}

type Ranch struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	PlotCount     int64  `json:"plotCount"`
	PrestigeLevel int64  `json:"prestigeLevel"`
}

type Animal struct {
	ID         string     `json:"id"`
	Owner      string     `json:"owner"`
	Ranch      string     `json:"ranch"`
	Name       string     `json:"name"`
	Breed      string     `json:"breed"`
	Sex        string     `json:"sex"`
	BornAt     time.Time  `json:"born_at"`
	Stage      string     `json:"stage"`
	Status     string     `json:"status"`
	RarityTier string     `json:"rarity_tier"`
	Condition  float64    `json:"condition"`
	Health     int64      `json:"health"`
	DiedAt     *time.Time `json:"died_at"`
	Phenotype  *Phenotype `json:"phenotype"`
	Genotype   *Genotype  `json:"genotype"`
}

// Phenotype are the eight traits as they show, 0.00 to 100.00.
type Phenotype struct {
	WeightScore        float64 `json:"weightScore"`
	MilkYieldScore     float64 `json:"milkYieldScore"`
	GrowthRateScore    float64 `json:"growthRateScore"`
	TemperamentScore   float64 `json:"temperamentScore"`
	CoatQualityScore   float64 `json:"coatQualityScore"`
	FertilityScore     float64 `json:"fertilityScore"`
	HardinessScore     float64 `json:"hardinessScore"`
	ShowPotentialScore float64 `json:"showPotentialScore"`
}

// Genotype are the eight traits as they are inherited, 0 to 100.
type Genotype struct {
	Weight        int64 `json:"gWeight"`
	MilkYield     int64 `json:"gMilkYield"`
	GrowthRate    int64 `json:"gGrowthRate"`
	Temperament   int64 `json:"gTemperament"`
	CoatQuality   int64 `json:"gCoatQuality"`
	Fertility     int64 `json:"gFertility"`
	Hardiness     int64 `json:"gHardiness"`
	ShowPotential int64 `json:"gShowPotential"`
}

// Show is a show without its entries.
type Show struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	Tier          string     `json:"tier"`
	EntryFee      int64      `json:"entryFee"`
	EntryClosesAt time.Time  `json:"entryClosesAt"`
	JudgedAt      *time.Time `json:"judgedAt"`
	Status        string     `json:"status"`
	SeasonID      string     `json:"seasonId"`
}

// ListedShow is a show in a list.
type ListedShow struct {
	Show
	EntryCount int64 `json:"entryCount"`
}

// ShowDetail is a show with its entries: by rank, those without one last, then by the time of entry.
type ShowDetail struct {
	Show
	Entries []Entry `json:"entries"`
}

type Entry struct {
	ID             string   `json:"id"`
	PlayerID       string   `json:"playerId"`
	PlayerUsername string   `json:"playerUsername"`
	AnimalID       string   `json:"animalId"`
	AnimalName     string   `json:"animalName"`
	Breed          string   `json:"breed"`
	RarityTier     string   `json:"rarityTier"`
	Score          *float64 `json:"score"` // null before the judging, and where it is 0
	Rank           *int64   `json:"rank"`
	RewardClaimed  bool     `json:"rewardClaimed"`
}

// Entered, Judged and Claimed are what the three changes answer. Resolved says that the answer itself was lost or not
// understood, and that the show says: it is so now (docs/clients.md). It may have been so before this call, on another
// device too: then no gold has moved just now, and the player's gold is to be taken from the next log-in.
type Entered struct {
	Success  bool   `json:"success"`
	Message  string `json:"message"`
	EntryFee int64  `json:"entryFee"`
	Resolved bool   `json:"-"`
}

type Judged struct {
	Success  bool     `json:"success"`
	Message  string   `json:"message"`
	TopThree []Winner `json:"topThree"`
	Resolved bool     `json:"-"` // whether by this call is not known
}

type Winner struct {
	Rank     int64   `json:"rank"`
	PlayerID string  `json:"playerId"`
	AnimalID string  `json:"animalId"`
	Score    float64 `json:"score"`
}

type Claimed struct {
	Success    bool   `json:"success"`
	Rank       *int64 `json:"rank"`
	GoldReward int64  `json:"goldReward"`
	Message    string `json:"message"`
	Resolved   bool   `json:"-"`
}

// Season is the active season and the caller's score in it.
type Season struct {
	ID            string    `json:"id"`
	Name          string    `json:"name"`
	StartDate     time.Time `json:"startDate"`
	EndDate       time.Time `json:"endDate"`
	IsActive      bool      `json:"isActive"`
	MySeasonScore int64     `json:"mySeasonScore"`
}
