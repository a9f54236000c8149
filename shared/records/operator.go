package records

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// AuditItem is the stored record of an operator's change.
type AuditItem struct {
	table.Key
	By      string       `dynamodbav:"by"`
	At      game.Instant `dynamodbav:"at"`
	Written game.Instant `dynamodbav:"wr,omitempty"` // 0 in records older than this field
	Action  string       `dynamodbav:"ac"`
	Subject string       `dynamodbav:"sb"`
	Before  string       `dynamodbav:"be,omitempty"` // JSON
	After   string       `dynamodbav:"af,omitempty"` // JSON
	Reason  string       `dynamodbav:"rs,omitempty"`

	// The record's place in the chain.
	Number   int64  `dynamodbav:"nu"`
	Previous string `dynamodbav:"pd,omitempty"` // absent in the first record
	Digest   string `dynamodbav:"d"`
}

// AuditHeadItem is the head of the chain of audit records.
type AuditHeadItem struct {
	table.Key
	Number int64        `dynamodbav:"nu"`
	Digest string       `dynamodbav:"d"`
	Latest game.Instant `dynamodbav:"at,omitempty"` // of all records; 0 in a head that is older than this field
}

// HeadAsRead is the condition that the head of the chain has this digest; "" means that there is no head.
func HeadAsRead(digest string) table.Condition {
	if digest == "" {
		return table.Absent
	}
	return table.Equals("d", table.Str(digest))
}

// Sum returns the SHA-256, in base64url, of a JSON array of all fields of the record except the digest.
func (i *AuditItem) Sum() string {
	text, err := json.Marshal([]any{i.SK, i.By, i.At, i.Written, i.Action, i.Subject, i.Before, i.After, i.Reason, i.Number, i.Previous})
	if err != nil {
		panic(err) // texts and numbers can always be marshalled
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// PendingItem is the note that a change has begun work which needs more than one transaction. The change's
// transaction writes it, or an audit that finds it missing (see NoteRefunds). The end of the work deletes it.
type PendingItem struct {
	table.Key
	Since   game.Instant `dynamodbav:"si"`           // when the change was begun, or when the audit wrote the note
	Renamed int64        `dynamodbav:"uc,omitempty"` // for names: the user's Changes after the change
}

// NotedAt is the condition that the note was written at this instant.
func NotedAt(since game.Instant) table.Condition { return table.Equals("si", table.Number(since)) }

// NotedFor is the condition that the note is of the user's change with the number.
func NotedFor(renamed int64) table.Condition { return table.Equals("uc", table.Number(renamed)) }

// PublicKeysItem is the only record of its kind.
type PublicKeysItem struct {
	table.Key
	Secret  string            `dynamodbav:"s"`
	Written int64             `dynamodbav:"w"`
	Keys    map[string]string `dynamodbav:"k"`
}

// NoLaterKeys is the condition that the table has no later version of the same secret's keys.
func (i PublicKeysItem) NoLaterKeys() table.Condition {
	return table.If("attribute_not_exists(PK) OR s <> :secret OR w <= :written", table.Attributes{":secret": table.Str(i.Secret), ":written": table.Number(i.Written)})
}

// Layout is the number of the layout (the form of keys and records) that this program reads and writes. A change of the
// layout raises it if older programs would misread the table (docs/adr/0011-the-layouts-number.md). Since layout 7,
// judgings write notes for the standings.
const Layout = 7

// LayoutItem holds the number of the table's layout. The first season writes it. So a table without it has no season
// and no show, and CheckLayout accepts it.
type LayoutItem struct {
	table.Key
	Number int64 `dynamodbav:"ln"`
}

// NoOtherLayout is the condition that the table has this layout or none.
func NoOtherLayout() table.Condition {
	return table.If("attribute_not_exists(PK) OR ln = :layout", table.Attributes{":layout": table.Number(Layout)})
}
