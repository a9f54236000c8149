package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func newUserList(a *app) *cobra.Command {
	var since string
	c := &cobra.Command{Use: "list [--since TIME]", Short: "List users by their creation; reads the whole table", Args: cobra.NoArgs,
		Long: `List users by their creation, deleted ones too. There is no order of users in the table, so that this reads all of it,
whatever --since says: 1 read unit for every 4 KB, of a table of 1 GB 262,144, which are 3 cents. Reports on stderr how
far it is.`,
		RunE: action(func(ctx context.Context, args []string) error {
			from := game.Instant(0)
			if since != "" {
				var err error
				if from, err = a.instant("since", since); err != nil {
					return err
				}
			}
			return a.patiently(func(ctx context.Context, s *store.Store, _ []string) error {
				found, seen := []userRecord{}, 0
				read := a.progress("users read")
				err := s.EachAccount(ctx, func(user game.Account) error {
					if user.CreatedAt >= from {
						found = append(found, newUserRecord(&user))
					}
					seen++
					read.at(seen, 0)
					return nil
				})
				read.end()
				if err != nil {
					return err
				}
				slices.SortFunc(found, func(x, y userRecord) int {
					return cmp.Or(cmp.Compare(x.CreatedAt, y.CreatedAt), cmp.Compare(x.ID, y.ID))
				})
				return users.list(a)(found, nil)
			})(ctx, args)
		})}
	c.Flags().StringVar(&since, "since", "", "only those created then or later")
	return c
}
