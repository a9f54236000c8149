package operate

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// Traces has the keys of all records of a show in the table, in order.
type Traces struct {
	show game.ID
	keys []table.Key
}

// TracesOf finds the records of a show for RepairShow. It scans the whole table once by eventually consistent reads:
// half an RCU for every 4 KB.
//
// The key of a gate has only the first seven bytes of the show's id. So TracesOf leaves out the gates of every other
// show whose id begins with these bytes, as ids that contain a time often do.
func (d Desk) TracesOf(ctx context.Context, show game.ID) (Traces, error) {
	id, item := uuid.MustParse(string(show)), records.ShowKey(show)
	gate := records.Sortable.EncodeToString(id[:records.GateID])
	filter := table.Filter{Items: records.TracesOf(show, gate), Projection: records.ProjectKeys}
	traces := Traces{show: show}
	var alike []game.ID
	err := d.table.EachPage(ctx, filter, func(rows []table.Attributes) error {
		for _, av := range rows {
			k, err := table.Unmarshal[table.Key](av)
			switch {
			case err != nil:
				return err
			case k.SK == item.SK && k.PK != item.PK:
				alike = append(alike, records.ShowIn(k.PK))
			case !isGate(*k) || strings.HasSuffix(string(k.SK[:len(k.SK)-1]), gate):
				traces.keys = append(traces.keys, *k)
			}
		}
		return nil
	})
	if err != nil {
		return Traces{}, err
	}
	for _, other := range alike {
		item, err := d.ShowItem(ctx, other)
		if err != nil {
			return Traces{}, err
		}
		if item != nil {
			theirs := records.GateKeys(item.Show(), item.Gates)
			traces.keys = slices.DeleteFunc(traces.keys, func(k table.Key) bool { return slices.Contains(theirs, k) })
		}
	}
	slices.SortFunc(traces.keys, compareKeys)
	return traces, nil
}

func compareKeys(a, b table.Key) int { return cmp.Or(cmp.Compare(a.PK, b.PK), cmp.Compare(a.SK, b.SK)) }

func isGate(k table.Key) bool  { return strings.HasPrefix(string(k.PK), "G#") }
func isBoard(k table.Key) bool { return strings.HasPrefix(string(k.PK), "BOARD#") }
func isClaim(k table.Key) bool { return strings.HasPrefix(string(k.SK), string(records.ClaimPrefix)) }
func isParticipation(k table.Key) bool {
	return strings.HasPrefix(string(k.SK), string(records.SeasonPrefix)) && k.PK != records.JudgedPK
}

// showRows are the records that a show has or should have, as they were read.
type showRows struct {
	traces  Traces
	item    *records.ShowItem // nil: missing
	found   table.Batch       // all other items but entries; if the show's item is missing, only the traces
	entries []records.EntryItem

	// What a repair must know of what is missing: see gaps.
	ledgers map[game.ID][]game.LedgerEntry // by user
	ranked  []game.Contestant              // of a new scoring
}

// keysOf returns the keys of the found items that are of a kind, in order.
func (r *showRows) keysOf(kind func(table.Key) bool) (keys []table.Key) {
	for k := range r.found {
		if kind(k) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// readRows reads all records that the show has or should have: entries and participations 0.3 s after all others, and
// ledgers 0.3 s after their users. So it sees each entry that a gate counts, and each row that a user counts.
func (o *openShow) readRows(ctx context.Context, traces Traces) (*showRows, error) {
	item, err := o.desk.ShowItem(ctx, o.show)
	if err != nil {
		return nil, err
	}
	r := &showRows{traces: traces, item: item, found: table.Batch{}, ledgers: map[game.ID][]game.LedgerEntry{}}
	if item == nil {
		return r, r.read(ctx, o.desk, traces.keys)
	}
	if o.tried && item.Status == game.ShowOpen {
		if err := o.hold(ctx, item); err != nil {
			return nil, err
		}
	}
	keys := slices.Concat(r.boardKeys(), records.GateKeys(item.Show(), item.Gates), r.resultKeys())
	keys = append(keys, records.JudgedKey(item.Season, item.ID))
	var participations []table.Key
	for _, k := range traces.keys {
		switch player := records.IdIn(table.SK(k.PK)); {
		case isBoard(k), isGate(k), isClaim(k):
			keys = append(keys, k)
		case k == records.ParticipationKey(player, item.Season, o.show, records.IdIn(k.SK)):
			participations = append(participations, k)
		}
	}
	if err := r.read(ctx, o.desk, keys); err != nil {
		return nil, err
	}
	if err := table.Pause(ctx, table.Settling); err != nil {
		return nil, err
	}
	if r.entries, err = o.desk.EntriesOf(ctx, o.show, item.Gates, ""); err != nil {
		return nil, err
	}
	for i := range r.entries {
		participations = append(participations, r.participationKey(&r.entries[i]))
	}
	if err := r.read(ctx, o.desk, participations); err != nil {
		return nil, err
	}
	return r, r.readGaps(ctx, o.desk)
}

func (r *showRows) read(ctx context.Context, d Desk, keys []table.Key) error {
	distinct := slices.Compact(slices.SortedFunc(slices.Values(keys), compareKeys))
	found, err := d.table.BatchGet(ctx, "", distinct...)
	maps.Copy(r.found, found)
	return err
}

// boardKeys returns the keys of the rows that the show should have on the boards.
func (r *showRows) boardKeys() (keys []table.Key) {
	show := r.item.Show()
	for _, tier := range []string{"", show.Tier} {
		keys = append(keys, records.BoardKey(show.Status, tier, show), records.BoardKey("", tier, show))
	}
	return keys
}

// resultKeys returns the keys of the items that hold the results of a completed show, besides its own item.
func (r *showRows) resultKeys() []table.Key {
	if r.item.Status != game.ShowCompleted {
		return nil
	}
	return r.item.Verdict().ResultKeys(r.item.Sheets, (int(r.item.Count)+records.PagePlaces-1)/records.PagePlaces)
}

// resultsMissing reports whether the show is completed, and an item of its results is missing.
func (r *showRows) resultsMissing() bool {
	return slices.ContainsFunc(r.resultKeys(), func(k table.Key) bool { return r.found[k] == nil })
}

func (r *showRows) participationKey(e *records.EntryItem) table.Key {
	return records.ParticipationKey(e.Player, r.item.Season, r.item.ID, records.IdIn(e.SK))
}

// players returns the player of each animal's entry.
func (r *showRows) players() map[game.ID]game.ID {
	players := map[game.ID]game.ID{}
	for _, e := range r.entries {
		players[records.IdIn(e.SK)] = e.Player
	}
	return players
}

// gaps returns what a repair must know of what is missing: the user and animal of an entry, the user and the ledger of
// a participation, which is a ledger row if the show has a fee.
func (r *showRows) gaps() (keys []table.Key, payers []game.ID) {
	players := r.players()
	for _, k := range r.keysOf(isParticipation) {
		if player, animal := records.IdIn(table.SK(k.PK)), records.IdIn(k.SK); players[animal] == "" {
			keys = append(keys, records.UserKey(player), records.AnimalKey(player, animal))
		}
	}
	for i := range r.entries {
		if e := &r.entries[i]; r.found[r.participationKey(e)] == nil && !r.item.Show().Free() {
			keys, payers = append(keys, records.UserKey(e.Player)), append(payers, e.Player)
		}
	}
	slices.Sort(payers)
	return keys, slices.Compact(payers)
}

// readGaps reads the gaps, and scores the entries again if results are missing.
func (r *showRows) readGaps(ctx context.Context, d Desk) error {
	keys, payers := r.gaps()
	if err := r.read(ctx, d, keys); err != nil {
		return err
	}
	if len(payers) > 0 {
		if err := table.Pause(ctx, table.Settling); err != nil {
			return err
		}
	}
	ledgers, err := table.InParallel(ctx, table.ParallelReads, payers, d.Ledger)
	if err != nil {
		return err
	}
	for i, player := range payers {
		r.ledgers[player] = ledgers[i]
	}
	if !r.resultsMissing() {
		return nil
	}
	traits := d.NewTraitReader(r.item.ID)
	if err := traits.ReadNotes(ctx); err != nil {
		return err
	}
	r.ranked, err = traits.Contestants(ctx, r.entries)
	game.Rank(r.ranked)
	return err
}
