package store

import "github.com/ranch-game/ranch/shared/game"

// reservationItem makes an e-mail address or a username unique, and points to its user.
type reservationItem struct {
	key
	User         game.ID `dynamodbav:"u"`
	PasswordHash string  `dynamodbav:"ph,omitempty"` // only for e-mail addresses; absent for an external sign-in
	// PasswordChanges is the user's PasswordChanges that the hash belongs to.
	PasswordChanges int64 `dynamodbav:"pc,omitempty"`
}

// userItem is a user. Its attribute names are short: with all fields at their limits it stays below 1 KB, so that a
// change in a transaction costs 2 WCU.
type userItem struct {
	key
	Email           string          `dynamodbav:"em,omitempty"` // absent if deleted, like the other names
	Username        string          `dynamodbav:"un,omitempty"`
	Status          game.UserStatus `dynamodbav:"st"`
	Gold            int64           `dynamodbav:"g"`
	Premium         int64           `dynamodbav:"pm"`
	Prestige        int64           `dynamodbav:"pp"`
	RestrictedUntil game.Instant    `dynamodbav:"mr"`
	CreatedAt       game.Instant    `dynamodbav:"ca"`
	LastLoginAt     *game.Instant   `dynamodbav:"ll,omitempty"`
	LedgerSeq       int64           `dynamodbav:"ls"`
	SessionsFrom    game.Instant    `dynamodbav:"vf,omitempty"` // "valid from": earlier sessions are revoked
	StatusChanges   int64           `dynamodbav:"sn,omitempty"` // see game.Account
	PasswordChanges int64           `dynamodbav:"pc,omitempty"` // see game.Account
	Ranch           *ranchItem      `dynamodbav:"r,omitempty"`
}

type ranchItem struct {
	ID            game.ID `dynamodbav:"id"`
	Name          string  `dynamodbav:"n"`
	PlotCount     int     `dynamodbav:"p"`
	MaxPlotCount  int     `dynamodbav:"m"`
	PrestigeLevel int     `dynamodbav:"l"`
}

func newUserItem(a game.Account) userItem {
	item := userItem{
		key: userKey(a.ID), Email: a.Email, Username: a.Username, Status: a.Status, Gold: a.GoldBalance, Premium: a.PremiumBalance,
		Prestige: a.PrestigePoints, RestrictedUntil: a.MarketRestrictedUntil, CreatedAt: a.CreatedAt, LastLoginAt: a.LastLoginAt,
		LedgerSeq: a.LedgerSeq, SessionsFrom: a.SessionsFrom, StatusChanges: a.StatusChanges, PasswordChanges: a.PasswordChanges,
	}
	if a.Ranch != nil {
		item.Ranch = new(ranchItem(*a.Ranch))
	}
	return item
}

// account returns nil for a nil item.
func (i *userItem) account() *game.Account {
	if i == nil {
		return nil
	}
	a := &game.Account{
		User: game.User{
			ID: idIn(sk(i.PK)), Email: i.Email, Username: i.Username, Status: i.Status, GoldBalance: i.Gold, PremiumBalance: i.Premium,
			PrestigePoints: i.Prestige, MarketRestrictedUntil: i.RestrictedUntil, CreatedAt: i.CreatedAt,
		},
		LastLoginAt: i.LastLoginAt, LedgerSeq: i.LedgerSeq, SessionsFrom: i.SessionsFrom, StatusChanges: i.StatusChanges,
		PasswordChanges: i.PasswordChanges,
	}
	if i.Ranch != nil {
		a.Ranch = new(game.Ranch(*i.Ranch))
	}
	return a
}

// statusAsRead is the condition that no operator has set the user's status, names or password since they were read. It
// also fails after a ban and an unban, when a lost attempt may still be applied.
func statusAsRead(values attributes, read game.Account) string {
	return "attribute_exists(PK) AND " + asRead(values, "sn", read.StatusChanges)
}

// checkStatus adds the condition statusAsRead to the transaction.
func checkStatus(t *transaction, read game.Account) {
	values := attributes{}
	t.Check(userKey(read.ID), statusAsRead(values, read), values, errStale)
}

// refreshItem is the record of a refresh token. After the token's expiry, DynamoDB deletes it at some time (TTL).
type refreshItem struct {
	key
	ID        game.ID      `dynamodbav:"id"`
	User      game.ID      `dynamodbav:"u"`
	ExpiresAt game.Instant `dynamodbav:"ex"`
	TTL       int64        `dynamodbav:"ttl"` // in seconds for DynamoDB, never before ExpiresAt
}

func newRefreshItem(r game.RefreshRecord) refreshItem {
	return refreshItem{key: tokenKey(r.Digest), ID: r.ID, User: r.UserID, ExpiresAt: r.ExpiresAt, TTL: int64(r.ExpiresAt)/1000 + 1}
}

func (i *refreshItem) record() *game.RefreshRecord {
	if i == nil {
		return nil
	}
	return &game.RefreshRecord{ID: i.ID, UserID: i.User, Digest: string(i.PK[len("TOKEN#"):]), ExpiresAt: i.ExpiresAt}
}

// ledgerFields are the fields that ledger items and the fees in participations have in common.
type ledgerFields struct {
	ID           game.ID      `dynamodbav:"id"`
	Seq          int64        `dynamodbav:"seq"`
	Amount       int64        `dynamodbav:"am"`
	BalanceAfter int64        `dynamodbav:"ba"`
	Description  string       `dynamodbav:"de"`
	CreatedAt    game.Instant `dynamodbav:"ca,omitempty"`
}

func newLedgerFields(e game.LedgerEntry) ledgerFields {
	return ledgerFields{ID: e.ID, Seq: e.Seq, Amount: e.Amount, BalanceAfter: e.BalanceAfter, Description: e.Description, CreatedAt: e.CreatedAt}
}

func (f ledgerFields) entry(user game.ID) game.LedgerEntry {
	return game.LedgerEntry{
		ID: f.ID, UserID: user, Seq: f.Seq, Amount: f.Amount, BalanceAfter: f.BalanceAfter, Description: f.Description, CreatedAt: f.CreatedAt,
	}
}

// ledgerItem is a ledger row that is not a fee. A fee's row is in the entry's participation.
type ledgerItem struct {
	key
	ledgerFields
	Currency string        `dynamodbav:"cu"`
	Category game.Category `dynamodbav:"ct"`
	RefID    *game.ID      `dynamodbav:"ref,omitempty"`
}

func newLedgerItem(e game.LedgerEntry) ledgerItem {
	return ledgerItem{
		key: ledgerKey(e.UserID, e.Seq), ledgerFields: newLedgerFields(e), Currency: e.Currency, Category: e.Category, RefID: e.RefID,
	}
}

// row returns the item as a ledger row.
func (i *ledgerItem) row() game.LedgerEntry {
	e := i.entry(idIn(sk(i.PK)))
	e.Currency, e.Category, e.RefID = i.Currency, i.Category, i.RefID
	return e
}

// row returns the fee as a ledger row, or false if the entry was free.
func (i *participationItem) row() (game.LedgerEntry, bool) {
	if i.Fee == nil {
		return game.LedgerEntry{}, false
	}
	e, show := i.Fee.entry(idIn(sk(i.PK))), i.show()
	e.CreatedAt, e.Currency, e.Category, e.RefID = i.CreatedAt, game.Currency, game.CategoryFee, &show
	return e, true
}

// animalItem is an animal with its phenotype and its genotype. Each is a list in the order of the traits, which is
// smaller than a map.
type animalItem struct {
	key
	Ranch      game.ID         `dynamodbav:"ra"`
	Name       string          `dynamodbav:"na"`
	Breed      string          `dynamodbav:"br"`
	Sex        string          `dynamodbav:"sx"`
	BornAt     game.Instant    `dynamodbav:"bo"`
	Stage      string          `dynamodbav:"sg"`
	Status     string          `dynamodbav:"st"`
	RarityTier string          `dynamodbav:"ti"`
	Condition  game.Fixed      `dynamodbav:"co"`
	Health     int             `dynamodbav:"he"`
	DiedAt     *game.Instant   `dynamodbav:"di,omitempty"`
	Phenotype  *game.Phenotype `dynamodbav:"ph,omitempty"`
	Genotype   *game.Genotype  `dynamodbav:"ge,omitempty"`
	Changes    int64           `dynamodbav:"ch,omitempty"` // how often operators have changed it
}

func newAnimalItem(a game.Animal) animalItem {
	return animalItem{
		key: animalKey(a.Owner, a.ID), Ranch: a.Ranch, Name: a.Name, Breed: a.Breed, Sex: a.Sex, BornAt: a.BornAt, Stage: a.Stage,
		Status: a.Status, RarityTier: a.RarityTier, Condition: a.Condition, Health: a.Health, DiedAt: a.DiedAt,
		Phenotype: a.Phenotype, Genotype: a.Genotype,
	}
}

// animal returns nil for a nil item.
func (i *animalItem) animal() *game.Animal {
	if i == nil {
		return nil
	}
	return &game.Animal{
		ID: idIn(i.SK), Owner: idIn(sk(i.PK)), Ranch: i.Ranch, Name: i.Name, Breed: i.Breed, Sex: i.Sex, BornAt: i.BornAt, Stage: i.Stage,
		Status: i.Status, RarityTier: i.RarityTier, Condition: i.Condition, Health: i.Health, DiedAt: i.DiedAt,
		Phenotype: i.Phenotype, Genotype: i.Genotype,
	}
}

// asRead returns the condition that the reservation still leads to the same user, with the same hash. A user without a
// hash never gets one.
func (i *reservationItem) asRead() (condition string, values attributes) {
	values = attributes{":user": str(string(i.User))}
	if i.PasswordHash == "" {
		return "u = :user", values
	}
	values[":seen"] = str(i.PasswordHash)
	return "u = :user AND ph = :seen", values
}
