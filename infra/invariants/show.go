package invariants

import (
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

type (
	showRow struct {
		ID       game.ID         `dynamodbav:"id"`
		Name     string          `dynamodbav:"na"`
		Tier     string          `dynamodbav:"ti"`
		Fee      int64           `dynamodbav:"fe"`
		ClosesAt game.Instant    `dynamodbav:"cl"`
		JudgedAt *game.Instant   `dynamodbav:"ju"`
		Status   game.ShowStatus `dynamodbav:"st"`
		Season   game.ID         `dynamodbav:"se"`
		Gates    int             `dynamodbav:"gn"`
		Count    int64           `dynamodbav:"n"`

		ownFields
	}
	ownFields struct { // not in the show's board rows
		Terms      int64        `dynamodbav:"tm"`
		JudgedBy   string       `dynamodbav:"jb"`
		Verdict    string       `dynamodbav:"vd"` // names the results
		Sheets     int          `dynamodbav:"sh"`
		Results    []byte       `dynamodbav:"re"` // by player, if there are no sheets
		RefundedAt game.Instant `dynamodbav:"rf"`
	}
	gateRow struct {
		Count int64 `dynamodbav:"n"`
		Terms int64 `dynamodbav:"tm"`
	}
	entryRow struct {
		listed
		traits
		part int
	}
	listed struct { // of an entry, copied to its page of results
		Player   game.ID      `dynamodbav:"u"`
		Username string       `dynamodbav:"un"`
		Animal   string       `dynamodbav:"an"` // its name
		Breed    string       `dynamodbav:"br"`
		Rarity   string       `dynamodbav:"rt"`
		At       game.Instant `dynamodbav:"ca"`
	}
	receiptRow struct {
		receiptFields
		Places []int `dynamodbav:"pl"` // the player's further places on the page
	}
	receiptFields struct {
		Call   game.ID      `dynamodbav:"wc"`
		Player game.ID      `dynamodbav:"u"`
		Rank   int          `dynamodbav:"rk"`
		Prize  int64        `dynamodbav:"pr"`
		At     game.Instant `dynamodbav:"cd"`
	}
)

// showBooks holds all rows of one show except its gates, the counter shards.
type showBooks struct {
	item    *showRow
	results map[string]*resultBooks // by the verdict's id
	entries map[game.ID]entryRow    // by animal
	boards  map[string]showRow      // by partition key

	// Set by checkResults:
	ranks    map[game.ID]int           // by animal; 0: no rank
	places   map[game.ID][]int         // by user, the best first, counted from 0
	receipts map[game.ID]receiptFields // by user
}

func (b *books) show(id game.ID) *showBooks {
	if b.shows[id] == nil {
		b.shows[id] = &showBooks{results: map[string]*resultBooks{}, entries: map[game.ID]entryRow{}, boards: map[string]showRow{}}
	}
	return b.shows[id]
}

func (b *books) addOfShow(pk []string, key Key, av Row) error {
	sk := key.SK
	show := b.show(game.ID(pk[0]))
	switch {
	case len(pk) == 1:
		row, err := decode[showRow](av)
		if err == nil && row.Gates < 1 { // the keys of entries depend on the number: the other checks assume one gate
			b.file(aboutShow(row.ID), key, "the show has %d gates", row.Gates)
			row.Gates = 1
		}
		if err == nil {
			show.item = &row
		}
		return err
	case len(pk) == 4 && pk[1] == "R":
		return b.addResult(verdict{game.ID(pk[0]), pk[2]}, pk[3], key, av)
	}
	part, err := strconv.Atoi(pk[1])
	if err != nil {
		return err
	}
	id, isEntry := strings.CutPrefix(sk, "ENTRY#")
	if !isEntry {
		return errUnknownKind
	}
	if _, twice := show.entries[game.ID(id)]; twice {
		b.file(aboutShow(game.ID(pk[0])), key, "the animal is entered twice")
	}
	row, err := decode[entryRow](av)
	row.part = part
	show.entries[game.ID(id)] = row
	return err
}

func (b *books) addBoardRow(key Key, av Row) error {
	row, err := decode[showRow](av)
	if want := row.boardSK(); key.SK != want {
		b.file(aboutShow(row.ID), key, "the row should be %s", want)
	}
	b.show(row.ID).boards[key.PK] = row
	return err
}

func (b *books) checkShow(id game.ID, s *showBooks) {
	if s.item == nil {
		b.report(aboutShow(id), showKey(id), "the show does not exist, and has rows")
		return
	}
	b.checkEntries(id, s)
	b.checkBoards(id, s)
	b.checkRefunds(id, s)
	b.checkLeftovers(id, s)
	if s.item.Status == game.ShowCompleted {
		b.checkResults(id, s)
		return
	}
	if s.item.JudgedAt != nil || s.item.JudgedBy+s.item.Verdict != "" || s.item.Sheets > 0 || len(s.item.Results) > 0 {
		b.report(aboutShow(id), showKey(id), "the show is %s, and has signs of a judging", s.item.Status)
	}
	count := 0
	if s.item.Status == game.ShowCancelled {
		count = len(s.entries)
	}
	if s.item.Count != int64(count) {
		b.report(aboutShow(id), showKey(id), "the show is %s with %d entries, and says %d", s.item.Status, len(s.entries), s.item.Count)
	}
}

func (b *books) checkEntries(id game.ID, s *showBooks) {
	counts, players := map[int]int64{}, map[game.ID]int{}
	for animal, e := range s.entries {
		gate := hashed(animal, 0) % s.item.Gates
		counts[gate]++
		if e.part != gate%min(s.item.Gates, 4) {
			b.report(aboutShow(id), s.entryKey(id, animal), "the entry came through gate %d, and is in part %d", gate, e.part)
		}
		players[e.Player]++
		if _, ok := b.parts[[3]game.ID{e.Player, id, animal}]; !ok {
			b.report(aboutShow(id), participationKey(e.Player, s.item.Season, id, animal), "%s entered %s and does not take part", e.Player, animal)
		}
		if name := b.nameOf(e.Player); e.Username != name {
			b.reportOf(e.Player, aboutShow(id), s.entryKey(id, animal), "the entry is under the name %q, want %q", e.Username, name)
		}
		a, owned := b.animals[[2]game.ID{e.Player, animal}]
		if !owned {
			b.report(aboutShow(id), animalKey(e.Player, animal), "%s entered %s, and has no such animal", e.Player, animal)
		} else if a.Changes == 0 && e.Phenotype != nil && !reflect.DeepEqual(e.traits, a.traits) {
			b.reportOf(e.Player, aboutShow(id), s.entryKey(id, animal), "the entry differs from the animal: %s", differing(e.traits, a.traits))
		}
	}
	b.checkGates(id, s, counts)
	for player, n := range players {
		if s.item.Fee <= 0 {
			n = 0
		}
		var descriptions []string
		for _, name := range append(b.names[id], s.item.Name) {
			descriptions = append(descriptions, "Show entry: "+name)
		}
		b.checkMoves(id, player, game.CategoryFee, n, -s.item.Fee, descriptions...)
	}
	for user := range b.ledgers {
		if players[user] == 0 && len(b.moved(user, id, game.CategoryFee))+len(b.moved(user, id, game.CategoryReward)) > 0 {
			b.report(aboutShow(id), userKey(user), "the show moved gold of %s, who has no entry", user)
		}
	}
}

// checkMoves checks that the user has n ledger rows of the category about the show, with amount and a description.
func (b *books) checkMoves(show, user game.ID, category game.Category, n int, amount int64, descriptions ...string) {
	rows := b.moved(user, show, category)
	if len(rows) != n {
		b.reportOf(user, aboutShow(show), b.movesKey(show, user, category), "%s has %d rows of the category %s about the show, want %d", user, len(rows), category, n)
	}
	for _, row := range rows {
		if row.Amount != amount || !slices.Contains(descriptions, row.Description) {
			b.report(aboutShow(show), ledgerKey(user, row.Seq), "%s has a row of %d gold for %q, want %d gold for %s", user, row.Amount, row.Description, amount, strings.Join(descriptions, " or "))
		}
	}
}

func (b *books) checkBoards(id game.ID, s *showBooks) {
	want := append(s.item.boards("all"), s.item.boards(s.item.Status)...)
	got := slices.Sorted(maps.Keys(s.boards))
	if slices.Sort(want); !slices.Equal(got, want) {
		for _, board := range want {
			if !slices.Contains(got, board) {
				b.report(aboutShow(id), Key{board, s.item.boardSK()}, "the show is not on this board")
			}
		}
		for _, board := range got {
			if !slices.Contains(want, board) {
				b.report(aboutShow(id), Key{board, s.boards[board].boardSK()}, "the show should not be on this board")
			}
		}
	}
	for board, row := range s.boards {
		item := *s.item
		row.ownFields, item.ownFields = ownFields{}, ownFields{}
		if !reflect.DeepEqual(row, item) {
			b.report(aboutShow(id), Key{board, row.boardSK()}, "the row differs from the show: %s", differing(row, item))
		}
	}
}

// boards returns the partitions of the two boards, the lists of shows, that must have the show for the status: one of
// all tiers, and one of the show's tier. The status "all" means the lists of every status.
func (r showRow) boards(status game.ShowStatus) []string {
	board := "BOARD#" + string(status)
	return []string{board, board + "#" + url.PathEscape(r.Tier)}
}
