package records

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Records in tables have these attributes, besides their keys: a change of one needs a migration. Items omit attributes
// with a question mark if they are empty.
func TestAttributesArePinned(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		item any
		want string
	}{
		{ReservationItem{}, "u hp? pc?"},
		{UserItem{}, "em? un? st g pm pp mr ca ll? ls vf? uc? pc? r?"},
		{ranchItem{}, "id na p m l"},
		{AnimalItem{}, "rh na br sx bo sg st rt co he di? ph? ge? ch?"},
		{LedgerItem{}, "id seq am ba de ca? cu ct ref?"},
		{LedgerFields{}, "id seq am ba de ca?"},
		{ParticipationItem{}, "an ca fr? rr?"},
		{RefreshItem{}, "id u ex ttl"},
		{ShowItem{}, "id na ti fe cl ju? st se gn n? tm? jd? jb? vd? sh? re? rn? rf? lb? lu?"},
		{BoardItem{}, "id na ti fe cl ju? st se gn n?"},
		{GateItem{}, "n tm?"},
		{EntryItem{}, "wc u un an br rt ca co? he? ph?"},
		{SheetItem{}, "re?"},
		{PageItem{}, "en us ki"},
		{ClaimItem{}, "pl? wc u rk? pr? cd"},
		{SeasonItem{}, "id na sd ed av"},
		{PendingItem{}, "si uc?"},
		{AuditItem{}, "by at wr? ac sb be? af? rs? nu pd? d"},
		{AuditHeadItem{}, "nu d at?"},
		{PublicKeysItem{}, "s w k"},
		{LayoutItem{}, "ln"},
		{JudgedItem{}, "ju"},
		{StandingsItem{}, "sn? sl? fb? ao? py? hd,binaryset? rd,binaryset? rm,binaryset?"},
		{StandingsPageItem{}, "sn fk rw"},
		{StandingsIndexItem{}, "sn ix?"},
		{FoldedItem{}, "sn fo"},
	} {
		var got []string
		for _, field := range reflect.VisibleFields(reflect.TypeOf(c.item)) {
			if tag := field.Tag.Get("dynamodbav"); tag != "" && tag != "PK" && tag != "SK" {
				got = append(got, strings.Replace(tag, ",omitempty", "?", 1))
			}
		}
		assert.Equal(t, c.want, strings.Join(got, " "), "%T", c.item)
	}
}
