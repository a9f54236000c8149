package main

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/shared/store"
)

// auditFilter is what an audit is asked for.
type auditFilter struct{ subject, by, action string }

func newAudit(a *app) *cobra.Command {
	var since, until string
	var filter auditFilter
	c := &cobra.Command{Use: "audit [--since TIME] [--until TIME] [--subject TEXT] [--by TEXT] [--action ACTION]", Args: cobra.NoArgs,
		Short: "List what operators have changed, oldest first: who, when, what and why",
		RunE: action(func(ctx context.Context, args []string) error {
			from, err := a.instant("since", since)
			if err != nil {
				return err
			}
			to, err := a.instant("until", until)
			if err != nil {
				return err
			}
			if from >= to {
				return usagef("--since must come before --until")
			}
			return a.with(func(ctx context.Context, s *store.Store, _ []string) error {
				records, err := s.Audit(ctx, from, to)
				if err != nil {
					return err
				}
				return auditRecords.list(a)(slices.DeleteFunc(records, func(r store.AuditRecord) bool { return !filter.matches(r) }), nil)
			})(ctx, args)
		})}
	f := c.Flags()
	f.StringVar(&since, "since", "-30d", "from when on")
	f.StringVar(&until, "until", "+1h", "until when; the default has changes of a clock that is a little ahead, too")
	f.StringVar(&filter.subject, "subject", "", "only what changed something like this, such as a user's id")
	f.StringVar(&filter.by, "by", "", "only what somebody like this has changed, such as the name of an AWS user")
	f.StringVar(&filter.action, "action", "", "only these changes, such as ban")
	return c
}

func (f auditFilter) matches(r store.AuditRecord) bool {
	has := func(text, part string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(part)) }
	return has(r.Subject, f.subject) && has(r.By, f.by) && (f.action == "" || strings.EqualFold(r.Action, f.action))
}

var auditRecords = table[store.AuditRecord]{"TIME BY ACTION SUBJECT CHANGE REASON", func(r store.AuditRecord) []any {
	return []any{r.At, r.By, r.Action, r.Subject, difference(r.Before, r.After), orAbsent(r.Reason)}
}}

// difference is what has changed: "status: active -> banned", "name: Cup" of what is new. Where the two are no objects,
// it is both of them.
func difference(before, after json.RawMessage) any {
	was, names, ok := fields(before, nil)
	is, names, also := fields(after, names)
	if !ok || !also {
		return text(before) + " -> " + text(after)
	}
	var parts []string
	for _, name := range names {
		switch old, now := text(was[name]), text(is[name]); {
		case old == now:
		case len(before) == 0:
			parts = append(parts, name+": "+now)
		default:
			parts = append(parts, name+": "+old+" -> "+now)
		}
	}
	if parts == nil {
		return absent
	}
	return strings.Join(parts, ", ")
}

// fields returns the values of an object, and the names so far with its own in their order. What is absent has none.
func fields(object json.RawMessage, names []string) (values map[string]json.RawMessage, all []string, ok bool) {
	if len(object) == 0 {
		return nil, names, true
	}
	if err := json.Unmarshal(object, &values); err != nil {
		return nil, names, false
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	_, _ = decoder.Token() // {: it has been read before
	for decoder.More() {
		name, _ := decoder.Token()
		if text, isName := name.(string); isName && !slices.Contains(names, text) {
			names = append(names, text)
		}
		var value json.RawMessage
		_ = decoder.Decode(&value)
	}
	return values, names, true
}

// text is a value as it is read: a string without its quotes, what is absent or null as a dash.
func text(value json.RawMessage) string {
	var s string
	switch {
	case len(value) == 0, string(value) == "null":
		return "-"
	case json.Unmarshal(value, &s) == nil:
		return s
	}
	return string(value)
}
