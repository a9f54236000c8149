package invariants

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	pagePlaces     = 100            // entries on each page except the last one
	mostOwnResults = 100            // a show with more results has them in sheets
	mostReceipts   = 98             // most receipts of a player in a show: a claim writes them in one transaction
	leftoversStay  = 48 * time.Hour // the daily audit deletes leftovers of more than a day
)

// resultBooks holds the rows of one attempt to judge a show. The keys of the rows contain its name, the verdict.
type resultBooks struct {
	keys     []Key
	sheets   map[int][]byte // the results by player
	pages    map[int]pageRow
	receipts map[int]receiptRow // by the user's first place on a page
}

type (
	pageRow struct {
		Entries   []byte   `dynamodbav:"en"`
		Usernames []string `dynamodbav:"us"`
		Kinds     []string `dynamodbav:"ki"` // breed and rarity in turn
	}
	pageEntry struct {
		listed
		animal game.ID
		worth  uint16
	}
	result struct {
		player game.ID
		worth  uint16 // the score plus one; 0 if the entry has no rank
		mark   string // the last four digits of the animal's id
	}
)

func (b *books) addResult(v verdict, partition string, key Key, av Row) error {
	show := b.show(v.show)
	r := show.results[v.id]
	if r == nil {
		r = &resultBooks{sheets: map[int][]byte{}, pages: map[int]pageRow{}, receipts: map[int]receiptRow{}}
		show.results[v.id] = r
	}
	r.keys = append(r.keys, key)
	kind, digits, _ := strings.Cut(key.SK, "#")
	number, err := strconv.Atoi(cmp.Or(digits, strings.TrimPrefix(partition, "S")))
	if err != nil {
		return err
	}
	switch key {
	case v.sheetKey(number):
		row, err := decode[ownFields](av)
		r.sheets[number] = row.Results
		return err
	case v.pageKey(number):
		r.pages[number], err = decode[pageRow](av)
		return err
	case v.claimKey(number):
		r.receipts[number], err = decode[receiptRow](av)
		return err
	}
	return fmt.Errorf("%w: %s", errUnknownKind, kind)
}

// checkLeftovers reports results to which the show does not refer, if they are more than two days old or have receipts.
// A failed judging leaves such results, and no claim uses them. Their age is relative to the table's newest ledger row,
// so that a restored table gives the same result.
func (b *books) checkLeftovers(id game.ID, s *showBooks) {
	for name, r := range s.results {
		if v := (verdict{id, name}); name != s.item.Verdict && (len(r.receipts) > 0 || b.newest.Time().Sub(v.begun()) > leftoversStay) {
			b.report(aboutShow(id), r.keys[0], "leftover: the show does not lead to the results of %v, with %d receipts", v.begun(), len(r.receipts))
		}
	}
}

// checkResults compares the parts of a completed show with each other: its item, the results by player, the pages of
// its list, the entries and the receipts of claims.
func (b *books) checkResults(id game.ID, s *showBooks) {
	s.ranks, s.places, s.receipts = map[game.ID]int{}, map[game.ID][]int{}, map[game.ID]receiptFields{}
	if s.item.JudgedAt == nil || s.item.JudgedBy == "" || s.item.Count != int64(len(s.entries)) || (s.item.Sheets == 0) != (s.item.Count <= mostOwnResults) {
		b.report(aboutShow(id), showKey(id), "the show is completed; its time of judging: %v; its judge: %q; it says %d entries on %d sheets, and has %d entries",
			value(reflect.ValueOf(s.item.JudgedAt)), s.item.JudgedBy, s.item.Count, s.item.Sheets, len(s.entries))
	}
	v, r := verdict{id, s.item.Verdict}, s.results[s.item.Verdict]
	if r == nil {
		r = &resultBooks{}
	}
	byPlayer, hasSheets := b.readSheets(v, s, r)
	list, hasPages := b.readPages(v, s, r)
	if hasSheets && hasPages { // else these problems make the comparison fail, too
		b.checkList(v, s, list, byPlayer)
	}
	b.checkReceipts(v, s, r, list, hasPages)
}

// checkList compares the list of a show's results on its pages with the results by player and with the entries.
func (b *books) checkList(v verdict, s *showBooks, list []pageEntry, byPlayer map[int]result) {
	about := aboutShow(v.show)
	for place, e := range list {
		at := v.pageKey(place / pagePlaces)
		if own := byPlayer[place]; own != e.result() {
			b.report(about, s.sheetKey(v.show, e.Player), "rank %d has %v by player, and %v on its page", place+1, own, e.result())
		}
		if entry, entered := s.entries[e.animal]; !entered {
			b.reportOf(e.Player, about, at, "rank %d is of the animal %s of %s, which has no entry", place+1, e.animal, e.Player)
		} else if entry.listed != e.listed {
			b.reportOf(e.Player, about, at, "rank %d differs from its entry: %s", place+1, differing(e.listed, entry.listed))
		}
		if place > 0 && list[place-1].compare(e, v.show) >= 0 {
			b.report(about, at, "rank %d has %v, and the worse rank %d has %v", place, list[place-1].result(), place+1, e.result())
		}
		if s.ranks[e.animal] = 0; e.worth > 0 {
			s.ranks[e.animal] = place + 1
		}
	}
	if len(byPlayer) != len(list) {
		b.report(about, showKey(v.show), "there are %d results by player, and %d on pages", len(byPlayer), len(list))
	}
	for animal, e := range s.entries {
		rank, there := s.ranks[animal]
		a := b.animals[[2]game.ID{e.Player, animal}]
		// If an operator changed the animal, both are correct: the change may have come before or after the judging.
		ranked, judged := rank > 0, len(a.Phenotype) > 0
		if !there || ranked != judged && (a.Changes == 0 || ranked != (len(e.Phenotype) > 0)) {
			b.reportOf(e.Player, about, s.sheetKey(v.show, e.Player), "the animal %s is in the list of results: %t; it has a rank: %t; it has a phenotype: %t", animal, there, ranked, judged)
		}
	}
}

// result returns the result by player that must belong to the entry of a page.
func (e pageEntry) result() result { return result{e.Player, e.worth, string(e.animal[32:])} }

func (r result) String() string {
	if r.player == "" {
		return "nothing"
	}
	score := "no score"
	if r.worth > 0 {
		score = fmt.Sprintf("the score %v", game.Fixed(r.worth-1))
	}
	return fmt.Sprintf("the animal ...%s of %s with %s", r.mark, r.player, score)
}

// compare orders the entries in the list of a show's results: by score, best first, then by time. Entries without a
// rank come last, by time. Ids decide between equal times. The result is negative if e comes before o.
func (e pageEntry) compare(o pageEntry, show game.ID) int {
	mine, others := e.animal, o.animal
	if e.worth == 0 {
		mine, others = game.EntryID(show, mine), game.EntryID(show, others)
	}
	return cmp.Or(cmp.Compare(o.worth, e.worth), cmp.Compare(e.At, o.At), cmp.Compare(mine, others))
}

// checkReceipts compares the receipts of claims with the places of their players, and with the show's prizes in the
// ledgers. If complete is false, pages are damaged, and it skips what depends on them.
func (b *books) checkReceipts(v verdict, s *showBooks, r *resultBooks, list []pageEntry, complete bool) {
	for place, e := range list {
		s.places[e.Player] = append(s.places[e.Player], place)
	}
	receipts := map[game.ID]int{} // by user
	for _, place := range slices.Sorted(maps.Keys(r.receipts)) {
		receipt := r.receipts[place].receiptFields
		if first, claimed := s.receipts[receipt.Player]; claimed && receipt != first {
			b.report(aboutShow(v.show), v.claimKey(place), "the receipt differs from the user's first one: %s", differing(receipt, first))
		}
		if complete && !slices.Contains(s.places[receipt.Player], place) {
			b.report(aboutShow(v.show), v.claimKey(place), "the receipt is of %s, who does not have the rank %d", receipt.Player, place+1)
		}
		s.receipts[receipt.Player] = receipt
		receipts[receipt.Player]++
	}
	for user, receipt := range s.receipts {
		places, best := s.places[user], 0
		want := map[int][]int{} // by the first place on the page
		for first, i := 0, 0; i < len(places); i++ {
			if i == 0 || places[i]/pagePlaces != first/pagePlaces {
				first = places[i]
				want[first] = nil
			} else {
				want[first] = append(want[first], places[i])
			}
		}
		if n := min(len(want), mostReceipts); complete && receipts[user] != n {
			b.report(aboutShow(v.show), s.claimKey(v.show, user), "%s has %d receipts, want %d", user, receipts[user], n)
		}
		for place, further := range want {
			if got, there := r.receipts[place]; complete && (!there && len(want) <= mostReceipts || there && !slices.Equal(got.Places, further)) {
				b.report(aboutShow(v.show), v.claimKey(place), "%s has claimed; the receipt is there: %t; it is also for the places %v, want %v", user, there, got.Places, further)
			}
		}
		if len(places) > 0 && list[places[0]].worth > 0 {
			best = places[0] + 1
		}
		if prize := game.Prize(s.item.Tier, best); complete && (receipt.Rank != best || receipt.Prize != prize) {
			b.reportOf(user, aboutShow(v.show), s.claimKey(v.show, user), "%s has a receipt for the rank %d and %d gold, want the rank %d and %d gold", user, receipt.Rank, receipt.Prize, best, prize)
		}
	}
	for user := range b.users {
		receipt, paid := s.receipts[user], 0
		if receipt.Prize > 0 {
			paid = 1
		}
		b.checkMoves(v.show, user, game.CategoryReward, paid, receipt.Prize, fmt.Sprintf("%s - Rank %d", s.item.Name, receipt.Rank))
	}
}

// readSheets returns the results by player, as a map from place to result. The place is counted from 0. complete is
// false if readSheets has reported a problem.
func (b *books) readSheets(v verdict, s *showBooks, r *resultBooks) (byPlayer map[int]result, complete bool) {
	byPlayer, complete = map[int]result{}, true
	sheets := r.sheets
	if s.item.Sheets == 0 && len(sheets) == 0 {
		sheets = map[int][]byte{0: s.item.Results}
	}
	wrong := func(number int, format string, args ...any) {
		at := v.sheetKey(number)
		if s.item.Sheets == 0 {
			at = showKey(v.show)
		}
		b.report(aboutShow(v.show), at, format, args...)
		complete = false
	}
	for number := range max(s.item.Sheets, len(sheets), 1) {
		if _, there := sheets[number]; !there || number >= max(s.item.Sheets, 1) || s.item.Sheets > 0 && len(s.item.Results) > 0 {
			wrong(number, "the show says %d sheets of results, and has %d; this one is there: %t", s.item.Sheets, len(sheets), there)
		}
	}
	for number, packed := range sheets {
		u, last := unpacked{rest: packed}, game.ID("")
		for len(u.rest) > 0 {
			player, before := u.id(), -1
			for n := u.number(); n > 0 && u.err == nil; n-- {
				place := u.number()
				if _, twice := byPlayer[place]; twice || place <= before {
					wrong(number, "%s has the rank %d, which is taken or out of order", player, place+1)
				}
				byPlayer[place], before = result{player, u.worth(), hex.EncodeToString(u.bytes(2))}, place
			}
			if u.err != nil || before < 0 || player <= last || s.item.Sheets > 0 && hashed(player, 4)%s.item.Sheets != number {
				wrong(number, "the results of %s are damaged, out of order or on the wrong sheet", player)
			}
			last = player
		}
	}
	return byPlayer, complete
}

// readPages returns the entries on all pages of the show's list. complete is false if readPages has reported a problem.
func (b *books) readPages(v verdict, s *showBooks, r *resultBooks) (list []pageEntry, complete bool) {
	complete = true
	for number := range max((int(s.item.Count)+pagePlaces-1)/pagePlaces, len(r.pages)) {
		theirs, err := r.pages[number].unpack()
		if want := min(pagePlaces, int(s.item.Count)-number*pagePlaces); err != nil || len(theirs) != want {
			b.report(aboutShow(v.show), v.pageKey(number), "the page has %d readable entries, want %d", len(theirs), want)
			complete = false
		}
		list = append(list, theirs...)
	}
	return list, complete
}

// unpack decodes the entries of a page. Each has the player, the animal, the time, the score, the number of the kind
// (breed and rarity), the length of the animal's name and the name.
func (r pageRow) unpack() (entries []pageEntry, err error) {
	u := unpacked{rest: r.Entries}
	for _, name := range r.Usernames {
		e := pageEntry{listed: listed{Username: name}}
		e.Player, e.animal, e.At, e.worth = u.id(), u.id(), u.instant(), u.worth()
		kind := 2 * u.number()
		e.Animal = string(u.bytes(u.number()))
		if kind < 0 || kind+1 >= len(r.Kinds) {
			return entries, errBreaksOff
		}
		e.Breed, e.Rarity = r.Kinds[kind], r.Kinds[kind+1]
		entries = append(entries, e)
	}
	if len(u.rest) > 0 {
		return entries, errBreaksOff
	}
	return entries, u.err
}

// unpacked reads packed results from their beginning. After the end of the data it returns zeros, and err is set.
type unpacked struct {
	rest []byte
	err  error
}

var errBreaksOff = errors.New("the packed results end before their last entry")

func (u *unpacked) bytes(n int) []byte {
	if n < 0 || n > len(u.rest) {
		u.rest, u.err = nil, errBreaksOff
		return make([]byte, 16)
	}
	read := u.rest[:n]
	u.rest = u.rest[n:]
	return read
}

// number reads a number in groups of seven bits, one group in each byte. The last byte is below 128.
func (u *unpacked) number() int {
	n, length := binary.Uvarint(u.rest)
	u.bytes(max(length, 1))
	return int(n)
}

// instant reads a number of milliseconds whose lowest bit is the sign.
func (u *unpacked) instant() game.Instant {
	n, length := binary.Varint(u.rest)
	u.bytes(max(length, 1))
	return game.Instant(n)
}

func (u *unpacked) id() game.ID {
	digits := hex.EncodeToString(u.bytes(16))
	return game.ID(strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-"))
}

// worth reads a score and returns the score plus one, or 0 if the entry has no score.
func (u *unpacked) worth() uint16 { return binary.BigEndian.Uint16(u.bytes(2)) + 1 }

// hashed returns four bytes of the id's hash as a number, by which the store spreads entries and results over items.
func hashed(id game.ID, offset int) int {
	digest := sha256.Sum256([]byte(id))
	return int(binary.BigEndian.Uint32(digest[offset:]))
}
