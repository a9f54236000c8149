package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/ranch-game/ranch/infra/spreadsheet"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
)

// newShows describes a file of new shows. The output of 'show list -o csv' is such a file, too.
var newShows = spreadsheet.Columns{
	Needed: []string{"name", "tier", "fee", "closes-at"}, Optional: []string{"season", "gates", "id"},
	Also: map[string]string{"closes": "closes-at"}, Ignored: []string{"status", "judged", "entries", "refunded"},
}

// filedShow is a show in a file.
type filedShow struct {
	newShowDraft
	line
}

// parseShows reads the shows of a file. If a line has no season or id, its show has none yet. If the file has problems,
// parseShows returns all of them and no show.
func parseShows(file io.Reader) ([]filedShow, error) {
	lines, err := newShows.Read(file)
	problems := []error{err}
	var shows []filedShow
	ids := map[game.ID]bool{}
	for _, l := range lines {
		show, err := parseShow(l)
		if err == nil && show.ID != "" && ids[show.ID] {
			err = errors.New("the id is in the file twice")
		}
		ids[show.ID] = true
		problems = append(problems, ofLine(l, err))
		shows = append(shows, show)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return shows, nil
}

func parseShow(l line) (filedShow, error) {
	show := filedShow{newShowDraft{game.Show{Status: game.ShowOpen}, records.DefaultGates}, l}
	var problems []error
	for _, column := range slices.Sorted(maps.Keys(l.Cells)) {
		cell, err := l.Cells[column], error(nil)
		switch column {
		case "name":
			show.Name = cell
		case "tier":
			show.Tier = cell
		case "fee":
			show.EntryFee, err = wholeNumber(cell)
		case "closes-at": // a relative time would give another show each time
			if show.EntryClosesAt, err = game.ParseInstant(cell); err != nil {
				err = fmt.Errorf("%q: must be RFC 3339, such as 2026-11-20T09:30:00Z", cell)
			}
		case "season":
			show.SeasonID, err = id("season", cell)
		case "gates":
			var gates int64
			if gates, err = wholeNumber(cell); err == nil {
				show.gates = int(gates)
			}
		case "id":
			show.ID, err = id("show", cell)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", column, err))
		}
	}
	return show, errors.Join(append(problems, show.check())...)
}
