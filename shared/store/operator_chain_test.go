package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
)

// chain is a fair with five audit records: of a season, a show, a ban, an unban and an adjustment of gold.
type chain struct {
	fair
	*testing.T
	records []storetest.Row
	head    storetest.Row
}

func newChain(t *testing.T) chain {
	t.Helper()
	c := chain{fair: newFair(t, game.TierRookie, 0, 1), T: t}
	checkError(t, c.Operator().Ban(t.Context(), c.Ann.ID), nil)
	checkError(t, c.Operator().Unban(t.Context(), c.Ann.ID), nil)
	checkError(t, c.Operator().AdjustGold(t.Context(), c.Ann.ID, 25, "a gift"), nil)
	records := must(c.Audit(t.Context(), 0, c.Now+1_000))(t)
	slices.SortFunc(records, func(a, b operate.AuditRecord) int { return cmp.Compare(a.Link.Number, b.Link.Number) })
	for _, r := range records {
		c.records = append(c.records, c.At(store.AuditKey(r.ID)))
	}
	storetest.Equal(t, "records", len(records), 5)
	c.head = c.At("AUDIT", "HEAD")
	return c
}

// alter changes the reason of record n and, if forge is set, recomputes its digest.
func (c chain) alter(n int, forge bool) {
	item := c.records[n-1].Read(c)
	item["rs"] = &types.AttributeValueMemberS{Value: "another"}
	if forge {
		checkError(c.T, store.Forge(item), nil)
	}
	c.records[n-1].Restore(c, item)
}

// insert adds a copy of the adjustment under another id, with this number, as the successor of the record follows.
func (c chain) insert(number, follows int) {
	item := maps.Clone(c.records[4].Read(c))
	id := string(c.Change().ID)
	item["SK"], item["nu"] = &types.AttributeValueMemberS{Value: id}, &types.AttributeValueMemberN{Value: fmt.Sprint(number)}
	if follows > 0 {
		item["pd"] = c.records[follows-1].Read(c)["d"]
	}
	checkError(c.T, store.Forge(item), nil)
	if number == 0 {
		delete(item, "nu")
		delete(item, "pd")
		delete(item, "d")
	}
	pk := item["PK"].(*types.AttributeValueMemberS).Value
	c.At(pk, id).Restore(c, item)
}

// setBack restores the head after record n.
func (c chain) setBack(n int) {
	head := c.head.Read(c)
	head["nu"], head["d"] = &types.AttributeValueMemberN{Value: fmt.Sprint(n)}, c.records[n-1].Read(c)["d"]
	c.head.Restore(c, head)
}

// VerifyAudit finds deleted, altered and inserted records, and a head that was set back. No later record is rewritten.
func TestAuditForgeriesAreFound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		forge func(c chain)
		want  []string
	}{
		"nothing":           {func(chain) {}, nil},
		"a deleted ban":     {func(c chain) { c.records[2].Delete(c) }, []string{"3 the record is missing"}},
		"two deleted ones":  {func(c chain) { c.records[0].Delete(c); c.records[4].Delete(c) }, []string{"1 the record is missing", "5 the record is missing"}},
		"an altered record": {func(c chain) { c.alter(3, false) }, []string{"3 the record was altered: its digest does not match"}},
		"an altered one with its digest": {func(c chain) { c.alter(3, true) },
			[]string{"4 the record does not follow the one before: one of the two was altered or inserted"}},
		"the first one with its digest": {func(c chain) { c.alter(1, true) },
			[]string{"2 the record does not follow the one before: one of the two was altered or inserted"}},
		"the last one with its digest": {func(c chain) { c.alter(5, true) },
			[]string{"5 the head has another digest than the last record: one of the two was altered"}},
		"an invented adjustment": {func(c chain) { c.insert(6, 5) },
			[]string{"6 the record comes after the head, which is number 5: it was inserted, or the head was set back"}},
		"one in between": {func(c chain) { c.insert(3, 2) }, []string{"3 another record has the same number: one of the two was inserted"}},
		"one in the place of another": {func(c chain) { c.records[2].Delete(c); c.insert(3, 2) },
			[]string{"4 the record does not follow the one before: one of the two was altered or inserted"}},
		"another last one": {func(c chain) { c.insert(5, 4) }, []string{"5 another record has the same number: one of the two was inserted"}},
		"a first one that follows another": {func(c chain) {
			first := c.records[0].Read(c)
			first["pd"] = first["d"]
			checkError(c.T, store.Forge(first), nil)
			c.records[0].Restore(c, first)
		}, []string{
			"1 the record does not follow the one before: one of the two was altered or inserted",
			"2 the record does not follow the one before: one of the two was altered or inserted",
		}},
		"one without a number": {func(c chain) { c.insert(0, 0) }, []string{"0 the record is not part of the chain: it was inserted"}},
		"the last one with its digest, and a deleted one": {func(c chain) { c.alter(5, true); c.records[1].Delete(c) },
			[]string{"2 the record is missing", "5 the head has another digest than the last record: one of the two was altered"}},
		"the head set back": {func(c chain) { c.setBack(4) },
			[]string{"5 the record comes after the head, which is number 4: it was inserted, or the head was set back"}},
		"all that is new deleted": {func(c chain) { c.records[3].Delete(c); c.records[4].Delete(c) }, []string{"4 the record is missing", "5 the record is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChain(t)
			c.Edited()
			test.forge(c)
			verified := must(c.VerifyAudit(t.Context(), c.Now))(t)
			var got []string
			for _, p := range verified.Problems {
				got = append(got, fmt.Sprint(p.Number, " ", p.What))
				assert.Equal(t, (p.Change != ""), !strings.HasSuffix(p.What, "is missing") && !strings.HasPrefix(p.What, "the head"),
					"%+v is about no record, or names none", p)
			}
			storetest.Equal(t, "problems", got, test.want)
		})
	}
}

// Without a head that was noted elsewhere, VerifyAudit cannot find that the end of the chain was cut off. Nor can it
// find that all records from one on were rewritten, which requires no right to delete.
func TestChainsThatOnlyANotedHeadShows(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(c chain){
		"cut off": func(c chain) {
			c.records[4].Delete(c)
			c.setBack(4)
		},
		"written anew": func(c chain) {
			c.alter(3, true)
			for n := 4; n <= 5; n++ {
				item := c.records[n-1].Read(c)
				item["pd"] = c.records[n-2].Read(c)["d"]
				checkError(c.T, store.Forge(item), nil)
				c.records[n-1].Restore(c, item)
			}
			c.setBack(5)
		},
	} {
		c := newChain(t)
		before := must(c.VerifyAudit(t.Context(), c.Now))(t)
		assert.Equal(t, before.Head.Digest, before.Digests[before.Head.Number], "%s: before, %+v", name, before)
		c.Edited()
		forge(c)
		after := must(c.VerifyAudit(t.Context(), c.Now))(t)
		assert.True(t, len(after.Problems) == 0 && after.Digests[before.Head.Number] != before.Head.Digest,
			"%s: %+v, and the head was %+v", name, after, before.Head)
	}
}

// If an adjustment of gold has no record, or one of another user, amount or action, the invariants name its ledger row.
func TestAnAdjustmentHasItsRecord(t *testing.T) {
	t.Parallel()
	c := newChain(t)
	storetest.Equal(t, "problems", c.Problems(t), nil)
	c.Edited()
	_, row := store.LedgerKey(c.Ann.ID, 2)
	was := c.records[4].Read(t)
	for name, text := range map[string][2]string{
		"another user": {"sb", "user " + string(game.NewID())}, "another amount": {"af", `{"goldBalance":526,"ledgerRows":2}`}, "another change": {"ac", "ban"},
		"no states": {"be", ""}, "no record": {},
	} {
		item := maps.Clone(was)
		if item[text[0]] = (&types.AttributeValueMemberS{Value: text[1]}); text[0] != "" {
			c.records[4].Restore(t, item)
		} else {
			c.records[4].Delete(t)
		}
		problems := c.Problems(t)
		assert.True(t, len(problems) == 1 && string(problems[0].Record.SK) == row && problems[0].Text == "it is an adjustment, and no record says who has made it",
			"%v, %v", name, problems)
		c.records[4].Restore(t, was)
	}
}

// VerifyAudit reads a sound chain once, month by month, up to a month from now, since an operator's clock may be fast. It
// names the record of the future. It reads a chain that seems broken six times, with time in between for a change to become visible.
func TestHowOftenAChainIsRead(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	ahead := operate.NewChange("test", "", f.Now.Add(20*24*time.Hour))
	checkError(t, f.Desk.Operator(ahead).Ban(t.Context(), f.Ann.ID), nil)
	months := 0
	for at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(f.Now.Add(31 * 24 * time.Hour).Time()); at = at.AddDate(0, 1, 0) {
		months++
	}
	for looks, breaks := range []bool{false, true} {
		if breaks {
			f.Edited()
			f.At(store.AuditKey(ahead.ID)).Delete(t)
		}
		synctest.Test(t, func(t *testing.T) {
			in := f.inABubble(t)
			in.Wire.Reset()
			start := time.Now()
			chain := must(in.VerifyAudit(t.Context(), f.Now))(t)
			took, want := time.Since(start), time.Duration(5*looks)*300*time.Millisecond
			assert.True(t, took == want && len(chain.Problems) == 1 && chain.Problems[0].Number == 3, "it takes %v, want %v: %+v", took, want, chain)
			storetest.Equal(t, "requests", in.Wire.Cost().Requests, (1+5*looks)*(months+1))
		})
	}
}

// Simultaneous changes make one chain, also as the first ones of a table: no two of them follow the same record.
func TestChangesAtOnceMakeOneChain(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	create := func(by operate.Desk, name string) {
		account := game.NewExternalAccount(name+"@example.com", name, s.Now)
		checkError(t, by.Operator(s.Change()).CreateExternalAccount(t.Context(), account), nil)
	}
	for _, name := range []string{"first", "later"} {
		s.Meanwhile(func() { create(s.Rival, name+"_rival") })
		create(s.Desk, name)
	}
	chain := must(s.VerifyAudit(t.Context(), s.Now))(t)
	assert.True(t, chain.Records == 4 && chain.Head.Number == 4 && len(chain.Problems) == 0, "%+v", chain)
}
