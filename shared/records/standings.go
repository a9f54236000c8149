package records

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// A fold adds the results of shows to the standings of their season. It writes a whole snapshot into the slot that
// readers do not use, and then switches the head to it. Only the head says which records of a slot are valid: those
// with the number of the live snapshot.

// JudgedItem is the note that a show is completed, and may not be in the standings of its season. The judging's
// transaction writes it. The fold that adds the show to the standings deletes it after its switch.
type JudgedItem struct {
	table.Key
	JudgedAt game.Instant `dynamodbav:"ju"`
}

// NewJudgedItem returns the note of a completed show.
func NewJudgedItem(show game.Show) JudgedItem {
	return JudgedItem{Key: JudgedKey(show.SeasonID, show.ID), JudgedAt: *show.JudgedAt}
}

// Season returns the season in the key: SEASON#s#SHOW#w.
func (i *JudgedItem) Season() game.ID {
	beforeShow, _, _ := strings.Cut(string(i.SK), "#SHOW#")
	return IdIn(table.SK(beforeShow))
}

// Show returns the show in the key.
func (i *JudgedItem) Show() game.ID { return IdIn(i.SK) }

// StandingsItem is the head of a season's standings.
type StandingsItem struct {
	table.Key
	Live    int64        `dynamodbav:"sn,omitempty"` // the number of the live snapshot; 0: none
	Slot    int          `dynamodbav:"sl,omitempty"` // of the live snapshot
	Begun   int64        `dynamodbav:"fb,omitempty"` // the number of the fold that was begun last
	AsOf    game.Instant `dynamodbav:"ao,omitempty"` // of the live snapshot
	Players int          `dynamodbav:"py,omitempty"` // in the live snapshot
	// Players whose names may be old in the live snapshot, as bytes of their ids. A renaming has random bytes behind
	// the id: a fold that removes it does not remove a later one, whose name it may not have read.
	Hidden  [][]byte `dynamodbav:"hd,binaryset,omitempty"` // deleted players
	Renamed [][]byte `dynamodbav:"rd,binaryset,omitempty"`
	// Deleted players whose names the snapshot before the live one may have: the next fold writes over it.
	Remaining [][]byte `dynamodbav:"rm,binaryset,omitempty"`
}

// ChangedNames returns how many changes of names a fold has to write.
func (i *StandingsItem) ChangedNames() int { return len(i.Hidden) + len(i.Renamed) + len(i.Remaining) }

// Season returns the season in the key.
func (i *StandingsItem) Season() game.ID { return IdIn(i.SK) }

// Snapshot returns the live snapshot.
func (i *StandingsItem) Snapshot() Snapshot { return Snapshot{i.Season(), i.Slot, i.Live} }

// Next returns the snapshot of a fold that begins now. Its number is higher than those of all earlier folds, also if a
// damaged table has lost the head. Its slot is not the live one.
func (i *StandingsItem) Next(now game.Instant) Snapshot {
	return Snapshot{i.Season(), 1 - i.Slot, max(i.Begun+1, int64(now))}
}

// AsRead is the condition that no fold has begun or has switched the head since.
func (i *StandingsItem) AsRead() table.Condition {
	return table.AsRead("sn", i.Live).And(table.AsRead("fb", i.Begun))
}

// FoldBegun notes that the snapshot's fold has begun.
func (s Snapshot) FoldBegun() table.Change { return table.Change{}.Set("fb", table.Number(s.Number)) }

// LastBegun is the condition that no later fold has begun.
func (s Snapshot) LastBegun() table.Condition { return table.Equals("fb", table.Number(s.Number)) }

// Switched makes the snapshot live. It has the current names of the players that the head i had when it was read. The
// snapshot that was live still has the names of the deleted ones.
func (i *StandingsItem) Switched(to Snapshot, asOf game.Instant, players int) table.Change {
	switched := table.Change{}.Set("sn", table.Number(to.Number)).Set("sl", table.Number(to.Slot)).Set("ao", table.Number(asOf)).
		Set("py", table.Number(players)).DeleteFrom("hd", i.Hidden).DeleteFrom("rd", i.Renamed)
	if len(i.Hidden) == 0 {
		return switched.Remove("rm")
	}
	return switched.Set("rm", table.Set(i.Hidden))
}

// Unfolded removes the live snapshot, and makes the switch of a fold that is under way fail.
func (i *StandingsItem) Unfolded(now game.Instant) table.Change {
	return i.Next(now).FoldBegun().Remove("sn", "ao", "py")
}

// NameChanged notes in the head that a player has got the name.
func NameChanged(player game.ID, name string) table.Change {
	id, token := uuid.MustParse(string(player)), uuid.New()
	if name == game.DeletedPlayer {
		return table.Change{}.AddTo("hd", id[:])
	}
	return table.Change{}.AddTo("rd", append(id[:], token[:4]...))
}

// PlayersIn returns the players in the head's Hidden or Renamed.
func PlayersIn(set [][]byte) map[game.ID]bool {
	players := make(map[game.ID]bool, len(set))
	for _, element := range set {
		if len(element) >= packedPlayer {
			players[game.ID(uuid.UUID(element[:packedPlayer]).String())] = true
		}
	}
	return players
}

// OfEarlierFold is the condition of the write of a snapshot's record: nothing is there, or the record of an earlier
// fold. So a late write of an earlier fold changes nothing.
func (s Snapshot) OfEarlierFold() table.Condition {
	return table.Absent.Or(table.If("sn < :number", table.Attributes{":number": table.Number(s.Number)}))
}

// StandingsPageItem holds up to StandingsPlaces players in the order of the standings.
type StandingsPageItem struct {
	table.Key
	Number    int64           `dynamodbav:"sn"`
	FirstRank int             `dynamodbav:"fk"`
	Rows      packedStandings `dynamodbav:"rw"`
}

// packedStandings are the players of a page, one after the other. Each has the id in 16 bytes, the score and the length
// of the username as unsigned varints, and the username.
type packedStandings []byte

// StandingsIndexItem holds the places of the players whose hash selects it: for each player the first 5 bytes of the
// id, and the place as an unsigned varint. Other players may have the same bytes.
type StandingsIndexItem struct {
	table.Key
	Number int64  `dynamodbav:"sn"`
	Places []byte `dynamodbav:"ix,omitempty"`
}

// FoldedItem lists shows that a fold has added: 16 bytes for each.
type FoldedItem struct {
	table.Key
	Number int64  `dynamodbav:"sn"`
	Shows  []byte `dynamodbav:"fo"`
}

const (
	// StandingsPlaces is the most players of a page. With usernames of 12 characters a page has 3.8 KB, and costs 4 WCU.
	StandingsPlaces = 120
	// indexPlayers is the average number of players on an index: about 3.6 KB, so that reading one costs 1 RCU.
	indexPlayers = 450
	indexedBytes = 5
	// foldedShows is the most shows on a list: an item may have 400 KB.
	foldedShows = 20_000
)

// Pages returns the number of pages for so many players.
func (s Snapshot) Pages(players int) int { return (players + StandingsPlaces - 1) / StandingsPlaces }

// Indexes returns the number of indexes for so many players.
func (s Snapshot) Indexes(players int) int { return (players + indexPlayers - 1) / indexPlayers }

// Items returns all records of the snapshot: the pages and indexes of the players, in the order of their places, and the
// lists of the shows that its fold adds.
func (s Snapshot) Items(standings []game.Standing, folded []game.ID) ([]any, error) {
	var items []any
	index := make([][]byte, s.Indexes(len(standings)))
	for theirs := range slices.Chunk(standings, StandingsPlaces) {
		page := StandingsPageItem{Key: s.PageKey(len(items)), Number: s.Number, FirstRank: theirs[0].Rank}
		for i, row := range theirs {
			id, err := uuid.Parse(string(row.PlayerID))
			if err != nil || row.Score < 0 {
				return nil, fmt.Errorf("pack the standing of %s with %d points: no id, or no score", row.PlayerID, row.Score)
			}
			page.Rows = append(page.Rows, id[:]...)
			page.Rows = binary.AppendUvarint(page.Rows, uint64(row.Score))
			page.Rows = binary.AppendUvarint(page.Rows, uint64(len(row.PlayerUsername)))
			page.Rows = append(page.Rows, row.PlayerUsername...)
			on := &index[IndexOf(row.PlayerID, len(index))]
			*on = binary.AppendUvarint(append(*on, id[:indexedBytes]...), uint64(len(items)*StandingsPlaces+i))
		}
		items = append(items, page)
	}
	for j, places := range index {
		items = append(items, StandingsIndexItem{Key: s.IndexKey(j), Number: s.Number, Places: places})
	}
	list := 0
	for shows := range slices.Chunk(folded, foldedShows) {
		item := FoldedItem{Key: s.FoldedKey(list), Number: s.Number}
		for _, show := range shows {
			id, err := uuid.Parse(string(show))
			if err != nil {
				return nil, fmt.Errorf("pack the folded show %q: %w", show, err)
			}
			item.Shows = append(item.Shows, id[:]...)
		}
		items = append(items, item)
		list++
	}
	return items, nil
}

// Unpack returns the players of the page, or errUnpack for damaged bytes.
func (i *StandingsPageItem) Unpack() ([]game.Standing, error) {
	first := NumberIn(i.SK) * StandingsPlaces
	var standings []game.Standing
	for rest := i.Rows; len(rest) > 0; {
		if len(rest) < packedPlayer {
			return nil, errUnpack
		}
		row := game.Standing{PlayerID: game.ID(uuid.UUID(rest[:packedPlayer]).String()), Rank: i.FirstRank}
		rest = rest[packedPlayer:]
		score, width := binary.Uvarint(rest)
		length, more := binary.Uvarint(rest[max(width, 0):])
		if width < 1 || more < 1 || length > uint64(len(rest)-width-more) {
			return nil, errUnpack
		}
		name := rest[width+more:][:length]
		row.Score, row.PlayerUsername, rest = int64(score), string(name), rest[width+more+len(name):]
		if n := len(standings); n > 0 {
			if row.Rank = standings[n-1].Rank; row.Score != standings[n-1].Score {
				row.Rank = first + n + 1
			}
		}
		standings = append(standings, row)
	}
	return standings, nil
}

// Of returns the places that the index has for the player: usually one, or none if the player is not in the standings.
func (i *StandingsIndexItem) Of(player game.ID) (places []int, err error) {
	id, err := uuid.Parse(string(player))
	if err != nil {
		return nil, nil
	}
	for rest := i.Places; len(rest) > 0; {
		if len(rest) <= indexedBytes {
			return nil, errUnpack
		}
		place, width := binary.Uvarint(rest[indexedBytes:])
		if width < 1 || place > maxPlace {
			return nil, errUnpack
		}
		if string(rest[:indexedBytes]) == string(id[:indexedBytes]) {
			places = append(places, int(place))
		}
		rest = rest[indexedBytes+width:]
	}
	return places, nil
}

// FoldedShows returns the shows on the list.
func (i *FoldedItem) FoldedShows() ([]game.ID, error) {
	if len(i.Shows)%packedPlayer != 0 {
		return nil, errUnpack
	}
	var shows []game.ID
	for id := range slices.Chunk(i.Shows, packedPlayer) {
		shows = append(shows, game.ID(uuid.UUID(id).String()))
	}
	return shows, nil
}
