package game

import "time"

// What a registration starts with (docs/rules.md, S2.1, S2.2 and S8).
const (
	StartingGold         = 500
	StartingPlots        = 4
	MaxPlots             = 20
	MarketRestriction    = 7 * 24 * time.Hour
	RefreshTokenLifetime = 30 * 24 * time.Hour // of the record, to the millisecond
)

// UserStatus is the state of an account.
type UserStatus string

// The states of an account. A banned user keeps everything, but can change nothing. Of a deleted one there is only left
// what others' records and the ledger rest on, and nothing that names anybody: no e-mail address, username or ranch.
const (
	UserActive  UserStatus = "active"
	UserBanned  UserStatus = "banned"
	UserDeleted UserStatus = "deleted"
)

// DeletedPlayer is what stands for the username of a deleted user. It is no username: those have no spaces.
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

// Account is a user with all that belongs to it and is not shown with it everywhere. It has no password hash: that is
// kept with the e-mail address, which only log-ins read.
type Account struct {
	User
	LastLoginAt  *Instant
	Ranch        *Ranch  // nil for an account made through an external sign-in
	LedgerSeq    int64   // number of the last ledger row; 0 without one
	SessionsFrom Instant // sessions that began before it are revoked; 0: none are
	// StatusChanges is how often operators have set the status, a name or the password: what is as it was may have been
	// something else in between.
	StatusChanges int64
}

// ShownName is the name that the user's entries show.
func (a Account) ShownName() string {
	if a.Status == UserDeleted {
		return DeletedPlayer
	}
	return a.Username
}

// Rehash is the hash by which a password was verified, and a new one to take its place; "" if the old one stays.
type Rehash struct{ Old, New string }

// Revocation returns the new SessionsFrom for a revocation now: the next millisecond, so that sessions of this very
// instant are revoked, too. Their order is unknown. Where the clock that says now is slow, it lies after the last
// session that the account knows of. It never moves back: a clock that is ahead also revokes what begins until it is
// right.
func (a Account) Revocation(now Instant) Instant {
	last := max(now, a.CreatedAt)
	if a.LastLoginAt != nil {
		last = max(last, *a.LastLoginAt)
	}
	return max(last+1, a.SessionsFrom)
}

// Revoked reports whether the session that the record stands for has been revoked.
func (a Account) Revoked(r RefreshRecord) bool { return r.IssuedAt() < a.SessionsFrom }

// NewAccount returns the active account with its ranch that a valid registration makes, under fresh random ids. Its
// first ledger row, which it counts already, is StarterEntry.
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

// NewExternalAccount returns an active account as an external sign-in makes it, under a fresh random id: without
// password, ranch, gold and ledger.
func NewExternalAccount(email, username string, now Instant) Account {
	return Account{User: User{
		ID: NewID(), Email: NormalizeEmail(email), Username: username, Status: UserActive, MarketRestrictedUntil: now.Add(MarketRestriction), CreatedAt: now,
	}}
}

// RefreshRecord is what is kept of a refresh token: its digest, never itself.
type RefreshRecord struct {
	ID        ID
	UserID    ID
	Digest    string // SHA-256 of the token, lower-case hex
	ExpiresAt Instant
}

// IssuedAt is when the refresh token was issued, to the millisecond.
func (r RefreshRecord) IssuedAt() Instant { return r.ExpiresAt.Add(-RefreshTokenLifetime) }

// LiveAt reports whether the record is still good: at the very instant of its expiry it is not. The record decides, not
// the token's own exp, which is in whole seconds and so up to 999 ms earlier.
func (r RefreshRecord) LiveAt(now Instant) bool { return now < r.ExpiresAt }
