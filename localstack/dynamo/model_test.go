package dynamo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

// model is a table with open commits, in memory. Its methods expect what a Front answers.
type model struct {
	stored  map[string]string // the engine's content, by "pk/sk"
	commits map[*visibility.Commit]*modelled
}

type modelled struct {
	before map[string]string // the old values of hidden items; "" if the item did not exist
	checks []string
}

// seen returns all items as a reader sees them now. The keys of the map are "pk/sk", the values "pk/sk=v".
func (m *model) seen() map[string]string {
	all := maps.Clone(m.stored)
	for _, c := range m.commits {
		for name, v := range c.before {
			if v == "" {
				delete(all, name)
			} else {
				all[name] = v
			}
		}
	}
	return all
}

func (m *model) holds(name string) bool {
	for _, c := range m.commits {
		if _, hidden := c.before[name]; hidden || slices.Contains(c.checks, name) {
			return true
		}
	}
	return false
}

func listed(all map[string]string, backward bool, match func(name string) bool) (list []string) {
	names := slices.Sorted(maps.Keys(all))
	if backward {
		slices.Reverse(names)
	}
	for _, name := range names {
		if match(name) {
			list = append(list, name+"="+all[name])
		}
	}
	return list
}

// TestModel compares the responses to plain writes, transactions, GetItem, BatchGetItem and Query with a model, during
// random transactions whose items become visible in random steps.
func TestModel(t *testing.T) {
	t.Parallel()
	f := withVisibility(t)
	var names []string
	for _, pk := range []string{"a", "b", "c"} {
		for _, sk := range []string{"1", "2", "3", "4"} {
			names = append(names, pk+"/"+sk)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		require.NoError(r, f.Undo(t.Context()))
		f.commits = nil
		m := &model{stored: map[string]string{}, commits: map[*visibility.Commit]*modelled{}}
		n := 0
		anyName := rapid.SampledFrom(names)
		pick := func() *visibility.Commit {
			open := slices.DeleteFunc(slices.Clone(f.commits), func(c *visibility.Commit) bool { return m.commits[c] == nil })
			if len(open) == 0 {
				r.Skip("no commit")
			}
			return rapid.SampledFrom(open).Draw(r, "commit")
		}
		r.Repeat(map[string]func(*rapid.T){
			"plain write": func(r *rapid.T) {
				name := anyName.Draw(r, "name")
				remove, held := rapid.Bool().Draw(r, "delete"), m.holds(name)
				write := f.putItem
				if remove {
					write = f.remove
				}
				err := write(t.Context(), name)
				require.True(r, (err != nil) == held && (err == nil || told(err) == "TransactionConflictException"),
					"%s: %v, held: %v", name, err, held)
				if !held && remove {
					delete(m.stored, name)
				} else if !held {
					m.stored[name] = "x"
				}
			},
			"transaction": func(r *rapid.T) {
				items := rapid.SliceOfNDistinct(anyName, 1, 5, rapid.ID).Draw(r, "items")
				var actions []string
				held := false
				c := &modelled{before: map[string]string{}}
				after := maps.Clone(m.stored)
				for _, name := range items {
					held = held || m.holds(name)
					n++
					kinds := []string{"=", "-"}
					if m.stored[name] != "" {
						kinds = append(kinds, "?")
					}
					switch rapid.SampledFrom(kinds).Draw(r, "kind") {
					case "?":
						actions = append(actions, "?"+name)
						c.checks = append(c.checks, name)
					case "-":
						actions = append(actions, "-"+name)
						c.before[name] = m.stored[name]
						delete(after, name)
					default:
						actions = append(actions, fmt.Sprintf("%s=%d", name, n))
						c.before[name] = m.stored[name]
						after[name] = fmt.Sprint(n)
					}
				}
				err := f.do(t.Context(), "", actions...)
				require.True(r, (err != nil) == held && (err == nil || strings.Contains(err.Error(), "TransactionConflict")),
					"%q: %v, held: %v", actions, err, held)
				if err == nil {
					m.stored, m.commits[f.last()] = after, c
				}
			},
			"show": func(r *rapid.T) {
				c := pick()
				if hidden := c.Hidden(); len(hidden) > 0 {
					k := rapid.SampledFrom(hidden).Draw(r, "item")
					require.NoError(r, c.Show(k))
					delete(m.commits[c].before, k.PK+"/"+k.SK)
				}
			},
			"end": func(r *rapid.T) {
				c := pick()
				require.NoError(r, c.End())
				delete(m.commits, c)
			},
			"see": func(r *rapid.T) {
				name := anyName.Draw(r, "name")
				f.sees = func(protocol.Key) bool { return true }
				got := f.get(t, name)
				f.sees = nil
				for _, c := range m.commits {
					delete(c.before, name)
				}
				want := strings.Join(listed(m.stored, false, func(o string) bool { return o == name }), "")
				require.Equal(r, want, got)
			},
			"read": func(r *rapid.T) {
				seen, limit := m.seen(), int32(rapid.IntRange(0, 5).Draw(r, "limit"))
				var got, want []string
				if rapid.Bool().Draw(r, "query") {
					pk, backward := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(r, "pk"), rapid.Bool().Draw(r, "backward")
					from, to := rapid.SampledFrom([]string{"1", "2"}).Draw(r, "from"), rapid.SampledFrom([]string{"3", "4"}).Draw(r, "to")
					got = f.query(t, pk, limit, between(from, to), func(in *dynamodb.QueryInput) { in.ScanIndexForward = aws.Bool(!backward) })
					want = listed(seen, backward, func(name string) bool { return name[:1] == pk && name[2:] >= from && name[2:] <= to })
				} else {
					got, _, _ = f.batchGet(t.Context(), names...)
					want = listed(seen, false, func(string) bool { return true })
				}
				require.True(r, slices.Equal(got, want), "got %q, want %q", got, want)
			},
		})
	})
}
