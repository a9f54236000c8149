package game

import "time"

// The values that a registration begins with (docs/rules.md, S2.1, S2.2 and S8).
const (
	StartingGold         = 500
	StartingPlots        = 4
	MaxPlots             = 20
	MarketRestriction    = 7 * 24 * time.Hour
	RefreshTokenLifetime = 30 * 24 * time.Hour // of the record, to the millisecond
)

// UserStatus is the state of an account.
type UserStatus string

// The states of an account. A banned user keeps everything, but can change nothing. A deleted user keeps only the parts
// that others' records and the ledger need, and no e-mail address, username or ranch.
const (
	UserActive  UserStatus = "active"
	UserBanned  UserStatus = "banned"
	UserDeleted UserStatus = "deleted"
)

// DeletedPlayer replaces the username of a deleted user. It is not a valid username, since it has a space.
const DeletedPlayer = "deleted player"

// User is an account as the API shows it.
type User struct {
	ID                    ID         `json:"id"`
	Email                 string     `json:"email"` // lower-case
	Username              string     `json:"username"`
	Status                UserStatus `json:"status"`
	GoldBalance           int64      `json:"goldBalance"` // never below 0
	PremiumBalance        int64      `json:"premiumBalance"`
	PrestigePoints        int64      `json:"prestigePoints"`
	MarketRestrictedUntil Instant    `json:"marketRestrictedUntil"`
	CreatedAt             Instant    `json:"createdAt"`
}

// Ranch is a user's ranch as the API shows it.
type Ranch struct {
	ID            ID     `json:"id"`
	Name          string `json:"name"`
	PlotCount     int    `json:"plotCount"`
	MaxPlotCount  int    `json:"-"` // internal: docs/rules.md, S2.2.5
	PrestigeLevel int    `json:"prestigeLevel"`
}

// Account is a user with further data that is not shown everywhere. It has no password hash: the record of the e-mail
// address has that, and only log-ins read it.
type Account struct {
	User
	LastLoginAt  *Instant
	Ranch        *Ranch  // nil for an account made through an external sign-in
	LedgerSeq    int64   // number of the last ledger row; 0 without one
	SessionsFrom Instant // sessions that began before it are revoked; 0: none is
	// StatusChanges is how often operators have set the status, a name or the password. It tells a value that was
	// changed and restored from one that never changed.
	StatusChanges int64
}

// ShownName is the name that the user's entries show.
func (a Account) ShownName() string {
	if a.Status == UserDeleted {
		return DeletedPlayer
	}
	return a.Username
}

// Rehash is the hash that verified a password, and a new one to replace it; "" if the old one stays.
type Rehash struct{ Old, New string }

// Revocation returns the new SessionsFrom for a revocation now. It is the next millisecond, so that sessions of this
// instant are revoked, too: their order is unknown. If the clock is slow, it is after the last session that the account
// knows. It never moves back. If the clock is fast, it also revokes sessions that begin before the time that the clock
// showed.
func (a Account) Revocation(now Instant) Instant {
	last := max(now, a.CreatedAt)
	if a.LastLoginAt != nil {
		last = max(last, *a.LastLoginAt)
	}
	return max(last+1, a.SessionsFrom)
}

// Revoked reports whether the session of the record has been revoked.
func (a Account) Revoked(r RefreshRecord) bool { return r.IssuedAt() < a.SessionsFrom }

// NewAccount returns the active account and ranch of a valid registration, with random ids. It counts its first ledger
// row, StarterEntry, already.
func NewAccount(r Registration, now Instant) Account {
	return Account{
		User: User{
			ID: NewID(), Email: NormalizeEmail(r.Email), Username: r.Username, Status: UserActive, GoldBalance: StartingGold,
			MarketRestrictedUntil: now.Add(MarketRestriction), CreatedAt: now,
		},
		Ranch:     &Ranch{ID: NewID(), Name: r.RanchName, PlotCount: StartingPlots, MaxPlotCount: MaxPlots},
		LedgerSeq: 1,
	}
}

// NewExternalAccount returns an active account for an external sign-in, with a random id: without password, ranch, gold
// and ledger.
func NewExternalAccount(email, username string, now Instant) Account {
	return Account{User: User{
		ID: NewID(), Email: NormalizeEmail(email), Username: username, Status: UserActive, MarketRestrictedUntil: now.Add(MarketRestriction), CreatedAt: now,
	}}
}

// RefreshRecord is the stored record of a refresh token: its digest, never the token.
type RefreshRecord struct {
	ID        ID
	UserID    ID
	Digest    string // SHA-256 of the token, lower-case hex
	ExpiresAt Instant
}

// IssuedAt is when the refresh token was issued, to the millisecond.
func (r RefreshRecord) IssuedAt() Instant { return r.ExpiresAt.Add(-RefreshTokenLifetime) }

// LiveAt reports whether the record is still valid. At the instant of its expiry it is not. The record decides, not the
// token's own exp, which is in whole seconds and therefore up to 999 ms earlier.
func (r RefreshRecord) LiveAt(now Instant) bool { return now < r.ExpiresAt }
