package game

import "time"

// A new account begins with these values (docs/rules.md, S2.1, S2.2 and S8).
const (
	StartingGold         = 500
	StartingPlots        = 4
	MaxPlots             = 20
	MarketRestriction    = 7 * 24 * time.Hour
	RefreshTokenLifetime = 30 * 24 * time.Hour // of the token's record, exact to the millisecond
)

// UserStatus is the state of an account.
type UserStatus string

// These are the states of an account. A banned user keeps all records, but cannot log in or change anything. The record
// of a deleted user has no e-mail address, username or ranch, only what other records need.
const (
	UserActive  UserStatus = "active"
	UserBanned  UserStatus = "banned"
	UserDeleted UserStatus = "deleted"
)

// DeletedPlayer replaces the username of a deleted user. No player can register the name, because it has a space.
const DeletedPlayer = "deleted player"

// User is an account in the form in which the API shows it.
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

// Ranch is a user's ranch in the form in which the API shows it.
type Ranch struct {
	ID            ID     `json:"id"`
	Name          string `json:"name"`
	PlotCount     int    `json:"plotCount"`
	MaxPlotCount  int    `json:"-"` // internal: docs/rules.md, S2.2.1
	PrestigeLevel int    `json:"prestigeLevel"`
}

// Account is a user with further data that most answers do not show. It has no password hash: the record of the e-mail
// address holds the hash, and only log-ins read that record.
type Account struct {
	User
	LastLoginAt  *Instant
	Ranch        *Ranch  // nil for an account made through an external sign-in
	LedgerSeq    int64   // number of the last ledger row; 0 without a row
	SessionsFrom Instant // sessions that began before this instant are revoked; 0 if none are
	// Changes counts how often the status, a name or the password was set. The count reveals a change even if a later
	// change restored the old value.
	Changes int64
	// PasswordChanges counts how often the password was replaced. A hash is the account's only if it has the same count.
	PasswordChanges int64
}

// ShownName returns the name that lists of entries show: the username, or DeletedPlayer for a deleted user.
func (a Account) ShownName() string {
	if a.Status == UserDeleted {
		return DeletedPlayer
	}
	return a.Username
}

// Rehash holds the hash that verified a password, and a new hash to replace it. New is "" if the old hash stays.
type Rehash struct{ Old, New string }

// Revocation returns the SessionsFrom that revokes all sessions up to now. That instant is at least a millisecond after
// now, because a session of the same millisecond may be older. It is also after the registration and the last login, in
// case the clock is slow, and after the old SessionsFrom, at which a change of the password may have begun a session.
// If the clock is fast, SessionsFrom also revokes new sessions until the true time reaches it or, if LockedOut, until the
// next log-in.
func (a Account) Revocation(now Instant) Instant {
	last := max(now, a.CreatedAt)
	if a.LastLoginAt != nil {
		last = max(last, *a.LastLoginAt)
	}
	return max(last, a.SessionsFrom) + 1
}

// LockedOut reports whether SessionsFrom is more than a minute after now, because the clock of a revocation was fast.
func (a Account) LockedOut(now Instant) bool { return a.SessionsFrom > now.Add(time.Minute) }

// Revoked reports whether the session of the refresh record r has been revoked.
func (a Account) Revoked(r RefreshRecord) bool { return r.IssuedAt() < a.SessionsFrom }

// NewAccount returns the active account and ranch of a valid registration, with random ids. The account's balance and
// LedgerSeq already include the first ledger row, which StarterEntry returns.
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

// NewExternalAccount returns an active account for an external sign-in, with a random id, without ranch, gold or
// ledger.
func NewExternalAccount(email, username string, now Instant) Account {
	return Account{User: User{
		ID: NewID(), Email: NormalizeEmail(email), Username: username, Status: UserActive, MarketRestrictedUntil: now.Add(MarketRestriction), CreatedAt: now,
	}}
}

// RefreshRecord is the stored record of a refresh token. It has the token's digest, never the token.
type RefreshRecord struct {
	ID        ID
	UserID    ID
	Digest    string // SHA-256 of the token, lower-case hex
	ExpiresAt Instant
}

// IssuedAt returns the instant at which the record's session began, to the millisecond.
func (r RefreshRecord) IssuedAt() Instant { return r.ExpiresAt.Add(-RefreshTokenLifetime) }

// From returns the record of the same token for a session that begins at another instant.
func (r RefreshRecord) From(begin Instant) RefreshRecord {
	r.ExpiresAt = begin.Add(RefreshTokenLifetime)
	return r
}

// LiveAt reports whether the record is valid at now: it is valid before ExpiresAt. The expiry time in the token itself
// (exp) does not decide. It has whole seconds, and so is up to 999 ms earlier.
func (r RefreshRecord) LiveAt(now Instant) bool { return now < r.ExpiresAt }
