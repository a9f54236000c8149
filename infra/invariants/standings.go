package invariants

import (
	"reflect"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// standingsBooks holds what the standings of one season must have.
type standingsBooks struct {
	head   *records.StandingsItem // nil: there is none
	folded map[game.ID]bool       // shows that the live snapshot's fold has added: their notes do not count

	// Set by addResults:
	scores map[game.ID]int64 // by the results of all completed shows without a note
	shows  []game.ID         // those shows
	unread bool              // the results of one cannot be read
}

func (b *books) season(id game.ID) *standingsBooks {
	if b.seasons[id] == nil {
		b.seasons[id] = &standingsBooks{
			head:   get[records.StandingsItem](b, records.StandingsKey(id)),
			folded: map[game.ID]bool{}, scores: map[game.ID]int64{},
		}
	}
	return b.seasons[id]
}

// indexFolded keeps the shows of a list, if it is of the live snapshot.
func (b *books) indexFolded(list *records.FoldedItem) {
	id := b.subjectOf(list.Key).ID
	if s := b.season(id); s.head != nil && s.head.Live == list.Number && s.head.Snapshot().FoldedPK() == list.PK {
		shows, err := list.FoldedShows()
		if err != nil {
			b.report(aboutSeason(id), list.Key, "the list is damaged: %v", err)
		}
		for _, show := range shows {
			s.folded[show] = true
		}
	}
}

// addResults adds the results of a completed show to those that the standings must have, unless the show has a note.
func (b *books) addResults(s *showBooks) {
	season := b.season(s.item.Season)
	if b.rows[records.JudgedKey(s.item.Season, s.id)] != nil && !season.folded[s.id] {
		return
	}
	season.shows = append(season.shows, s.id)
	season.unread = season.unread || len(s.list) != int(s.item.Count)
	for _, e := range s.list {
		rank := 0
		if e.Rank != nil {
			rank = *e.Rank
		}
		season.scores[e.PlayerID] += game.SeasonPoints(rank)
	}
}

// checkJudged checks that a note is of a completed show of its season.
func (b *books) checkJudged(note *records.JudgedItem) {
	show := b.show(note.Show())
	if show.item == nil || show.item.Status != game.ShowCompleted || show.item.Season != note.Season() {
		b.report(aboutShow(note.Show()), note.Key, "the note is of a show that is not completed, or of another season")
	}
}

// checkStandings compares the live snapshot of a season with the results. After a problem with a record it stops,
// because wrong results change all records behind the first wrong one. A head without a live snapshot leads to all
// completed shows: the next fold reads them.
func (b *books) checkStandings(id game.ID, s *standingsBooks) {
	if s.head == nil {
		for _, show := range s.shows {
			b.report(aboutSeason(id), records.JudgedKey(id, show), "the show is completed, and is neither noted nor in standings")
			b.report(aboutSeason(id), records.StandingsKey(id), "there are no standings, and completed shows without a note")
		}
		return
	}
	if s.head.Live == 0 {
		return
	}
	live := s.head.Snapshot()
	var names map[game.ID]string
	for n := range live.Pages(s.head.Players) {
		page := get[records.StandingsPageItem](b, live.PageKey(n))
		if page == nil || page.Number != live.Number {
			b.report(aboutSeason(id), live.PageKey(n), "the page is missing, or of another fold")
			return
		}
		rows, err := page.Unpack()
		if err != nil {
			b.report(aboutSeason(id), page.Key, "the page is damaged: %v", err)
			return
		}
		if names == nil {
			names = make(map[game.ID]string, s.head.Players)
		}
		for _, row := range rows {
			names[row.PlayerID] = row.PlayerUsername
		}
	}
	if s.unread {
		return // which another problem reports
	}
	hidden, renamed := records.PlayersIn(s.head.Hidden), records.PlayersIn(s.head.Renamed)
	want := game.RankSeason(s.scores)
	for i := range want {
		player := want[i].PlayerID
		if want[i].PlayerUsername = names[player]; !hidden[player] && !renamed[player] {
			want[i].PlayerUsername = b.nameOf(player)
		}
	}
	items, err := live.Items(want, nil)
	if err != nil || len(want) != s.head.Players {
		b.report(aboutSeason(id), s.head.Key, "the standings have %d players, and the results of %d shows %d: %v", s.head.Players, len(s.shows), len(want), err)
		return
	}
	for _, item := range items {
		switch item := item.(type) {
		case records.StandingsPageItem:
			if is := get[records.StandingsPageItem](b, item.Key); !reflect.DeepEqual(is, &item) {
				b.report(aboutSeason(id), item.Key, "the page differs from what the results of %d shows and the usernames lead to", len(s.shows))
				return
			}
		case records.StandingsIndexItem:
			if is := get[records.StandingsIndexItem](b, item.Key); !reflect.DeepEqual(is, &item) {
				b.report(aboutSeason(id), item.Key, "the index is missing, or differs from what the pages lead to")
			}
		}
	}
}

// placesOfStandings adds where the standings of a season are, and where shows are that may have been judged meanwhile.
func (b *books) placesOfStandings(id game.ID, partitions map[table.PK]bool, keys map[table.Key]bool) {
	for _, pk := range []table.PK{records.JudgedPK, records.StandingsPK, records.BoardPK(game.ShowCompleted, "")} {
		partitions[pk] = true
	}
	for slot := range 2 {
		snapshot := records.Snapshot{Season: id, Slot: slot}
		partitions[snapshot.FoldedPK()] = true
		for n := range records.PagePartitions {
			partitions[snapshot.PageKey(n).PK] = true
		}
	}
	for _, s := range b.shows {
		if s.item == nil || s.item.Season == id && s.item.Status != game.ShowCompleted {
			keys[records.ShowKey(s.id)] = true
		}
	}
}
