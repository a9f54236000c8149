package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// completionPatience bounds how long a shell waits for the table.
const completionPatience = 3 * time.Second

// complete lets shells complete the values of a flag.
func complete(c *cobra.Command, flag string, values []string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // a flag that was not defined
	}
}

// completeArguments lets shells complete a command's arguments that are shows, seasons or users, by id and name. Users
// need the first three characters.
func (a *app) completeArguments(c *cobra.Command) {
	c.ValidArgsFunction = func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		argument := ""
		if words := strings.Fields(c.Use); len(args)+1 < len(words) {
			argument = strings.Trim(words[len(args)+1], "()[]")
		}
		ctx, cancel := context.WithTimeout(c.Context(), completionPatience)
		defer cancel()
		s, err := a.store(ctx)
		var candidates []candidate
		switch {
		case err != nil:
		case argument == "SHOW", argument == "ID":
			candidates, err = allCandidates(ctx, s, c.Parent().Name())
		case argument == "USER", strings.HasPrefix(argument, "EMAIL|"):
			var found []game.Account
			found, _, err = s.FindAccounts(ctx, typed, mostShown)
			for _, user := range found {
				candidates = append(candidates, candidate{user.ID, user.Username})
			}
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var fitting []string
		for _, t := range candidates {
			if typed != "" && strings.HasPrefix(strings.ToLower(t.name), strings.ToLower(typed)) {
				fitting = append(fitting, terminal.Visible(t.name)+"\t"+string(t.id))
			} else if strings.HasPrefix(string(t.id), typed) {
				fitting = append(fitting, string(t.id)+"\t"+terminal.Visible(t.name))
			}
		}
		slices.Sort(fitting)
		return fitting, cobra.ShellCompDirectiveNoFileComp
	}
}

// candidate is a show, a season or a user that a typed argument may mean.
type candidate struct {
	id   game.ID
	name string
}

// allCandidates returns all seasons or shows, in the order of their lists.
func allCandidates(ctx context.Context, s operate.Desk, what string) (candidates []candidate, err error) {
	if what == "season" {
		seasons, err := s.Seasons(ctx)
		for _, season := range seasons {
			candidates = append(candidates, candidate{season.ID, season.Name})
		}
		return candidates, err
	}
	shows, err := s.AllShows(ctx, "")
	for _, show := range shows {
		candidates = append(candidates, candidate{show.ID, show.Name})
	}
	return candidates, err
}
