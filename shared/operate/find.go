package operate

import (
	"context"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// FindAccounts returns up to most accounts whose e-mail address or username begins with the text, ignoring case. First
// come those found by address, then those found by username, each once. more is true if there may be others. A text
// shorter than NamePrefix bytes finds nothing. Three round trips: 1 RCU for about 40 names, 1 for each account.
func (d Desk) FindAccounts(ctx context.Context, text string, most int) (found []game.Account, more bool, err error) {
	folded := strings.ToLower(text)
	if len(folded) < records.NamePrefix {
		return nil, false, nil
	}
	var users []game.ID
	for _, kind := range []string{"EMAIL#", "USERNAME#"} {
		these, left, err := d.namesFrom(ctx, table.Prefixed(records.NamePK(kind, folded), table.SK(folded)), most+1)
		if err != nil {
			return nil, false, err
		}
		users, more = append(users, these...), more || left
	}
	found, err = d.accountsOf(ctx, users)
	if len(found) > most {
		found, more = found[:most], true
	}
	return found, more, err
}

// AccountsByUsername returns the accounts with this username, ignoring case: several if their usernames differ only by
// case. Two round trips: 1 RCU, and 1 for each account.
func (d Desk) AccountsByUsername(ctx context.Context, username string) ([]game.Account, error) {
	folded := strings.ToLower(username)
	users, _, err := d.namesFrom(ctx, table.Prefixed(records.NamePK("USERNAME#", folded), table.SK(folded+"#")), 0)
	if err != nil {
		return nil, err
	}
	return d.accountsOf(ctx, users)
}

// namesFrom returns the users whose names the span reserves: the first most, or those of a page of 1 MB if most is 0.
// more is true if the span may have others.
func (d Desk) namesFrom(ctx context.Context, sp table.Span, most int) (users []game.ID, more bool, err error) {
	sp.Projection = records.ProjectUsers
	users, last, err := table.QueryPage(ctx, d.table, sp, "", int32(most), func(i *records.ReservationItem) game.ID { return i.User })
	return users, last != "", err
}

// accountsOf returns the accounts of the users, each once, in their order. It leaves out missing and deleted users.
func (d Desk) accountsOf(ctx context.Context, users []game.ID) ([]game.Account, error) {
	var keys []table.Key
	known := map[game.ID]bool{}
	for _, user := range users {
		if !known[user] {
			keys, known[user] = append(keys, records.UserKey(user)), true
		}
	}
	found, err := d.table.BatchGet(ctx, "", keys...)
	if err != nil {
		return nil, err
	}
	accounts := make([]game.Account, 0, len(keys))
	for _, k := range keys {
		item, err := table.In[records.UserItem](found, k)
		if err != nil {
			return nil, err
		}
		if account := item.Account(); !store.IsGone(account) {
			accounts = append(accounts, *account)
		}
	}
	return accounts, nil
}

// EachAccount calls visit with every account, even if it is deleted, in no particular order. If visit returns an error,
// EachAccount stops and returns it. It scans the whole table with strong consistency: 1 RCU for every 4 KB.
func (d Desk) EachAccount(ctx context.Context, visit func(game.Account) error) error {
	profiles := table.Filter{Items: records.Accounts(), Consistent: true}
	return d.table.EachPage(ctx, profiles, func(items []table.Attributes) error {
		for _, av := range items {
			item, err := table.Unmarshal[records.UserItem](av)
			if err != nil {
				return err
			}
			if err := visit(*item.Account()); err != nil {
				return err
			}
		}
		return nil
	})
}
