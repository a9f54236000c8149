package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/infra/invariants"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/upkeep"
)

// outcome is what a caller knows about its call. An unknown call may have happened or may not.
type outcome string

const (
	done    outcome = "done"
	refused outcome = "refused"
	unknown outcome = "unknown"
)

// receipt is what a caller knows about one change.
type receipt struct {
	Call    string // for people
	Key     string // names the thing that the change makes, as in things
	Outcome outcome
}

func (r *round) record(call, key string, o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receipts = append(r.receipts, receipt{call, key, o})
}

// key returns the key of a thing: its kind and ids.
func key(kind string, ids ...any) string { return fmt.Sprintf("%s of %v", kind, ids) }

// things returns the keys of the things in a table that receipts name.
func things(rows []table.Attributes) map[string]bool {
	all := map[string]bool{}
	for _, row := range rows {
		k, item, _ := records.Decode(row) // a damaged row is a violation of an invariant
		switch item := item.(type) {
		case *records.UserItem:
			all[key("account", item.Email)] = true
		case *records.AuditItem:
			all[key("change", k.SK)] = true
		case *records.EntryItem:
			all[key("entry", records.IdIn(k.SK), item.Player, records.ShowIn(k.PK))] = true
		case *records.ClaimItem:
			all[key("prize", item.Player, records.ShowIn(k.PK))] = true
		case *records.ShowItem:
			if player, is := game.ParseID(item.JudgedBy); is { // not another judge's name
				all[key("judging", player, item.ID)] = true
			}
		}
	}
	return all
}

// compare returns the differences between receipts and the things that exist. An acknowledged change exists exactly
// once. A thing exists only if a call has made it, or may have made it.
func compare(receipts []receipt, exist map[string]bool) (violations []string) {
	acknowledged, possible := map[string]bool{}, map[string]bool{}
	for _, r := range receipts {
		possible[r.Key] = possible[r.Key] || r.Outcome != refused
		if r.Outcome != done {
			continue
		}
		if !exist[r.Key] {
			violations = append(violations, fmt.Sprintf("acknowledged, and missing: %s (%s)", r.Key, r.Call))
		}
		if acknowledged[r.Key] {
			violations = append(violations, fmt.Sprintf("acknowledged twice: %s (%s)", r.Key, r.Call))
		}
		acknowledged[r.Key] = true
	}
	for key := range exist {
		if !possible[key] {
			violations = append(violations, "exists, though every call that could make it was refused: "+key)
		}
	}
	return violations
}

// mostShown is the number of violations that a check shows. Further ones usually have the same cause.
const mostShown = 10

// check checks the table, the ledgers, the receipts and the functions' log. No call may be running. Violations are its
// error; it then leaves all receipts in a file.
func (r *round) check(ctx context.Context) error {
	rows, err := engine.Rows(ctx, r.Engine.Client(), stack.TableName)
	if err != nil {
		return err
	}
	violations := append(slices.Clone(r.complaints), compare(r.receipts, things(rows))...)
	for _, p := range invariants.Problems(rows) {
		violations = append(violations, p.String())
	}
	err = r.Store.AuditLedgers(ctx, func(a upkeep.LedgerAudit) error {
		for _, difference := range a.Differences {
			violations = append(violations, fmt.Sprintf("the ledger of %s: %s", a.User, difference))
		}
		return nil
	})
	r.figures.add("checks", 1)
	if err != nil || len(violations) == 0 {
		return err
	}
	file := filepath.Join(r.folder, fmt.Sprintf("changes-%d.json", os.Getpid()))
	text, err := json.MarshalIndent(r.receipts, "", " ")
	return errors.Join(err, os.WriteFile(file, text, 0o644), fmt.Errorf(
		"after %d calls, %d violations, such as:\n%s\nall changes, in the order of their ends: %s",
		r.plan.calls, len(violations), strings.Join(violations[:min(len(violations), mostShown)], "\n"), file,
	))
}
