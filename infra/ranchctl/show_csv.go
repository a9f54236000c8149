package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// The columns of a file of shows.
var (
	neededColumns = []string{"name", "tier", "fee", "closes-at"}
	otherColumns  = []string{"season", "gates", "id"}
)

// mostShows bounds a file: far more than anybody has in mind.
const mostShows = 10_000

// filedShow is a show of a file.
type filedShow struct {
	newShowDraft
	line int
}

// parseShows reads the shows of a file, none of which has a season or an id yet unless it says one.
func parseShows(file io.Reader) ([]filedShow, error) {
	r := csv.NewReader(file)
	r.TrimLeadingSpace = true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("the line that names the columns: %w", err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	if err := checkColumns(header); err != nil {
		return nil, err
	}
	var shows []filedShow
	ids := map[game.ID]bool{}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		show, err := parseShow(header, cells)
		if err == nil {
			err = show.check()
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", line, err)
		case show.ID != "" && ids[show.ID]:
			return nil, fmt.Errorf("line %d: the id is in the file twice", line)
		case len(shows) == mostShows:
			return nil, fmt.Errorf("more than %d shows", mostShows)
		}
		show.line, ids[show.ID] = line, true
		shows = append(shows, show)
	}
	return shows, nil
}

func checkColumns(header []string) error {
	known := slices.Concat(neededColumns, otherColumns)
	for i, column := range header {
		if !slices.Contains(known, column) {
			return fmt.Errorf("the column %q is none of %s", column, strings.Join(known, ", "))
		}
		if slices.Contains(header[:i], column) {
			return fmt.Errorf("the column %q is there twice", column)
		}
	}
	for _, column := range neededColumns {
		if !slices.Contains(header, column) {
			return fmt.Errorf("the column %q is missing", column)
		}
	}
	return nil
}

// parseShow reads one line. A cell that need not be there may be empty.
func parseShow(header, cells []string) (filedShow, error) {
	show := filedShow{newShowDraft: newShowDraft{game.Show{Status: game.ShowOpen}, store.DefaultGates}}
	for i, column := range header {
		cell, err := cells[i], error(nil)
		if cell == "" && slices.Contains(otherColumns, column) {
			continue
		}
		switch column {
		case "name":
			show.Name = cell
		case "tier":
			show.Tier = cell
		case "fee":
			show.EntryFee, err = wholeNumber(cell)
		case "closes-at": // not relative to now: the next time it would be another show
			if show.EntryClosesAt, err = game.ParseInstant(cell); err != nil {
				err = errors.New("is no RFC 3339, such as 2026-11-20T09:30:00Z")
			}
		case "season":
			show.SeasonID, err = id("season", cell)
		case "gates":
			var gates int64
			gates, err = wholeNumber(cell)
			show.gates = int(gates)
		case "id":
			show.ID, err = id("show", cell)
		}
		if err != nil {
			return show, fmt.Errorf("%s: %q: %w", column, cell, err)
		}
	}
	return show, nil
}

func wholeNumber(cell string) (int64, error) {
	n, err := strconv.ParseInt(cell, 10, 64)
	if err != nil {
		return 0, errors.New("is no whole number")
	}
	return n, nil
}
