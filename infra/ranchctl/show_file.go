package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// createFromFile creates the shows of a file one after the other, each by a change of its own under a new id: which of
// them have been created already, it knows by the shows. An attempt of which nobody knows what became of it may still
// arrive when the file is taken again: whichever comes second finds that the show is there, since its id is the same.
func (a *app) createFromFile(ctx context.Context, args []string, f showFlags) error {
	shows, err := a.readShows(f)
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.with(func(ctx context.Context, s *store.Store, _ []string) error {
			missing, err := a.missing(ctx, s, shows)
			if err != nil {
				return err
			}
			return a.printFiled(missing)
		})(ctx, args)
	}
	a.resumes = true
	return a.changing(func(inner context.Context, s *store.Store, _ store.Operator, _ []string) error {
		missing, err := a.missing(inner, s, shows)
		if err != nil {
			return err
		}
		created, err := a.createAll(ctx, s, missing) // which may take longer than one call
		if printErr := a.printFiled(created); err == nil {
			err = printErr
		}
		if err != nil {
			return fmt.Errorf("%d of %d shows were created, and the same command goes on: %w", len(created), len(missing), err)
		}
		return nil
	})(ctx, args)
}

func (a *app) createAll(ctx context.Context, s *store.Store, shows []filedShow) (created []filedShow, err error) {
	progress := a.progress("shows created")
	defer progress.end()
	for i, show := range shows {
		o, err := a.operator(ctx, s)
		if err != nil {
			return created, err
		}
		err = a.create(ctx, o, show)
		switch {
		case errors.Is(err, store.ErrExists) && !errors.Is(err, store.ErrUnclear):
			// somebody else takes the same file, or an attempt of the last time has just arrived
			a.skipped(show, show.Show)
		case err != nil:
			return created, fmt.Errorf("line %d: %w", show.line, err)
		default:
			created = append(created, show)
		}
		progress.at(i+1, len(shows))
	}
	return created, nil
}

func (a *app) create(ctx context.Context, o store.Operator, show filedShow) error {
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	return o.CreateShow(ctx, show.Show, show.gates)
}

func (a *app) printFiled(filed []filedShow) error {
	listed := make([]game.ListedShow, len(filed))
	for i, show := range filed {
		listed[i].Show = show.Show
	}
	return shows.list(a)(listed, nil)
}

// skipped says that a show is there, and what it has become.
func (a *app) skipped(show filedShow, there game.Show) {
	said := fmt.Sprintf("line %d: %s, which closes at %v, is there already", show.line, show.Name, show.EntryClosesAt)
	if sameShow(there) != sameShow(show.Show) {
		said += fmt.Sprintf(": it is %s now, which closes at %v", there.Name, there.EntryClosesAt)
	}
	fmt.Fprintln(a.warnings, terminal.Visible(said))
}

// missing puts the shows into their seasons, gives them their ids, and returns those that are not there yet; it says
// which ones are.
func (a *app) missing(ctx context.Context, s *store.Store, shows []filedShow) ([]filedShow, error) {
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
	seasons, filed := map[game.ID]game.ID{}, map[string]bool{}
	var missing []filedShow
	for _, show := range shows {
		said := show.SeasonID
		if season, asked := seasons[said]; asked {
			show.SeasonID = season
		} else if err := show.inSeason(ctx, s); err != nil {
			return nil, fmt.Errorf("line %d: %w", show.line, err)
		}
		seasons[said] = show.SeasonID
		known, is := game.Show{}, false
		if show.ID == "" {
			same := sameShow(show.Show)
			if filed[same] {
				return nil, usagef("line %d: %q is in the file twice", show.line, show.Name)
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
		missing = append(missing, show)
	}
	return missing, nil
}

// filedID is the id of a show of a file that says none: the same one whenever the file is taken, but for those of the
// shows of before that have been cancelled.
func filedID(show game.Show, there map[game.ID]game.Show) game.ID {
	for n := 0; ; n++ {
		id := game.ID(uuid.NewSHA1(uuid.MustParse(string(show.SeasonID)), fmt.Appendf(nil, "%s %d", sameShow(show), n)).String())
		if there[id].Status != game.ShowCancelled {
			return id
		}
	}
}

// sameShow is what two shows have in common that are taken for one.
func sameShow(s game.Show) string {
	return fmt.Sprintf("%v %s %s", s.EntryClosesAt, s.SeasonID, s.Name)
}

// readShows reads and checks a whole file.
func (a *app) readShows(f showFlags) ([]filedShow, error) {
	file, err := os.Open(f.file)
	if err != nil {
		return nil, usage{err}
	}
	defer file.Close()
	shows, err := parseShows(file)
	if err != nil {
		return nil, usagef("%s: %w", f.file, err)
	}
	var doubts []string
	for _, show := range shows {
		for _, doubt := range show.Doubts(a.now()) {
			doubts = append(doubts, fmt.Sprintf("%s: line %d: %s", f.file, show.line, doubt))
		}
	}
	return shows, a.refuseDoubts(doubts, f.force)
}
