package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// auditActions are the actions that records may have.
var auditActions = []string{
	"create season", "activate season", "deactivate season", "recount standings", "create show", "set show", "judge show", "cancel show", "repair show",
	"create user", "set user", "reset password", "ban", "unban", "revoke sessions", "delete user", "adjust gold", "set gold from ledger", "change animal",
}

// auditFilter selects records of changes.
type auditFilter struct {
	subject, by, action string
	named               []string // what subjectsNamed returns for subject
}

func newAudit(a *app) *cobra.Command {
	var since, until string
	var filter auditFilter
	c := &cobra.Command{Use: "audit [--since TIME] [--until TIME] [--subject TEXT] [--by TEXT] [--action ACTION]",
		Example: "  ranchctl audit --since -7d --subject ann@example.com\n  ranchctl audit --action 'adjust gold' -o csv",
		Short:   "List what operators have changed, oldest first: who, when, what and why",
		RunE: a.parsing(func([]string) (reader, error) {
			from, err := a.instant("since", since)
			if err != nil {
				return nil, err
			}
			to := game.Instant(0)
			if until != "" {
				if to, err = a.instant("until", until); err != nil {
					return nil, err
				}
			}
			if err := oneOf("--action", filter.action, auditActions...); filter.action != "" && err != nil {
				return nil, err
			}
			if until != "" && from >= to {
				return nil, usagef("--since must come before --until")
			}
			filter.subject = strings.TrimSpace(filter.subject)
			return func(ctx context.Context, s operate.Desk) error {
				if filter.named, err = a.subjectsNamed(ctx, s, filter.subject); err != nil {
					return err
				}
				records, err := s.Audit(ctx, from, to)
				if err != nil {
					return err
				}
				return auditRecords.list(a)(slices.DeleteFunc(records, func(r operate.AuditRecord) bool { return !filter.matches(r) }), nil)
			}, nil
		})}
	f := c.Flags()
	f.StringVar(&since, "since", "-30d", "list changes from this time on")
	f.StringVar(&until, "until", "", "list changes before this time")
	f.StringVar(&filter.subject, "subject", "", "only changes of this user with the animals (e-mail address, username or id), show or season (name or id)")
	f.StringVar(&filter.by, "by", "", "only changes by operators whose identity contains this text, such as an AWS user's name")
	f.StringVar(&filter.action, "action", "", "only changes of this kind: "+strings.Join(auditActions, ", "))
	complete(c, "action", auditActions)
	c.AddCommand(newAuditVerify(a))
	return c
}

func newAuditVerify(a *app) *cobra.Command {
	var noted string
	c := &cobra.Command{Use: "verify [--noted NUMBER:DIGEST]", Example: "  ranchctl audit verify",
		Short: "Check that no record was removed, altered or inserted, and none is of the future",
		Long: `Check that no record of a change was removed, altered or inserted, and that none is of the future. Each record has a number, its own digest and the digest
of the record before it. The head of the chain has the number and digest of the last one. It names each record that is
missing or wrong. Exit code 1: there is at least one.

It prints the head as NUMBER:DIGEST. An operator who can write to the table can rewrite the chain from some record on. So
note the head in a place that they cannot write to, and give it as --noted in later checks. That record's digest must never
change.`}
	c.Flags().StringVar(&noted, "noted", "", "a head that an earlier check has printed")
	c.RunE = a.patiently(func(ctx context.Context, s operate.Desk) error { return a.verifyAudit(ctx, s, noted) })
	return c
}

// auditChain is what 'audit verify' prints as JSON.
type auditChain struct {
	Records  int                    `json:"records"`
	Head     string                 `json:"head"` // the last record's number and digest
	Problems []operate.ChainProblem `json:"problems"`
}

var chainProblems = listing[operate.ChainProblem]{"NUMBER CHANGE PROBLEM", func(p operate.ChainProblem) []any {
	return []any{p.Number, orAbsent(string(p.Change)), p.What}
}}

func (a *app) verifyAudit(ctx context.Context, s operate.Desk, noted string) error {
	number, digest, err := parseHead(noted)
	if err != nil {
		return err
	}
	chain, err := s.VerifyAudit(ctx, a.now())
	if err != nil {
		return err
	}
	problems := append([]operate.ChainProblem{}, chain.Problems...)
	if got := chain.Digests[number]; noted != "" && got != digest {
		problems = append(problems, operate.ChainProblem{Number: number, What: "the record does not have the noted digest: the chain was rewritten, or cut off"})
	}
	var wrong error
	if len(problems) > 0 {
		wrong = fmt.Errorf("problems of the records of changes: %d", len(problems))
	}
	head := fmt.Sprintf("%d:%s", chain.Head.Number, chain.Head.Digest)
	if a.format == "json" {
		return cmp.Or(a.printJSON(auditChain{chain.Records, head, problems}), wrong)
	}
	return chainProblems.report(a, problems, fmt.Sprintf("%d records are right. The head is %s", chain.Records, head), wrong)
}

// parseHead parses a head as verifyAudit prints it. For "" it returns the number 0.
func parseHead(text string) (number int64, digest string, err error) {
	if text == "" {
		return 0, "", nil
	}
	before, digest, ok := strings.Cut(text, ":")
	number, err = strconv.ParseInt(before, 10, 64)
	if err != nil || !ok || number < 1 || digest == "" {
		return 0, "", usagef("--noted %q: must be a head, such as 17:Zm9v...", text)
	}
	return number, digest, nil
}

// subjectsNamed returns the subjects of records about the users (and their animals), shows and seasons with this name,
// ignoring case. It looks names up, because records have no names of users. If it finds no subject, it returns an
// error, unless the name's last word is an id, such as an animal's.
func (a *app) subjectsNamed(ctx context.Context, s operate.Desk, name string) (subjects []string, err error) {
	if name == "" {
		return nil, nil
	}
	var users []game.Account
	if checkUserName(name) == nil {
		if users, err = s.AccountsByUsername(ctx, name); err != nil {
			return nil, err
		}
		user, err := a.findUser(ctx, s, name)
		switch {
		case user != nil:
			users = append(users, *user)
		case !errors.Is(err, store.ErrUnknownUser) && len(users) == 0:
			return nil, err
		}
	}
	for _, user := range users {
		animals, err := s.Animals(ctx, user.ID)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, subjectsOf(user.ID, animals)...)
	}
	shows, err := s.AllShows(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, show := range shows {
		if strings.EqualFold(show.Name, name) {
			subjects = append(subjects, "show "+string(show.ID))
		}
	}
	seasons, err := s.Seasons(ctx)
	for _, season := range seasons {
		if strings.EqualFold(season.Name, name) {
			subjects = append(subjects, "season "+string(season.ID))
		}
	}
	if _, isID := game.ParseID(name[strings.LastIndex(name, " ")+1:]); err == nil && !isID && len(subjects) == 0 {
		return nil, fmt.Errorf("no user, show or season has the name %q now: give its id, or %s", name, a.similar(name))
	}
	return subjects, err
}

func (f auditFilter) matches(r operate.AuditRecord) bool {
	about := f.subject == "" || slices.Contains(f.named, r.Subject) || strings.HasSuffix(" "+r.Subject, " "+strings.ToLower(f.subject))
	return about && strings.Contains(strings.ToLower(r.By), strings.ToLower(f.by)) && (f.action == "" || strings.EqualFold(r.Action, f.action))
}

var auditRecords = listing[operate.AuditRecord]{"TIME BY ACTION SUBJECT CHANGE REASON", func(r operate.AuditRecord) []any {
	return []any{r.At, r.By, r.Action, r.Subject, orAbsent(r.Difference()), orAbsent(r.Reason)}
}}
