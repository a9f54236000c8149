package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

// TestDocumentedCommands runs the commands of each page, in a scene of its own. None may be wrong usage: an unknown
// command or flag, a value out of range, a missing argument. All are allowed: those of the runbook by OnCall, the
// others by Operators. A span such as `show create --gates 9` may leave out other arguments.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		whole, parts := documentedCommands(string(text))
		if len(whole)+len(parts) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			x := newTranscript(t, nil)
			if filepath.Base(page) == "runbook.md" {
				x.tool = toolIn(t, x.Scene, "OnCall")
			}
			steps["fair"](x, []string{"10", "1"})
			for _, command := range append(whole, parts...) {
				said, wrong := x.wrongUsage(command)
				if wrong && slices.Contains(parts, command) {
					said, wrong = x.wrongUsage(x.completed(command))
				}
				assert.True(t, !wrong && !strings.Contains(said, "you lack the permission dynamodb:"), "%s\n%s", command, said)
			}
		})
	}
}

var (
	shellBlock   = regexp.MustCompile("(?s)```sh\n(.*?)```")
	anyBlock     = regexp.MustCompile("(?s)```.*?```")
	span         = regexp.MustCompile("`([^`]+)`")
	shellCommand = regexp.MustCompile(`(?:bin/ranchctl|go run \./infra/ranchctl) ((?:[^\s'"#|>)&;]|'[^']*'|"[^"]*"|[ \t])+)`)
	partCommand  = regexp.MustCompile(`^(?:ranchctl |(?:animal|gold|keys|ledger|season|show|table|user) )[a-z-]+(?: |$)`)
)

// documentedCommands returns the commands of a page without the program's name: whole ones, which begin with
// bin/ranchctl, and parts, which are spans in the text. It leaves out groups of commands.
func documentedCommands(page string) (whole, parts []string) {
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		for _, command := range shellCommand.FindAllStringSubmatch(block[1], -1) {
			whole = append(whole, strings.TrimSpace(command[1]))
		}
	}
	for _, found := range span.FindAllStringSubmatch(anyBlock.ReplaceAllString(page, ""), -1) {
		text := strings.Join(strings.Fields(found[1]), " ")
		if command := shellCommand.FindStringSubmatch(text); command != nil {
			whole = append(whole, command[1])
		} else if partCommand.MatchString(text) && text != "ranchctl keys" && text != "ranchctl show" {
			parts = append(parts, strings.TrimPrefix(text, "ranchctl "))
		}
	}
	return whole, parts
}

func TestDocumentedCommands_areFound(t *testing.T) {
	t.Parallel()
	whole, parts := documentedCommands("`bin/ranchctl` and `ranchctl keys` do it: `bin/ranchctl user ban ANN`, `ranchctl user\nunban`, `show create --gates 9`, `create ID`.\n" +
		"```\nbin/ranchctl no\n```\n```sh\nbin/ranchctl a --b \"c # d\" > e   # bin/f\nsource <(bin/ranchctl g h)\ntime go run ./infra/ranchctl i | j\nexport K=ranchctl\n```\n`table list`")
	storetest.Equal(t, "whole commands", whole, []string{`a --b "c # d"`, "g h", "i", "user ban ANN"})
	storetest.Equal(t, "parts", parts, []string{"user unban", "show create --gates 9", "table list"})
}

// standIns replaces the placeholders of pages by values of the scene.
func (x *transcript) standIns() *strings.Replacer {
	return strings.NewReplacer(
		"$COPY", x.Name, " ID", " "+string(x.Show.ID), "SHOW", string(x.Show.ID), "SEASON", string(x.Season.ID), "EMAIL", x.Ann.Email, "USER", string(x.Ann.ID), "KEY", "k1", "ANIMAL", string(x.Ann.Animals[0].ID),
	)
}

// wrongUsage runs a command, and returns its output and whether ranchctl took it as wrong usage.
func (x *transcript) wrongUsage(command string) (said string, wrong bool) {
	said = x.perform(words(x.standIns().Replace(command)), false)
	return said, strings.HasSuffix(said, "= 2\n")
}

// completed returns a command with the missing arguments added from the tables.
func (x *transcript) completed(command string) string {
	path, _, _ := strings.Cut(command, " -")
	switch {
	case path == "keys retire":
		return path + " k1" + strings.TrimPrefix(command, path)
	case changing[path] == nil && reading[path] == nil:
		return command
	}
	return "'" + strings.Join(x.command(path), "' '") + "'" + strings.TrimPrefix(command, path)
}
