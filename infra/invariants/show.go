package invariants

import (
	"errors"
	"fmt"
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
	ownFields struct { // of the show's item alone
		Terms      int64        `dynamodbav:"tm"`
		JudgedBy   string       `dynamodbav:"jb"`
		RefundedAt game.Instant `dynamodbav:"rf"`
	}
	gateRow struct {
		Count int64 `dynamodbav:"n"`
		Terms int64 `dynamodbav:"tm"`
	}
	entryRow struct {
		Player   game.ID      `dynamodbav:"u"`
		Username string       `dynamodbav:"un"`
		At       game.Instant `dynamodbav:"ca"`
		part     int
	}
	receiptRow struct {
		Rank  int   `dynamodbav:"ra"`
		Prize int64 `dynamodbav:"pr"`
	}
	sheetRow struct {
		Sheets  int    `dynamodbav:"sh"`
		Results []byte `dynamodbav:"re"`
	}
)

// showBooks is all that the table has of one show, but for its gates.
type showBooks struct {
	item     *showRow
	first    *sheetRow              // of the results
	sheets   map[int][]byte         // by number
	entries  map[game.ID]entryRow   // by animal
	receipts map[game.ID]receiptRow // by user
	boards   map[string]showRow     // by partition key
	placings map[game.ID]Placing    // by animal, once its results have been checked
}

func (b *Books) show(id game.ID) *showBooks {
	if b.shows[id] == nil {
		b.shows[id] = &showBooks{
			sheets: map[int][]byte{}, entries: map[game.ID]entryRow{}, receipts: map[game.ID]receiptRow{}, boards: map[string]showRow{},
			placings: map[game.ID]Placing{},
		}
	}
	return b.shows[id]
}

func (b *Books) addOfShow(pk []string, key Key, av Row) error {
	sk := key.SK
	show := b.show(game.ID(pk[0]))
	switch {
	case len(pk) == 1:
		row, err := decode[showRow](av)
		show.item = &row
		return err
	case pk[1] == "R":
		row, err := decode[sheetRow](av)
		if len(pk) == 2 {
			show.first = &row
			return err
		}
		number, notANumber := strconv.Atoi(pk[2])
		show.sheets[number] = row.Results
		return errors.Join(err, notANumber)
	}
	part, err := strconv.Atoi(pk[1])
	if err != nil {
		return err
	}
	kind, id, _ := strings.Cut(sk, "#")
	switch kind {
	case "ENTRY":
		if _, twice := show.entries[game.ID(id)]; twice {
			b.file(aboutShow(game.ID(pk[0])), key, "the animal is entered twice")
		}
		row, err := decode[entryRow](av)
		row.part = part
		show.entries[game.ID(id)] = row
		return err
	case "CLAIM":
		if _, twice := show.receipts[game.ID(id)]; twice {
			b.file(aboutShow(game.ID(pk[0])), key, "the user has two receipts")
		}
		show.receipts[game.ID(id)], err = decode[receiptRow](av)
	default:
		return errUnknownKind
	}
	return err
}

func (b *Books) addBoardRow(key Key, av Row) error {
	row, err := decode[showRow](av)
	if want := row.boardSK(); key.SK != want {
		b.file(aboutShow(row.ID), key, "the row should be %s", want)
	}
	b.show(row.ID).boards[key.PK] = row
	return err
}

func (s *showBooks) animalsOf(user game.ID) []game.ID {
	var animals []game.ID
	for animal, e := range s.entries {
		if e.Player == user {
			animals = append(animals, animal)
		}
	}
	slices.Sort(animals)
	return animals
}

func (b *Books) checkShow(id game.ID, s *showBooks) {
	if s.item == nil {
		b.report(aboutShow(id), showKey(id), "the show does not exist, and has rows")
		return
	}
	b.checkEntries(id, s)
	b.checkBoards(id, s)
	b.checkRefunds(id, s)
	if s.item.Status == game.ShowCompleted {
		ranks := b.checkResults(id, s)
		b.checkReceipts(id, s, ranks)
		return
	}
	if s.item.JudgedAt != nil || s.item.JudgedBy != "" || len(s.receipts) > 0 || len(s.sheets) > 0 || s.first != nil {
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

func (b *Books) checkEntries(id game.ID, s *showBooks) {
	counts, players := map[int]int64{}, map[game.ID]int{}
	for animal, e := range s.entries {
		gate := hashed(animal, 0) % s.item.Gates
		counts[gate]++
		if e.part != gate%min(s.item.Gates, 4) {
			b.report(aboutShow(id), s.entryKey(id, animal), "it came through gate %d and is in part %d", gate, e.part)
		}
		players[e.Player]++
		if _, ok := b.parts[[3]game.ID{e.Player, id, animal}]; !ok {
			b.report(aboutShow(id), participationKey(e.Player, s.item.Season, id, animal), "%s entered %s and does not take part", e.Player, animal)
		}
		if name := b.nameOf(e.Player); e.Username != name {
			b.reportOf(e.Player, aboutShow(id), s.entryKey(id, animal), "the entry is under the name %q, want %q", e.Username, name)
		}
		if _, owned := b.animals[[2]game.ID{e.Player, animal}]; !owned {
			b.report(aboutShow(id), animalKey(e.Player, animal), "%s entered %s, which is not theirs", e.Player, animal)
		}
	}
	b.checkGates(id, s, counts, b.known)
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

// checkMoves compares the ledger rows of a user that are about a show with what they should be: n of them, of one
// amount and each with one of the descriptions.
func (b *Books) checkMoves(show, user game.ID, category game.Category, n int, amount int64, descriptions ...string) {
	rows := b.moved(user, show, category)
	if len(rows) != n {
		b.reportOf(user, aboutShow(show), b.movesKey(show, user, category), "%s has %d rows of the category %s, want %d", user, len(rows), category, n)
	}
	for _, row := range rows {
		if row.Amount != amount || !slices.Contains(descriptions, row.Description) {
			b.report(aboutShow(show), ledgerKey(user, row.Seq), "%s has a row of %d %q, want %d %q", user, row.Amount, row.Description, amount, descriptions)
		}
	}
}

func (b *Books) checkBoards(id game.ID, s *showBooks) {
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
		row.ownFields = s.item.ownFields
		if !reflect.DeepEqual(row, *s.item) {
			b.report(aboutShow(id), Key{board, row.boardSK()}, "the row is %+v, the show is %+v", row, *s.item)
		}
	}
}

// boards are the partitions of the boards of a status ("all" for any) that the show stands on: of any tier and its own.
func (r showRow) boards(status game.ShowStatus) []string {
	board := "BOARD#" + string(status)
	return []string{board, board + "#" + url.PathEscape(r.Tier)}
}

func (b *Books) checkReceipts(id game.ID, s *showBooks, ranks map[game.ID]int) {
	for user, receipt := range s.receipts {
		best, entered := 0, s.animalsOf(user)
		for _, animal := range entered {
			if rank := ranks[animal]; rank > 0 && (best == 0 || rank < best) {
				best = rank
			}
		}
		if want := (receiptRow{best, game.Prize(s.item.Tier, best)}); receipt != want || len(entered) == 0 {
			b.reportOf(user, aboutShow(id), s.claimKey(id, user), "%s has the receipt %+v for %d entries, want %+v", user, receipt, len(entered), want)
		}
	}
	for user := range b.users {
		receipt, paid := s.receipts[user], 0
		if receipt.Prize > 0 {
			paid = 1
		}
		b.checkMoves(id, user, game.CategoryReward, paid, receipt.Prize, fmt.Sprintf("%s - Rank %d", s.item.Name, receipt.Rank))
	}
}
