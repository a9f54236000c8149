package operate_test

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// lastInstant is the last instant that fits into keys: 9999-12-31T23:59:59.999Z.
const lastInstant = 253_402_300_799_999

// FuzzChange: the id of a change contains its instant, sorts by it, and can be read back. Other texts cannot.
func FuzzChange(f *testing.F) {
	f.Add("01a1f84a-95c0-7241-9aa4-3de1c2f096fd", int64(1_795_167_000_000), int64(1_795_167_000_001))
	f.Add("01A1F84A-95C0-7241-9AA4-3DE1C2F096FD", int64(0), int64(lastInstant))
	f.Add("01a1f84a-95c0-4241-9aa4-3de1c2f096fd", int64(-1), int64(1))
	f.Add("", int64(0), int64(0))
	instant := func(ms int64) game.Instant { return game.Instant(uint64(ms) % (lastInstant + 1)) }
	f.Fuzz(func(t *testing.T, text string, at, other int64) {
		if c, ok := operate.ParseChange(text); ok {
			id, isID := game.ParseID(text)
			assert.True(t, isID && c.ID == id && id[14] == '7' && c.At >= 0 && c.By == "" && c.Reason == "",
				"%q is the change %+v", text, c)
		} else if id, isID := game.ParseID(text); isID && id[14] == '7' {
			t.Errorf("%q is no change", text)
		}
		a, b := operate.NewChange("by", "why", instant(at)), operate.NewChange("by", "why", instant(other))
		parsed, ok := operate.ParseChange(string(a.ID))
		assert.True(t, ok && parsed.ID == a.ID && parsed.At == a.At && parsed.At == instant(at),
			"%+v is read back as %+v, %t", a, parsed, ok)
		assert.True(t, a.At == b.At || cmp.Compare(a.ID, b.ID) == cmp.Compare(a.At, b.At), "%+v and %+v sort otherwise", a, b)
		month := records.AuditKey(a.ID).PK
		assert.True(t, month == table.PK("AUDIT#"+a.At.Time().Format("2006-01")) && month == records.AuditPK(a.At.Time().In(time.FixedZone("", 12*60*60))),
			"%+v is among %q", a, month)
	})
}
