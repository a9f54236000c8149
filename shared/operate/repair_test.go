package operate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// scene is a table with one show of two gates. Its plans are made and applied without an engine.
type scene struct {
	*testing.T
	table.Batch
	show    game.Show
	verdict records.Verdict
}

func player(n int) game.ID    { return game.ID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", n)) }
func animal(n, i int) game.ID { return game.ID(fmt.Sprintf("%08x-0000-4000-8000-%012x", n, i+1)) }

// The keys of a scene's rows: animal(n, i) is player(n)'s.
func (s scene) item() table.Key                        { return records.ShowKey(s.show.ID) }
func (s scene) gate(n int) table.Key                   { return records.GateKey(s.show, n) }
func (s scene) page(n int) table.Key                   { return s.verdict.PageKey(n) }
func (s scene) receipt() table.Key                     { return s.verdict.ClaimKey(0) }
func (s scene) entry(n, i int) table.Key               { return records.EntryKey(s.show.ID, animal(n, i), 2) }
func (s scene) board(status game.ShowStatus) table.Key { return records.BoardKey(status, "", s.show) }
func (s scene) part(n, i int) table.Key {
	return records.ParticipationKey(player(n), s.show.SeasonID, s.show.ID, animal(n, i))
}

func (s scene) put(items ...any) {
	for _, item := range items {
		av, err := table.Marshal(item)
		require.NoError(s, err)
		k, err := table.Unmarshal[table.Key](av)
		require.NoError(s, err)
		s.Batch[*k] = av
	}
}

func (s scene) lose(keys ...table.Key) {
	for _, k := range keys {
		delete(s.Batch, k)
	}
}

// set sets an attribute of a row, which it creates if necessary. If the value is nil, it removes the attribute.
func (s scene) set(k table.Key, name string, value types.AttributeValue) {
	av := k.Attributes()
	maps.Copy(av, s.Batch[k])
	if av[name] = value; value == nil {
		delete(av, name)
	}
	s.Batch[k] = av
}

func newScene(t *testing.T, status game.ShowStatus, fee int64, entries ...int) scene {
	t.Helper()
	show := game.Show{ID: player(900), Name: "Fair", Tier: "rookie", EntryFee: fee, Status: status, SeasonID: player(901)}
	s := scene{t, table.Batch{}, show, records.Verdict{Show: show.ID, Id: "verdict"}}
	var all []records.EntryItem
	counts := make([]int64, 2)
	for n, number := range entries {
		account := game.Account{User: game.User{ID: player(n), Username: "Ann", Status: game.UserActive}}
		pay := func(row game.LedgerEntry) game.LedgerEntry {
			account.LedgerSeq, account.GoldBalance = row.Seq, row.BalanceAfter
			return row
		}
		s.put(records.NewLedgerItem(pay(game.StarterEntry(player(n), 1))))
		parts := make([]records.ParticipationItem, number)
		for i := range parts {
			counts[records.GateOf(animal(n, i), 2)]++
			e := records.EntryItem{Key: s.entry(n, i), Player: player(n), PlayerUsername: "Ann", AnimalName: "Bella"}
			all = append(all, e)
			parts[i] = records.ParticipationItem{Key: s.part(n, i), AnimalName: "Bella"}
			if fee > 0 {
				parts[i].Charge(pay(game.FeeEntry(account, show, 0)))
			}
			s.put(e, records.AnimalItem{Key: records.AnimalKey(player(n), animal(n, i)), Name: "Bella"})
		}
		for _, part := range parts {
			if fee > 0 && status == game.ShowCancelled {
				row := pay(game.RefundEntry(account, show, fee, 8))
				part.Refund = row.Seq
				s.put(records.NewLedgerItem(row))
			}
			s.put(part)
		}
		s.put(records.NewUserItem(account))
	}
	item := records.ShowItem{Key: s.item(), ShowFields: records.NewShowFields(show, 2, int64(len(all)))}
	switch status {
	case game.ShowOpen:
		item.Count = 0
		s.put(records.GateItem{Key: s.gate(0), Count: counts[0]}, records.GateItem{Key: s.gate(1), Count: counts[1]})
	case game.ShowCancelled:
		item.RefundedAt = 8
	case game.ShowCompleted:
		results, err := records.NewResults(s.verdict, all, ranked(all))
		require.NoError(t, err)
		item.VerdictID, item.Sheets, item.Results = s.verdict.Id, results.Sheets, results.Own
		s.put(results.Items...)
		s.put(records.ClaimItem{Key: s.receipt(), Player: ranked(all)[0].Player, Rank: 1})
	}
	s.put(item)
	for _, k := range (&showRows{item: &item}).boardKeys() {
		s.put(records.BoardItem{Key: k, ShowFields: item.ShowFields})
	}
	return s
}

func ranked(entries []records.EntryItem) (all []game.Contestant) {
	for _, e := range entries {
		all = append(all, game.Contestant{Animal: records.IdIn(e.SK), Player: e.Player, Entered: e.CreatedAt})
	}
	game.Rank(all)
	return all
}

// rows are what readRows reads.
func (s scene) rows() *showRows {
	item, err := table.In[records.ShowItem](s.Batch, s.item())
	require.NoError(s, err)
	r := &showRows{Traces{show: s.show.ID}, item, table.Batch{}, nil, map[game.ID][]game.LedgerEntry{}, nil}
	for _, k := range slices.SortedFunc(maps.Keys(s.Batch), compareKeys) {
		if row, is, _ := store.LedgerRow(k.SK, s.Batch[k]); is {
			r.ledgers[row.UserID] = append(r.ledgers[row.UserID], row)
		}
		others := k == s.item() || k.PK == records.PendingPK || strings.HasPrefix(string(k.PK), "USER#")
		isTrace := isParticipation(k) || !others
		if isTrace {
			r.traces.keys = append(r.traces.keys, k)
		}
		if item != nil && strings.HasPrefix(string(k.SK), string(records.EntryPrefix)) {
			e, err := table.In[records.EntryItem](s.Batch, k)
			require.NoError(s, err)
			r.entries = append(r.entries, *e)
		} else if item != nil || isTrace {
			r.found[k] = s.Batch[k]
		}
	}
	r.ranked = ranked(r.entries)
	return r
}

// repair plans and writes until nothing is to be done. It returns the texts of what was done, and of what is left.
func (s scene) repair() (done, left []string) {
	for range 10 {
		p, err := newPlan(s.rows(), 9)
		require.NoError(s, err)
		if len(p.fixes) == 0 {
			for _, r := range p.left {
				left = append(left, r.Record+": "+r.What)
			}
			return done, left
		}
		for _, f := range p.fixes {
			done = append(done, f.Record+": "+f.What)
			for _, w := range f.writes {
				if w.item != nil {
					s.put(w.item)
				} else if w.removes {
					s.lose(w.key)
				}
			}
		}
		if p.item != nil {
			s.put(p.show)
		}
	}
	s.Fatalf("the tenth plan has more to do: %v", done)
	return nil, nil
}

// clone returns a copy of the rows, without the random ids of entries and fees.
func (s scene) clone() table.Batch {
	rows := table.Batch{}
	for k, av := range s.Batch {
		rows[k] = maps.Clone(av)
		delete(rows[k], "wc")
		if fee, is := av["fr"].(*types.AttributeValueMemberM); is {
			of := maps.Clone(fee.Value)
			delete(of, "id")
			rows[k]["fr"] = &types.AttributeValueMemberM{Value: of}
		}
	}
	return rows
}

const open, completed, cancelled = game.ShowOpen, game.ShowCompleted, game.ShowCancelled

// A plan restores each row of a show as it was, but its item and receipts. A sound show needs nothing.
func TestAPlanRestoresEachRow(t *testing.T) {
	t.Parallel()
	for _, s := range []scene{
		newScene(t, open, 0, 2, 1), newScene(t, completed, 0, 2, 1), newScene(t, cancelled, 0, 2, 1),
		newScene(t, open, 50, 2, 1), newScene(t, completed, 50, 2, 1), newScene(t, cancelled, 50, 2, 1),
		newScene(t, completed, 0, slices.Repeat([]int{1}, 120)...), // with a sheet and two pages
	} {
		done, left := s.repair()
		assert.True(t, len(done)+len(left) == 0, "a sound show: %v, %v", done, left)
		sound := s.clone()
		keys := slices.DeleteFunc(s.rows().traces.keys, isClaim)
		assert.True(t, len(keys) >= 10, "%v", keys)
		for _, k := range keys {
			s.lose(k)
			done, left := s.repair()
			assert.True(t, len(done) == 1 && strings.HasPrefix(done[0], k.String()+": "), "%s: %v, %v", k, done, left)
			require.Equal(t, sound, s.clone(), "%s was missing", k)
		}
	}
}

// A plan corrects or removes wrong rows, and says so.
func TestAPlanCorrectsWrongRows(t *testing.T) {
	t.Parallel()
	seven, other := table.Number(7), table.Str("other")
	later := newScene(t, open, 50).show
	later.EntryClosesAt = 7000
	for name, c := range map[string]struct {
		status game.ShowStatus
		want   string
		wrong  func(s scene)
	}{
		"count of a gate":           {open, "from 7 to ", func(s scene) { s.set(s.gate(0), "n", seven) }},
		"terms of a gate":           {open, "set the count of gate 1 ", func(s scene) { s.set(s.gate(1), "tm", seven) }},
		"terms of a show":           {open, "set the count of gate 0 ", func(s scene) { s.set(s.item(), "tm", seven) }},
		"gate of another time":      {open, "removed a gate", func(s scene) { s.show = later; s.set(s.gate(0), "n", seven) }},
		"gate of a judged show":     {completed, "removed a gate", func(s scene) { s.set(s.gate(1), "n", seven) }},
		"gate of a cancelled show":  {cancelled, "removed a gate", func(s scene) { s.set(s.gate(1), "n", seven) }},
		"name on a board":           {open, "corrected the row", func(s scene) { s.set(s.board(""), "na", other) }},
		"count on a board":          {completed, "corrected the row", func(s scene) { s.set(s.board(""), "n", seven) }},
		"board of another status":   {completed, "removed the row", func(s scene) { s.set(s.board(open), "na", other) }},
		"board of another time":     {open, "removed the row", func(s scene) { s.show = later; s.set(s.board(""), "na", other) }},
		"count of a cancelled show": {cancelled, "counted 3 entries in place", func(s scene) { s.set(s.item(), "n", seven) }},
		"count of a judged show":    {completed, "counted 3 entries in place", func(s scene) { s.set(s.item(), "n", seven) }},
		"note of a judging":         {open, "removed the note", func(s scene) { s.put(records.JudgedItem{Key: records.JudgedKey(s.show.SeasonID, s.show.ID)}) }},
		"fee not given back":        {cancelled, "began the refunds", func(s scene) { s.set(s.part(0, 1), "rr", nil) }},
	} {
		s := newScene(t, c.status, 50, 2, 1)
		right := s.clone()
		c.wrong(s)
		done, left := s.repair()
		assert.True(t, len(done) > 0 && strings.Contains(done[0], c.want) && len(left) == 0, "%s: %v, %v", name, done, left)
		if name != "terms of a show" && name != "fee not given back" { // which stay, and change other rows
			assert.Equal(t, right, s.clone(), name)
		}
	}
}

// A plan names what it could only guess, and leaves it as it is.
func TestAPlanGuessesNothing(t *testing.T) {
	t.Parallel()
	user, anAnimal, three := records.UserKey(player(0)), records.AnimalKey(player(0), animal(0, 0)), table.Number(3)
	otherPage := table.Key{PK: newScene(t, completed, 0, 1).page(0).PK, SK: "CLAIM#000777"}
	older := func(s scene) { s.set(user, "ls", table.Number(1)) }
	for want, c := range map[string]struct {
		status game.ShowStatus
		damage func(s scene)
	}{
		"so is its user or its animal":   {open, func(s scene) { s.lose(s.entry(0, 0), anAnimal) }},
		"and so is its user or":          {open, func(s scene) { s.lose(s.entry(0, 0), user) }},
		"and so is the user":             {open, func(s scene) { s.lose(s.part(0, 0), user) }},
		"lacks the rows [2 3]":           {open, func(s scene) { s.lose(s.part(0, 0), s.part(0, 1)) }},
		"row 3 of the user's ledger has": {open, func(s scene) { s.lose(s.part(0, 1)); s.set(user, "g", three) }},
		"is older than the ledger":       {open, func(s scene) { s.lose(s.part(0, 0)); older(s) }},
		"the fee of 50 gold is not paid": {open, func(s scene) { s.lose(s.part(0, 0), s.part(0, 1)); older(s) }},
		"the animal's entry is user":     {open, func(s scene) { s.set(s.entry(0, 0), "u", table.Str(player(1))) }},
		"the results have other entries": {completed, func(s scene) { s.lose(s.entry(0, 0), s.part(0, 0)) }},
		"missing, also in the results":   {completed, func(s scene) { s.lose(s.entry(0, 0)); s.set(s.item(), "re", nil) }},
		"judged entries 2 exist":         {completed, func(s scene) { s.lose(s.page(0), s.entry(0, 0), s.part(0, 0)) }},
		"contradicts existing receipts":  {completed, func(s scene) { s.lose(s.page(0)); s.set(s.receipt(), "rk", three) }},
		"contradicts existing":           {completed, func(s scene) { s.lose(s.page(0)); s.set(s.item(), "re", nil) }},
		"belongs to other results":       {completed, func(s scene) { s.set(otherPage, "rk", three) }},
		"receipt, but the show is open":  {open, func(s scene) { s.set(s.receipt(), "rk", three) }},
	} {
		s := newScene(t, c.status, 50, 2, 1)
		c.damage(s)
		damaged := s.clone()
		_, left := s.repair()
		assert.Contains(t, strings.Join(left, "\n"), want)
		assert.Equal(t, damaged[user], s.clone()[user], "%s: gold moves", want)
	}
	s := newScene(t, completed, 0, slices.Repeat([]int{1}, 120)...)
	s.lose(s.page(1))
	s.set(s.page(0), "n", three)
	done, left := s.repair()
	assert.True(t, len(done) == 0 && len(left) == 1 && strings.Contains(left[0], "contradicts"), "%v, %v", done, left)
}

// One change restores at most one entry or fee of a user, whose row a transaction can check only once.
func TestAPlanRestoresOneEntryOfAUser(t *testing.T) {
	t.Parallel()
	s := newScene(t, open, 50, 2, 2)
	s.lose(s.entry(0, 0), s.entry(0, 1), s.entry(1, 0), s.part(1, 1))
	p, err := newPlan(s.rows(), 0)
	assert.True(t, err == nil && len(p.fixes) == 2, "%+v, %v", p.fixes, err)
	done, left := s.repair()
	assert.True(t, len(done) == 4 && len(left) == 0, "%v, %v", done, left)
}

// The show's item is restored from boards that agree. If it was completed, all records are named and stay.
func TestAPlanOfAMissingShow(t *testing.T) {
	t.Parallel()
	noBoards := func(s scene) { s.lose((&showRows{found: s.Batch}).keysOf(isBoard)...) }
	for name, c := range map[string]struct {
		status game.ShowStatus
		damage func(s scene)
	}{
		"completed":    {completed, func(s scene) { s.lose(s.receipt()) }},
		"other boards": {open, func(s scene) { s.set(s.board(""), "na", table.Str("other")) }},
		"no boards":    {open, noBoards},
		"receipts":     {open, func(s scene) { s.set(s.receipt(), "ra", table.Number(3)) }},
		"nothing":      {open, func(s scene) { clear(s.Batch) }},
	} {
		s := newScene(t, c.status, 50, 2, 1)
		s.lose(s.item())
		c.damage(s)
		p, err := newPlan(s.rows(), 9)
		assert.Equal(t, store.ErrUnknownShow, err, name)
		assert.True(t, len(p.fixes) == 0 && len(p.left) == len(p.traces.keys), "%s: %+v", name, p.left)
	}
	for _, status := range []game.ShowStatus{open, cancelled} {
		s := newScene(t, status, 50, 2, 1)
		sound := s.clone()
		s.lose(s.item())
		_, left := s.repair()
		note := records.PendingRefundsKey(s.show.ID)
		assert.True(t, len(left) == 0 && (s.Batch[note] != nil) == (status == cancelled), "%v", left)
		s.lose(note)
		delete(sound[s.item()], "rf") // the refunds begin again
		assert.Equal(t, sound, s.clone(), status)
	}
	s := newScene(t, open, 50)
	noBoards(s)
	s.lose(s.item())
	r := s.rows()
	p, err := newPlan(r, 9)
	assert.True(t, err == nil && len(p.fixes) == 2 && len(p.left) == 0, "only gates: %+v, %v", p, err)
	clear(r.found)
	p, err = newPlan(r, 9)
	assert.True(t, err == nil && len(p.fixes)+len(p.left) == 0, "all is removed: %+v, %v", p, err)
}

// An item that cannot be decoded is an error, without a plan.
func TestAPlanOfDamagedItems(t *testing.T) {
	t.Parallel()
	s := newScene(t, open, 50, 2, 1)
	for _, k := range s.rows().keysOf(func(k table.Key) bool { return isBoard(k) || isGate(k) }) {
		r := s.rows()
		r.found[k] = table.Attributes{"st": table.Boolean(true), "n": table.Boolean(true)}
		p, err := newPlan(r, 0)
		assert.True(t, err != nil && len(p.fixes)+len(p.left) == 0, "%s: %+v, %v", k, p.fixes, err)
	}
}
