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
		names := map[game.ID]string{}
		switch {
		case err != nil:
		case argument == "SHOW", argument == "ID":
			names, err = namesOfAll(ctx, s, c.Parent().Name())
		case argument == "USER", strings.HasPrefix(argument, "EMAIL|"):
			var found []game.Account
			found, _, err = s.FindAccounts(ctx, typed, mostShown)
			for _, user := range found {
				names[user.ID] = user.Username
			}
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var fitting []string
		for id, name := range names {
			if typed != "" && strings.HasPrefix(strings.ToLower(name), strings.ToLower(typed)) {
				fitting = append(fitting, terminal.Visible(name)+"\t"+string(id))
			} else if strings.HasPrefix(string(id), typed) {
				fitting = append(fitting, string(id)+"\t"+terminal.Visible(name))
			}
		}
		slices.Sort(fitting)
		return fitting, cobra.ShellCompDirectiveNoFileComp
	}
}

// namesOfAll returns the names of all shows or seasons.
func namesOfAll(ctx context.Context, s operate.Desk, what string) (map[game.ID]string, error) {
	names := map[game.ID]string{}
	if what == "season" {
		seasons, err := s.Seasons(ctx)
		for _, season := range seasons {
			names[season.ID] = season.Name
		}
		return names, err
	}
	shows, err := s.AllShows(ctx, "")
	for _, show := range shows {
		names[show.ID] = show.Name
	}
	return names, err
}
