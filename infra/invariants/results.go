package invariants

import (
	"bytes"
	"reflect"
	"slices"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// leftoversStay is how old leftovers may be: the daily audit deletes those of more than a day.
const leftoversStay = 48 * time.Hour

// checkLeftovers reports results to which the show does not refer, if they are more than two days old or have receipts.
// A failed judging leaves such results, and no claim uses them. Their age is relative to the table's newest ledger row,
// so that a restored table gives the same result.
func (b *books) checkLeftovers(s *showBooks) {
	for verdict, keys := range s.results {
		if verdict == s.item.Verdict() && s.item.Status == game.ShowCompleted {
			continue
		}
		receipts := 0
		for _, k := range keys {
			if get[records.ClaimItem](b, k) != nil {
				receipts++
			}
		}
		if begun := verdict.At().Time(); receipts > 0 || b.newest.Time().Sub(begun) > leftoversStay {
			b.report(aboutShow(s.id), slices.MinFunc(keys, compareKeys),
				"leftover: the show does not lead to the results of %v, with %d receipts", begun, receipts)
		}
	}
}

// checkResults compares the results of a completed show with those that follow from its entries and from the scores on
// its pages. It also compares the receipts of claims with the results.
func (b *books) checkResults(s *showBooks) {
	v := s.item.Verdict()
	claims := map[game.ID]*records.ClaimItem{} // the first receipt of each player who has claimed
	for _, k := range slices.SortedFunc(slices.Values(s.results[v]), compareKeys) {
		claim := get[records.ClaimItem](b, k)
		if claim == nil || claims[claim.Player] != nil {
			continue
		}
		claims[claim.Player] = claim
		if claim.Prize > 0 {
			s.owe(game.RewardEntry(account(claim.Player), s.item.Show(), claim.Rank, claim.Prize, 0))
		}
	}
	if s.item.JudgedAt == nil || s.item.JudgedBy == "" || s.item.Count != int64(len(s.entries)) {
		b.report(aboutShow(s.id), s.item.Key, "the show is completed; its time of judging: %v; its judge: %q; it says "+
			"%d entries, and has %d", value(reflect.ValueOf(s.item.JudgedAt)), s.item.JudgedBy, s.item.Count, len(s.entries))
		return
	}
	if !b.readPages(s) {
		return // the damaged page makes the comparison fail, too
	}
	b.checkRanked(s)
	want := b.resultsOf(s)
	for _, claim := range claims {
		for _, receipt := range s.receiptsOf(*claim) {
			want[receipt.Key] = &receipt
		}
	}
	for k, item := range want {
		if b.rows[k] == nil {
			b.report(aboutShow(s.id), k, "the row is missing from the results")
		} else if !reflect.DeepEqual(b.rows[k], item) {
			b.report(aboutShow(s.id), k, "the row differs from what the entries, the scores on the pages and the claims lead to")
		}
	}
	for _, k := range s.results[v] {
		if want[k] == nil {
			b.report(aboutShow(s.id), k, "the results have no such row")
		}
	}
}

// readPages reads the entries on all pages of the show's list. It returns false if it has reported a problem.
func (b *books) readPages(s *showBooks) bool {
	readable := true
	for first := 0; first < len(s.entries); first += records.PagePlaces {
		at := s.item.Verdict().PageKey(first / records.PagePlaces)
		page := get[records.PageItem](b, at)
		if page == nil {
			b.report(aboutShow(s.id), at, "the page is missing")
			readable = false
			continue
		}
		entries, err := page.Unpack(s.id, first)
		if err != nil {
			b.report(aboutShow(s.id), at, "the page is damaged: %v", err)
			readable = false
		}
		s.list = append(s.list, entries...)
	}
	for place, e := range s.list {
		s.places[e.PlayerID] = append(s.places[e.PlayerID], records.Placing{Place: place})
	}
	return readable
}

// checkRanked reports entries that have a rank although their animal has no phenotype, or the other way round.
func (b *books) checkRanked(s *showBooks) {
	ranked := map[game.ID]bool{}
	for _, e := range s.list {
		ranked[e.AnimalID] = e.Rank != nil
	}
	for _, e := range s.entries {
		a := get[records.AnimalItem](b, records.AnimalKey(e.Player, records.IdIn(e.SK)))
		if a == nil { // which checkEntries reports
			continue
		}
		is, judged := ranked[records.IdIn(e.SK)], a.Phenotype != nil
		// If an operator changed the animal, both are correct: the change may have come before or after the judging.
		if is != judged && (a.Changes == 0 || is != (e.Phenotype != nil)) {
			b.reportOf(e.Player, aboutShow(s.id), e.Key, "the entry has a rank: %t; its animal has a phenotype: %t", is, judged)
		}
	}
}

// resultsOf returns the sheets and pages that must exist, by their keys. It reports if the results in the show's own
// item are other ones.
func (b *books) resultsOf(s *showBooks) map[table.Key]any {
	var ranked []game.Contestant
	for _, e := range s.list {
		if e.Rank != nil {
			c := game.Contestant{Animal: e.AnimalID, Player: e.PlayerID, Entered: e.CreatedAt}
			if e.Score != nil {
				c.Score = *e.Score
			}
			ranked = append(ranked, c)
		}
	}
	game.Rank(ranked)
	entries := make([]records.EntryItem, len(s.entries))
	for i, e := range s.entries {
		entries[i] = *e
	}
	results, err := records.NewResults(s.item.Verdict(), entries, ranked)
	if err != nil || results.Sheets != s.item.Sheets || !bytes.Equal(results.Own, s.item.Results) {
		b.report(aboutShow(s.id), s.item.Key, "the show has results on %d sheets, and other ones than the entries and the "+
			"scores on the pages lead to", s.item.Sheets)
	}
	want := map[table.Key]any{}
	for _, item := range results.Items {
		switch item := item.(type) {
		case records.SheetItem:
			want[item.Key] = &item
		case records.PageItem:
			want[item.Key] = &item
		}
	}
	return want
}

// receiptsOf returns the receipts that the player of a claim must have: one for each page with entries of the player.
func (s *showBooks) receiptsOf(claim records.ClaimItem) []records.ClaimItem {
	places := s.places[claim.Player]
	claim.Rank = 0
	if len(places) > 0 && s.list[places[0].Place].Rank != nil {
		claim.Rank = *s.list[places[0].Place].Rank
	}
	claim.Prize = game.Prize(s.item.Tier, claim.Rank)
	return claim.OnPages(s.item.Verdict(), places)
}
