package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// These are the numbers of the first ids of a fixed scene's shows and seasons.
const (
	firstShow   = 9000
	firstSeason = 9900
)

// NewSeason returns an active season that is not stored yet: from an hour before the scene's time until 30 days after.
func (s *Scene) NewSeason(changes ...func(*game.Season)) game.Season {
	season := game.Season{
		ID: s.id(firstSeason + s.seasons), Name: "Autumn", StartDate: s.Now.Add(-time.Hour), EndDate: s.Now.Add(30 * 24 * time.Hour), IsActive: true,
	}
	s.seasons++
	for _, change := range changes {
		change(&season)
	}
	return season
}

// AddSeason creates a season.
func (s *Scene) AddSeason(t testing.TB, changes ...func(*game.Season)) game.Season {
	t.Helper()
	season := s.NewSeason(changes...)
	require.NoError(t, s.Operator().CreateSeason(t.Context(), season))
	if s.Season.ID == "" {
		s.Season = season
	}
	return season
}

// ShowDraft is a show that will be created with a number of gates.
type ShowDraft struct {
	game.Show
	Gates int
}

// Tier returns a change that sets the tier of a show.
func Tier(tier string) func(*ShowDraft) { return func(d *ShowDraft) { d.Tier = tier } }

// Fee returns a change that sets the entry fee of a show.
func Fee(gold int64) func(*ShowDraft) { return func(d *ShowDraft) { d.EntryFee = gold } }

// Gates returns a change that sets the number of gates (counters of entries) of a show.
func Gates(n int) func(*ShowDraft) { return func(d *ShowDraft) { d.Gates = n } }

func (s *Scene) draft(changes []func(*ShowDraft)) ShowDraft {
	d := ShowDraft{Gates: 1, Show: game.Show{
		ID: s.id(firstShow + s.shows), Name: "County Fair", Tier: game.TierRookie, EntryFee: 50, EntryClosesAt: s.Now.Add(time.Hour), Status: game.ShowOpen,
		SeasonID: s.Season.ID,
	}}
	s.shows++
	for _, change := range changes {
		change(&d)
	}
	return d
}

// NewShow returns a show that is not stored yet: for rookies, open for another hour, with a fee of 50 gold. The
// functions in changes can change it.
func (s *Scene) NewShow(changes ...func(*ShowDraft)) game.Show { return s.draft(changes).Show }

// AddShow creates a show as NewShow describes it, and returns it. By default it has one gate (counter of entries).
func (s *Scene) AddShow(t testing.TB, changes ...func(*ShowDraft)) game.Show {
	t.Helper()
	d := s.draft(changes)
	require.NoError(t, s.Operator().CreateShow(t.Context(), d.Show, d.Gates))
	return d.Show
}

// MustEnter enters the player's animals with the given indices into the show, each one millisecond after the one
// before. Without indices, it enters all of the player's animals.
func (s *Scene) MustEnter(t testing.TB, p Player, show game.Show, animals ...int) {
	t.Helper()
	if len(animals) == 0 {
		for i := range p.Animals {
			animals = append(animals, i)
		}
	}
	for n, i := range animals {
		_, _, err := s.Rival.Enter(t.Context(), p.ID, show.ID, p.Animals[i].ID, s.Now+game.Instant(n))
		require.NoError(t, err)
	}
}

// MustJudge judges a show as the player, and returns the ranking.
func (s *Scene) MustJudge(t testing.TB, p Player, show game.Show) []game.Contestant {
	t.Helper()
	ranked, err := s.Rival.Judge(t.Context(), p.ID, show.ID, s.Now)
	require.NoError(t, err)
	return ranked
}

// MustClaim claims the player's prize in a show.
func (s *Scene) MustClaim(t testing.TB, p Player, show game.Show) {
	t.Helper()
	_, _, err := s.Rival.Claim(t.Context(), p.ID, show.ID, s.Now)
	require.NoError(t, err)
}

// MustSet changes an open show.
func (s *Scene) MustSet(t testing.TB, show game.Show, change operate.ShowChange) {
	t.Helper()
	assert.NoError(t, s.Operator().SetShow(t.Context(), show.ID, change))
}

// MustCancel cancels a show and refunds all fees.
func (s *Scene) MustCancel(t testing.TB, show game.Show) {
	t.Helper()
	assert.NoError(t, s.Operator().CancelShow(t.Context(), show.ID))
	assert.NoError(t, s.Operator().Refund(t.Context(), show.ID, nil))
}

// MustFold makes the standings of all seasons current, whether their folds are due or not.
func (s *Scene) MustFold(t testing.TB) {
	t.Helper()
	seasons, err := s.Rival.Unfolded(t.Context(), s.Now)
	require.NoError(t, err)
	for _, season := range seasons {
		require.NoError(t, s.Rival.Fold(t.Context(), season))
	}
}
