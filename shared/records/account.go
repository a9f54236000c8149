package records

import (
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// ReservationItem makes an e-mail address or a username unique, and points to its user.
type ReservationItem struct {
	table.Key
	User         game.ID `dynamodbav:"u"`
	PasswordHash string  `dynamodbav:"hp,omitempty"` // only for e-mail addresses; absent for an external sign-in
	// PasswordChanges is the user's PasswordChanges that the hash belongs to.
	PasswordChanges int64 `dynamodbav:"pc,omitempty"`
}

// UserItem is a user. Its attribute names are short: with all fields at their limits it stays below 1 KB, so that a
// change in a transaction costs 2 WCU.
type UserItem struct {
	table.Key
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
	Changes         int64           `dynamodbav:"uc,omitempty"` // see game.Account
	PasswordChanges int64           `dynamodbav:"pc,omitempty"` // see game.Account
	Ranch           *ranchItem      `dynamodbav:"r,omitempty"`
}

type ranchItem struct {
	ID            game.ID `dynamodbav:"id"`
	Name          string  `dynamodbav:"na"`
	PlotCount     int     `dynamodbav:"p"`
	MaxPlotCount  int     `dynamodbav:"m"`
	PrestigeLevel int     `dynamodbav:"l"`
}

// NewUserItem returns the item of an account.
func NewUserItem(a game.Account) UserItem {
	item := UserItem{
		Key: UserKey(a.ID), Email: a.Email, Username: a.Username, Status: a.Status, Gold: a.GoldBalance, Premium: a.PremiumBalance,
		Prestige: a.PrestigePoints, RestrictedUntil: a.MarketRestrictedUntil, CreatedAt: a.CreatedAt, LastLoginAt: a.LastLoginAt,
		LedgerSeq: a.LedgerSeq, SessionsFrom: a.SessionsFrom, Changes: a.Changes, PasswordChanges: a.PasswordChanges,
	}
	if a.Ranch != nil {
		item.Ranch = new(ranchItem(*a.Ranch))
	}
	return item
}

// Account returns nil for a nil item.
func (i *UserItem) Account() *game.Account {
	if i == nil {
		return nil
	}
	a := &game.Account{
		User: game.User{
			ID: IdIn(table.SK(i.PK)), Email: i.Email, Username: i.Username, Status: i.Status, GoldBalance: i.Gold, PremiumBalance: i.Premium,
			PrestigePoints: i.Prestige, MarketRestrictedUntil: i.RestrictedUntil, CreatedAt: i.CreatedAt,
		},
		LastLoginAt: i.LastLoginAt, LedgerSeq: i.LedgerSeq, SessionsFrom: i.SessionsFrom, Changes: i.Changes,
		PasswordChanges: i.PasswordChanges,
	}
	if i.Ranch != nil {
		a.Ranch = new(game.Ranch(*i.Ranch))
	}
	return a
}

// UserAsRead is the condition that the user's status, names and password were not set since they were read. It also
// fails after a ban and an unban, when a lost attempt may still be applied.
func UserAsRead(read game.Account) table.Condition {
	return table.Present.And(table.AsRead("uc", read.Changes))
}

// PasswordAsRead is the condition that the password has the number that was read beside its hash.
func PasswordAsRead(read game.Account) table.Condition {
	return table.AsRead("pc", read.PasswordChanges)
}

// LedgerAsRead is the condition that the number of the ledger's last row is as read.
func LedgerAsRead(read game.Account) table.Condition {
	return table.Equals("ls", table.Number(read.LedgerSeq))
}

// SessionsAsRead is the condition that no sessions were revoked since.
func SessionsAsRead(read game.Account) table.Condition { return table.AsRead("vf", read.SessionsFrom) }

// LoginAsRead is the condition that no log-in was recorded since.
func LoginAsRead(read game.Account) table.Condition {
	if read.LastLoginAt == nil {
		return table.AsRead("ll", game.Instant(0))
	}
	return table.AsRead("ll", *read.LastLoginAt)
}

// NoLaterLogin is the condition that no recorded log-in began later.
func NoLaterLogin(now game.Instant) table.Condition {
	return table.If("(attribute_not_exists(ll) OR ll <= :now)", table.Attributes{":now": table.Number(now)})
}

// HasUsername is the condition that the user has this username.
func HasUsername(name string) table.Condition { return table.Equals("un", table.Str(name)) }

// GoldMoved sets the balance and the number of the ledger's last row, which is this row.
func GoldMoved(row game.LedgerEntry) table.Change {
	return table.Change{}.Set("g", table.Number(row.BalanceAfter)).Set("ls", table.Number(row.Seq))
}

// LoggedIn sets the last log-in.
func LoggedIn(now game.Instant) table.Change { return table.Change{}.Set("ll", table.Number(now)) }

// StatusChanged sets the status, the numbers of changes, and "valid from". Numbers of 0 are not stored.
func StatusChanged(becomes game.Account) table.Change {
	change := table.Change{}.Set("st", table.Str(becomes.Status))
	if becomes.Changes > 0 {
		change = change.Set("uc", table.Number(becomes.Changes))
	}
	if becomes.PasswordChanges > 0 {
		change = change.Set("pc", table.Number(becomes.PasswordChanges))
	}
	if becomes.SessionsFrom > 0 {
		change = change.Set("vf", table.Number(becomes.SessionsFrom))
	}
	return change
}

// Renamed sets the names and the number of changes. The ranch's name is set if ranch is true.
func Renamed(becomes game.Account, ranch bool) table.Change {
	change := table.Change{}.Set("em", table.Str(becomes.Email)).Set("un", table.Str(becomes.Username)).Set("uc", table.Number(becomes.Changes))
	if ranch {
		change = change.Set("r.na", table.Str(becomes.Ranch.Name))
	}
	return change
}

// UserDeleted sets the status, and removes what a deleted user has no more.
func UserDeleted(changes int64) table.Change {
	return table.Change{}.Set("st", table.Str(game.UserDeleted)).Set("uc", table.Number(changes)).Remove("em", "un", "ll", "vf", "pc", "r")
}

// OfUser is the condition that a reservation, or an entry, is the user's.
func OfUser(user game.ID) table.Condition { return table.Equals("u", table.Str(user)) }

// HashAsRead is the condition that a reservation has this hash.
func HashAsRead(hash string) table.Condition { return table.Equals("hp", table.Str(hash)) }

// Rehashed sets a new hash of the same password.
func Rehashed(hash string) table.Change { return table.Change{}.Set("hp", table.Str(hash)) }

// NewPassword sets the hash of a new password, and its number.
func NewPassword(hash string, changes int64) table.Change {
	return Rehashed(hash).Set("pc", table.Number(changes))
}

// AsRead is the condition that the reservation still leads to the same user, with the same hash. A user without a hash
// never gets one.
func (i *ReservationItem) AsRead() table.Condition {
	if i.PasswordHash == "" {
		return OfUser(i.User)
	}
	return OfUser(i.User).And(HashAsRead(i.PasswordHash))
}

// AsRead is the condition that the animal exists and no operator has changed it since.
func (i *AnimalItem) AsRead() table.Condition {
	return table.Present.And(table.AsRead("ch", i.Changes))
}

// RefreshItem is the record of a refresh token. After the token's expiry, DynamoDB deletes it at some time (TTL).
type RefreshItem struct {
	table.Key
	ID        game.ID      `dynamodbav:"id"`
	User      game.ID      `dynamodbav:"u"`
	ExpiresAt game.Instant `dynamodbav:"ex"`
	TTL       int64        `dynamodbav:"ttl"` // in seconds for DynamoDB, never before ExpiresAt
}

// NewRefreshItem returns the item of a refresh record.
func NewRefreshItem(r game.RefreshRecord) RefreshItem {
	return RefreshItem{Key: TokenKey(r.Digest), ID: r.ID, User: r.UserID, ExpiresAt: r.ExpiresAt, TTL: int64(r.ExpiresAt)/1000 + 1}
}

// Record returns nil for a nil item.
func (i *RefreshItem) Record() *game.RefreshRecord {
	if i == nil {
		return nil
	}
	return &game.RefreshRecord{ID: i.ID, UserID: i.User, Digest: string(i.PK[len("TOKEN#"):]), ExpiresAt: i.ExpiresAt}
}

// LedgerFields are the fields that ledger items and the fees in participations have in common.
type LedgerFields struct {
	ID           game.ID      `dynamodbav:"id"`
	Seq          int64        `dynamodbav:"seq"`
	Amount       int64        `dynamodbav:"am"`
	BalanceAfter int64        `dynamodbav:"ba"`
	Description  string       `dynamodbav:"de"`
	CreatedAt    game.Instant `dynamodbav:"ca,omitempty"`
}

func newLedgerFields(e game.LedgerEntry) LedgerFields {
	return LedgerFields{ID: e.ID, Seq: e.Seq, Amount: e.Amount, BalanceAfter: e.BalanceAfter, Description: e.Description, CreatedAt: e.CreatedAt}
}

func (f LedgerFields) entry(user game.ID) game.LedgerEntry {
	return game.LedgerEntry{
		ID: f.ID, UserID: user, Seq: f.Seq, Amount: f.Amount, BalanceAfter: f.BalanceAfter, Description: f.Description, CreatedAt: f.CreatedAt,
	}
}

// LedgerItem is a ledger row that is not a fee. A fee's row is in the entry's participation.
type LedgerItem struct {
	table.Key
	LedgerFields
	Currency string        `dynamodbav:"cu"`
	Category game.Category `dynamodbav:"ct"`
	RefID    *game.ID      `dynamodbav:"ref,omitempty"`
}

// NewLedgerItem returns the item of a ledger row that is not a fee.
func NewLedgerItem(e game.LedgerEntry) LedgerItem {
	return LedgerItem{
		Key: LedgerKey(e.UserID, e.Seq), LedgerFields: newLedgerFields(e), Currency: e.Currency, Category: e.Category, RefID: e.RefID,
	}
}

// Row returns the item as a ledger row.
func (i *LedgerItem) Row() game.LedgerEntry {
	e := i.entry(IdIn(table.SK(i.PK)))
	e.Currency, e.Category, e.RefID = i.Currency, i.Category, i.RefID
	return e
}

// Row returns the fee as a ledger row, or false if the entry was free.
func (i *ParticipationItem) Row() (game.LedgerEntry, bool) {
	if i.Fee == nil {
		return game.LedgerEntry{}, false
	}
	e, show := i.Fee.entry(IdIn(table.SK(i.PK))), i.Show()
	e.CreatedAt, e.Currency, e.Category, e.RefID = i.CreatedAt, game.Currency, game.CategoryFee, &show
	return e, true
}

// AnimalItem is an animal with its phenotype and its genotype. Each is a list in the order of the traits, which is
// smaller than a map.
type AnimalItem struct {
	table.Key
	Ranch      game.ID         `dynamodbav:"rh"`
	Name       string          `dynamodbav:"na"`
	Breed      string          `dynamodbav:"br"`
	Sex        string          `dynamodbav:"sx"`
	BornAt     game.Instant    `dynamodbav:"bo"`
	Stage      string          `dynamodbav:"sg"`
	Status     string          `dynamodbav:"st"`
	RarityTier string          `dynamodbav:"rt"`
	Condition  game.Fixed      `dynamodbav:"co"`
	Health     int             `dynamodbav:"he"`
	DiedAt     *game.Instant   `dynamodbav:"di,omitempty"`
	Phenotype  *game.Phenotype `dynamodbav:"ph,omitempty"`
	Genotype   *game.Genotype  `dynamodbav:"ge,omitempty"`
	Changes    int64           `dynamodbav:"ch,omitempty"` // how often operators have changed it
}

// NewAnimalItem returns the item of an animal that no operator has changed.
func NewAnimalItem(a game.Animal) AnimalItem {
	return AnimalItem{
		Key: AnimalKey(a.Owner, a.ID), Ranch: a.Ranch, Name: a.Name, Breed: a.Breed, Sex: a.Sex, BornAt: a.BornAt, Stage: a.Stage,
		Status: a.Status, RarityTier: a.RarityTier, Condition: a.Condition, Health: a.Health, DiedAt: a.DiedAt,
		Phenotype: a.Phenotype, Genotype: a.Genotype,
	}
}

// Animal returns nil for a nil item.
func (i *AnimalItem) Animal() *game.Animal {
	if i == nil {
		return nil
	}
	return &game.Animal{
		ID: IdIn(i.SK), Owner: IdIn(table.SK(i.PK)), Ranch: i.Ranch, Name: i.Name, Breed: i.Breed, Sex: i.Sex, BornAt: i.BornAt, Stage: i.Stage,
		Status: i.Status, RarityTier: i.RarityTier, Condition: i.Condition, Health: i.Health, DiedAt: i.DiedAt,
		Phenotype: i.Phenotype, Genotype: i.Genotype,
	}
}
