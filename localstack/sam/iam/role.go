package iam

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Role is the set of a client's rights. It records which rights requests have needed. It is safe for concurrent use.
type Role struct {
	Name string // of the function or operator

	statements []samtemplate.Statement
	patterns   map[string]*regexp.Regexp // of the statements' keys
	mu         sync.Mutex
	needed     map[permission]bool
}

// permission is a right to an action. keys is the pattern of the partition keys for which it holds; "" means any key.
type permission struct{ action, keys string }

func (p permission) String() string {
	if p.keys == "" {
		return p.action
	}
	return p.action + " on " + p.keys
}

// NewRole returns a role with these statements. No request has needed its rights yet.
func NewRole(name string, statements []samtemplate.Statement) *Role {
	r := &Role{Name: name, statements: statements, patterns: map[string]*regexp.Regexp{}, needed: map[permission]bool{}}
	for _, s := range statements {
		for _, keys := range slices.Concat(s.LeadingKeys, s.Except) {
			r.patterns[keys] = pattern(keys)
		}
	}
	return r
}

// lacks returns a right that the request needs and the role does not give, or "" if the role allows the request. As in
// IAM, one statement must allow the action for all keys of the request; several statements do not add up. A statement
// that denies the action for any of the keys overrides all others.
func (r *Role) lacks(target string, body []byte) (string, error) {
	needs, err := needsOf(target, body)
	if err != nil {
		return "", err
	}
	for _, n := range needs {
		denied := slices.ContainsFunc(r.statements, func(s samtemplate.Statement) bool { return r.denies(s, n) })
		if denied || !slices.ContainsFunc(r.statements, func(s samtemplate.Statement) bool { return r.allows(s, n) }) {
			return n.String(), nil
		}
	}
	return "", nil
}

// allows reports whether a statement allows the need. If it does, allows records the used permissions (Unneeded).
func (r *Role) allows(s samtemplate.Statement, n need) bool {
	if s.Effect != "Allow" || !slices.Contains(s.Actions, n.action) {
		return false
	}
	if s.LeadingKeys == nil && s.Except == nil {
		r.remember(permission{action: n.action})
		return true
	}
	if len(n.keys) == 0 {
		return false // "Null": a request that names no key is not allowed
	}
	if s.Except != nil {
		if slices.ContainsFunc(n.keys, func(key string) bool { return r.matches(s.Except, key) }) {
			return false
		}
		r.remember(permission{action: n.action})
		return true
	}
	var used []permission
	for _, key := range n.keys {
		i := slices.IndexFunc(s.LeadingKeys, func(keys string) bool { return r.patterns[keys].MatchString(key) })
		if i < 0 {
			return false
		}
		used = append(used, permission{n.action, s.LeadingKeys[i]})
	}
	r.remember(used...)
	return true
}

func (r *Role) denies(s samtemplate.Statement, n need) bool {
	switch {
	case s.Effect != "Deny" || !slices.Contains(s.Actions, n.action):
		return false
	case s.Whole:
		return !n.selects
	case s.Attributes != nil:
		return slices.ContainsFunc(n.attributes, func(name string) bool { return slices.Contains(s.Attributes, name) })
	}
	return s.LeadingKeys == nil || slices.ContainsFunc(n.keys, func(key string) bool { return r.matches(s.LeadingKeys, key) })
}

func (r *Role) matches(patterns []string, key string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return r.patterns[p].MatchString(key) })
}

func (r *Role) remember(used ...permission) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range used {
		r.needed[p] = true
	}
}

// pattern returns the regular expression for a pattern of StringLike, in which * stands for any text. It does not
// support ? and variables, since no template here uses them.
func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*") + "$")
}

// Unneeded returns the rights on the table that no request has needed so far, each an action with a key pattern.
func (r *Role) Unneeded() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, s := range r.statements {
		for _, action := range s.Actions {
			if s.Effect != "Allow" || !strings.HasPrefix(action, dynamoDB) {
				continue
			}
			patterns := s.LeadingKeys
			if patterns == nil {
				patterns = []string{""}
			}
			for _, keys := range patterns {
				if p := (permission{action, keys}); !r.needed[p] {
					all = append(all, p.String())
				}
			}
		}
	}
	return all
}
