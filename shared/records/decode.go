package records

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ranch-game/ranch/shared/table"
)

// ErrUnknownForm means that a row's key has the form of no record.
var ErrUnknownForm = errors.New("this program knows no record with such a key: " +
	"use a program of the table's version, or delete the row if it is foreign")

// forms are the forms of keys, and the items that have them. The first form that fits decides.
var forms = []struct {
	kind string   // the partition key, up to its first "#"
	sk   table.SK // the sort key, or its beginning if this ends in "#" or is empty
	as   form
}{
	{"EMAIL", "", as[ReservationItem]()},
	{"USERNAME", "", as[ReservationItem]()},
	{"USER", "PROFILE", as[UserItem]()},
	{"USER", AnimalPrefix, as[AnimalItem]()},
	{"USER", LedgerPrefix, as[LedgerItem]()},
	{"USER", SeasonPrefix, as[ParticipationItem]()},
	{"TOKEN", "", as[RefreshItem]()},
	{"SHOW", "SHOW", as[ShowItem]()},
	{"SHOW", EntryPrefix, as[EntryItem]()},
	{"SHOW", "SHEET", as[SheetItem]()},
	{"SHOW", PagePrefix, as[PageItem]()},
	{"SHOW", ClaimPrefix, as[ClaimItem]()},
	{"G", "", as[GateItem]()},
	{"BOARD", "", as[BoardItem]()},
	{"SEASON", "", as[SeasonItem]()},
	{"CHANGED", AnimalPrefix, as[table.Key]()},
	{"PENDING", pendingRefundsPrefix, as[PendingItem]()},
	{"PENDING", PendingNamesPrefix, as[PendingItem]()},
	{"JUDGED", SeasonPrefix, as[JudgedItem]()},
	{"STANDINGS", SeasonPrefix, as[StandingsItem]()},
	{"STANDINGS", PagePrefix, as[StandingsPageItem]()},
	{"STANDINGS", indexPrefix, as[StandingsIndexItem]()},
	{"STANDINGS", FoldedPrefix, as[FoldedItem]()},
	{"AUDIT", "HEAD", as[AuditHeadItem]()},
	{"AUDIT", "", as[AuditItem]()},
	{"LAYOUT", "", as[LayoutItem]()},
	{"KEYS", "", as[PublicKeysItem]()},
}

// form is a type of items: its attributes, and how a row becomes an item.
type form struct {
	attributes map[string]bool
	decode     func(table.Attributes) (any, error)
}

func as[Item any]() form {
	return form{attributesOf(reflect.TypeFor[Item]()), func(row table.Attributes) (any, error) {
		return table.Unmarshal[Item](row)
	}}
}

func attributesOf(item reflect.Type) map[string]bool {
	all := map[string]bool{}
	for _, field := range reflect.VisibleFields(item) {
		name, _, _ := strings.Cut(field.Tag.Get("dynamodbav"), ",")
		all[name] = true
	}
	return all
}

// Decode returns the key of a row of the table, and a pointer to its item, such as a *UserItem; for the note of a
// changed animal to its table.Key. The form of the key decides about the type. The error is ErrUnknownForm, or
// table.ErrDamaged, also if the row has an attribute that its item does not have.
func Decode(row table.Attributes) (table.Key, any, error) {
	key, err := table.Unmarshal[table.Key](row)
	if err != nil {
		return table.Key{}, nil, err
	}
	kind, _, _ := strings.Cut(string(key.PK), "#")
	for _, f := range forms {
		isPrefix := f.sk == "" || strings.HasSuffix(string(f.sk), "#")
		if f.kind != kind || f.sk != key.SK && !(isPrefix && strings.HasPrefix(string(key.SK), string(f.sk))) {
			continue
		}
		for name := range row {
			if !f.as.attributes[name] {
				return *key, nil, table.Damage(fmt.Sprintf("this program does not know the record's attribute %q", name))
			}
		}
		item, err := f.as.decode(row)
		return *key, item, err
	}
	return *key, nil, ErrUnknownForm
}
