package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// createFromFile creates the shows of a file one after the other, each by a change of its own. It skips shows that
// exist. A late attempt, or another operator with the same file, may create a show meanwhile. createFromFile skips it,
// too, because each id is computed from the line.
func (a *app) createFromFile() (planner, error) {
	file, err := os.Open(a.file)
	if err != nil {
		return nil, mark(refusal, err)
	}
	defer file.Close()
	shows, err := parseShows(file)
	if err := a.fileProblems(err); err != nil {
		return nil, err
	}
	return func(ctx context.Context, s operate.Desk) (plan, error) {
		missing, err := a.missing(ctx, s, shows)
		return a.planAll(s, missing), err
	}, nil
}

// skipped prints that a show exists, and whether it differs from the file's line.
func (a *app) skipped(show filedShow, there game.Show) {
	said := fmt.Sprintf("line %d: %s, which closes at %v, exists already", show.Number, show.Name, show.EntryClosesAt)
	if differs := sameShow(there) != sameShow(show.Show); differs && show.Cells["id"] != "" {
		said = fmt.Sprintf("line %d: its id is that of %s, which closes at %v: nothing is created. To create a copy, empty the cell in the column id",
			show.Number, there.Name, there.EntryClosesAt)
	} else if differs {
		said += fmt.Sprintf(": it is %s now, which closes at %v", there.Name, there.EntryClosesAt)
	}
	fmt.Fprintln(a.warnings, terminal.Visible(said))
}

// missing gives the shows their seasons and ids. It plans those that do not exist, and prints those that exist.
func (a *app) missing(ctx context.Context, s operate.Desk, shows []filedShow) (missing []planned, err error) {
	there, err := s.AllShows(ctx, "")
	if err != nil {
		return nil, err
	}
	byID, byName := map[game.ID]game.Show{}, map[string]game.Show{}
	for _, show := range there {
		byID[show.ID] = show.Show
		if show.Status != game.ShowCancelled {
			byName[sameShow(show.Show)] = show.Show
		}
	}
	active, filed, seasons := game.ID(""), map[string]bool{}, map[game.ID]*game.Season{}
	var problems []error
	for _, show := range shows {
		if show.SeasonID == "" {
			show.SeasonID = active
			if err := show.inSeason(ctx, s); err != nil {
				return nil, ofLine(show.line, err)
			}
			active = show.SeasonID
		}
		known, is := game.Show{}, false
		if show.ID == "" {
			same := sameShow(show.Show)
			if filed[same] {
				problems = append(problems, ofLine(show.line, fmt.Errorf("%q is in the file twice", show.Name)))
			}
			filed[same] = true
			show.ID = filedID(show.Show, byID)
			known, is = byName[same]
		}
		if !is {
			known, is = byID[show.ID]
		}
		if is {
			a.skipped(show, known)
			continue
		}
		season, read := seasons[show.SeasonID]
		if !read {
			if season, err = s.Season(ctx, show.SeasonID); err != nil {
				return nil, err
			}
			seasons[show.SeasonID] = season
		}
		if season == nil {
			problems = append(problems, ofLine(show.line, operate.ErrUnknownSeason))
			continue
		}
		p := a.planShow(show.newShowDraft, season, named(show.Name, show.ID))
		p.do = func(ctx context.Context, o operate.Operator) error {
			err := o.CreateShow(ctx, show.Show, show.gates)
			if errors.Is(err, operate.ErrExists) && !errors.Is(err, operate.ErrUnclear) {
				a.skipped(show, show.Show)
				return nil
			}
			return err
		}
		missing = append(missing, planned{line: show.line, plan: p, subject: string(show.ID)})
	}
	return missing, a.fileProblems(problems...)
}

// filedID returns the id for a show whose line has none. It is the same each time the file is used, unless a show with
// that id is cancelled: then it is the next id.
func filedID(show game.Show, there map[game.ID]game.Show) game.ID {
	for n := 0; ; n++ {
		id := game.ID(uuid.NewSHA1(uuid.MustParse(string(show.SeasonID)), fmt.Appendf(nil, "%s %d", sameShow(show), n)).String())
		if there[id].Status != game.ShowCancelled {
			return id
		}
	}
}

// sameShow returns what identifies a show of a file: closing time, season and name.
func sameShow(s game.Show) string {
	return fmt.Sprintf("%v %s %s", s.EntryClosesAt, s.SeasonID, s.Name)
}
