package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
)

// rivals are the players of the demo. Each logs in as NAME@example.com with rivalPassword.
var rivals = [...]struct {
	name, ranch string
	herd        [3]string // the names of the animals
}{
	{"PrairieRose", "Wild Rose Ranch", [...]string{"Thunder", "Clementine", "Buttercup"}},
	{"DustyTrail", "Dry Creek Ranch", [...]string{"Diesel", "Juniper", "Maybelle"}},
	{"OldMacGregor", "Heather Hill Farm", [...]string{"Angus Og", "Heather", "Bluebell"}},
	{"Longhorn_Lou", "Twin Buttes Ranch", [...]string{"Rusty", "Peaches", "Cinnamon"}},
	{"sunny-side", "Sunny Side Dairy", [...]string{"Duke", "Daisy", "Dolly"}},
	{"LadyLariat", "Silver Spur Ranch", [...]string{"Maverick", "Cricket", "Starlight"}},
	{"MooseJaw88", "Moose Jaw Meadows", [...]string{"Bruno", "Maple", "Snowdrop"}},
	{"TumbleKid", "Windy Gap Ranch", [...]string{"Bandit", "Pepper", "Marigold"}},
}

const (
	rivalPassword = "tumbleweed"
	// stake is the gold that an operator gives each rival. A rival can pay all fees with it, even without winning.
	stake = 10_000
	day   = 24 * time.Hour
	// demoGates is the number of gates (counter shards) of a demo show. Two are enough for the players of one machine.
	demoGates = 2
)

// demoShow is a show of the demo.
type demoShow struct {
	name      string
	tier      string
	fee       int64
	closes    time.Duration // after the base of planShows; the past is negative
	entries   int           // of different rivals
	cancelled bool
}

// round lists the open shows that the demo creates together. There is a show for every rule of entering: every tier,
// free and paid, closing in minutes and in weeks, too expensive for a new player, without a prize. Several rookie shows
// that a new player can pay stay open for many days, with enough rivals for a podium.
var round = []demoShow{
	{"Early Bird Parade", game.TierRookie, 0, 5 * time.Minute, 3, false},
	{"Market Day Trials", game.TierPro, 50, 30 * time.Minute, 4, false},
	{"Silver Bell Evening", game.TierElite, 250, time.Hour, 3, false},
	{"Harvest Exhibition", "exhibition", 0, 3 * time.Hour, 2, false},
	{"County Champions", game.TierPro, 75, 12 * time.Hour, 3, false},
	{"Prairie Pro Tour", game.TierPro, 0, day, 5, false},
	{"Golden Horseshoe", game.TierElite, 300, 2 * day, 2, false},
	{"Royal Ranch Gala", game.TierElite, 600, 3 * day, 2, false},
	{"Grand National Round-up", game.TierPro, 100, 7 * day, 0, false},
	{"Fencepost Futurity", game.TierRookie, 5, 11 * day, 3, false},
	{"Barn Door Classic", game.TierRookie, 10, 12 * day, 3, false},
	{"Creekside Open", game.TierRookie, 25, 13 * day, 4, false},
	{"Newcomers' Welcome", game.TierRookie, 0, 14 * day, 3, false},
}

// history lists shows of the active season that have already closed when the demo begins.
var history = []demoShow{
	{"First Frost Fair", game.TierRookie, 10, -100 * time.Hour, 4, false},
	{"Riverbend Derby", game.TierPro, 75, -90 * time.Hour, 5, false},
	{"Thunderhead Cup", game.TierElite, 300, -80 * time.Hour, 3, true},
	{"Moonlight Muster", game.TierElite, 250, -70 * time.Hour, 3, false},
	{"Saddle Club Sunday", game.TierRookie, 0, -50 * time.Hour, 4, false},
	{"Mud Season Trials", game.TierPro, 50, -30 * time.Hour, 2, true},
	{"Red Barn Jubilee", game.TierPro, 50, -20 * time.Hour, 4, false},
	{"Sunrise Showcase", game.TierRookie, 15, -3 * time.Hour, 3, false},
}

// formerShows has the shows of the season before.
var formerShows = []demoShow{
	{"Haymaker Classic", game.TierRookie, 0, -40 * day, 4, false},
	{"Stockyard Stakes", game.TierPro, 50, -28 * day, 4, false},
	{"Autumn Crown", game.TierElite, 250, -10 * day, 3, false},
}

const (
	formerAge  = 60 * day // from the beginning of the season before to its end
	seasonAge  = 7 * day  // how long ago the active season began
	seasonRest = 60 * day // how long the active season goes on
	lead       = 2 * day  // from a show's opening to its closing, or to the base if it closes after the base
	// The demo adds the missing shows of the round if fewer than leastShows shows or leastRookies rookie shows stay open
	// for a day.
	leastShows, leastRookies = 5, 3
	// demoPause is how long a running service waits before it counts the open shows again.
	demoPause = 5 * time.Second
)

// named returns the id of a part of the demo, such as a season. Equal arguments give the same id in every table.
func named(what ...any) game.ID {
	return game.ID(uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendln([]byte("ranch demo "), what...)).String())
}

func animalOf(rival, n int) game.ID { return named(rivals[rival].name, "animal", n) }

// demo is a plan of events that fill a table.
type demo struct {
	table  operate.Desk
	hash   string // of rivalPassword; "" until a rival joins
	events []event
	made   int // shows
}

// event is one step of the demo, with the time at which the step happens.
type event struct {
	at game.Instant
	do func(ctx context.Context, at game.Instant) error
}

// errForeign means that the table has seasons, but that the demo created none of them.
var errForeign = errors.New("the demo is not added: the table has seasons that the demo did not create")

// seedDemo fills a table without seasons with the demo, and returns how many shows it created. Entries, judgings and
// claims get times in the past. An operator's change also records the time at which it was really written.
//
// If the table has the demo, seedDemo adds the missing shows of the round if too few are open (enough), and begins
// another season if the last one is over. If the table has only seasons that the demo did not create, seedDemo changes
// nothing and returns errForeign. After each event it calls tell.
func seedDemo(ctx context.Context, table operate.Desk, now game.Instant, tell func(done, of int)) (made int, err error) {
	seasons, err := table.Seasons(ctx)
	if err != nil {
		return 0, err
	}
	d, number, last := &demo{table: table}, 0, game.Season{}
	for _, s := range seasons { // by their beginning
		if s.ID == named("season", number+1) {
			number, last = number+1, s
		}
	}
	switch {
	case len(seasons) == 0:
		d.planBeginning(now)
	case number == 0:
		return 0, errForeign
	default:
		if err := d.planMore(ctx, number, last, now); err != nil {
			return 0, err
		}
	}
	slices.SortStableFunc(d.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for i, e := range d.events {
		if err := e.do(ctx, e.at); err != nil {
			return d.made, err
		}
		tell(i+1, len(d.events))
	}
	return d.made, nil
}

// planBeginning plans the rivals, a season that is over, and an active season with judged, cancelled and open shows.
func (d *demo) planBeginning(now game.Instant) {
	start := now.Add(-seasonAge - formerAge)
	for i := range rivals {
		joined := start.Add(time.Duration(i-len(rivals)) * time.Hour)
		d.plan(joined, func(ctx context.Context, at game.Instant) error { return d.join(ctx, i, at) })
	}
	former := d.planSeason(1, start, start.Add(formerAge), false)
	active := d.planSeason(2, former.EndDate, now.Add(seasonRest), true)
	d.planShows(former, now, lead, formerShows)
	d.planShows(active, now, lead, history)
	d.planShows(active, now, lead, round)
}

// planMore plans the missing shows of the round if the last season is over or too few of the open shows stay open.
func (d *demo) planMore(ctx context.Context, number int, last game.Season, now game.Instant) error {
	open, err := d.table.AllShows(ctx, game.ShowOpen)
	over := !last.IsActive || last.EndDate <= now
	if err != nil || !over && enough(open, now) {
		return err
	}
	all, err := d.table.AllShows(ctx, "")
	if err != nil {
		return err
	}
	season := last
	if over {
		if last.IsActive {
			d.plan(now, func(ctx context.Context, at game.Instant) error {
				return d.operator(at).SetSeasonActive(ctx, last.ID, false)
			})
		}
		season = d.planSeason(number+1, now, now.Add(seasonRest), true)
	}
	d.planShows(season, now, 0, missing(all, season, now))
	return nil
}

// missing returns the shows of the round that no open show of the season stands for, each with a name that no show has
// had: "Creekside Open 2" follows "Creekside Open". To stand for one, a show must stay open for another day, or for half
// of a short show's time.
func missing(shows []game.ListedShow, season game.Season, now game.Instant) (add []demoShow) {
	for _, planned := range round {
		stands, names := false, map[string]bool{}
		for _, s := range shows {
			names[s.Name] = true
			same := s.SeasonID == season.ID && (s.Name == planned.name || strings.HasPrefix(s.Name, planned.name+" "))
			stands = stands || same && s.AcceptsEntriesAt(now.Add(min(day, planned.closes/2)))
		}
		if stands {
			continue
		}
		base := planned.name
		for n := 2; names[planned.name]; n++ {
			planned.name = fmt.Sprint(base, " ", n)
		}
		add = append(add, planned)
	}
	return add
}

// enough reports whether so many shows stay open for another day that the demo adds none.
func enough(shows []game.ListedShow, now game.Instant) bool {
	open, rookies := 0, 0
	for _, s := range shows {
		if s.AcceptsEntriesAt(now.Add(day)) {
			open++
			if s.Tier == game.TierRookie {
				rookies++
			}
		}
	}
	return open >= leastShows && rookies >= leastRookies
}

func (d *demo) plan(at game.Instant, do func(context.Context, game.Instant) error) {
	d.events = append(d.events, event{at, do})
}

// planSeason plans the creation of a season at its start, and returns the season.
func (d *demo) planSeason(number int, start, end game.Instant, active bool) game.Season {
	season := game.Season{ID: named("season", number), Name: fmt.Sprint("Season ", number), StartDate: start, EndDate: end, IsActive: active}
	d.plan(start, func(ctx context.Context, at game.Instant) error { return d.operator(at).CreateSeason(ctx, season) })
	return season
}

// planShows plans the events of shows. Their times count from base. A show opens a lead before it closes,
// or a lead before base if it closes after base. A show that closes before base is judged a minute after it closes, or
// cancelled before it closes.
func (d *demo) planShows(season game.Season, base game.Instant, lead time.Duration, shows []demoShow) {
	for n, s := range shows {
		show := game.Show{
			ID: game.NewID(), Name: s.name, Tier: s.tier, EntryFee: s.fee, EntryClosesAt: base.Add(s.closes),
			Status: game.ShowOpen, SeasonID: season.ID,
		}
		opens := min(base, show.EntryClosesAt).Add(-lead)
		d.plan(opens, func(ctx context.Context, at game.Instant) error {
			d.made++
			return d.operator(at).CreateShow(ctx, show, demoGates)
		})
		step := lead / time.Duration(s.entries+2)
		for i := range s.entries {
			rival, animal := (n+3*i)%len(rivals), (n+i)%len(rivals[0].herd)
			d.plan(opens.Add(step*time.Duration(i+1)), func(ctx context.Context, at game.Instant) error {
				_, _, err := d.table.Enter(ctx, named(rivals[rival].name), show.ID, animalOf(rival, animal), at)
				return unlessRefused(err)
			})
		}
		switch {
		case s.cancelled:
			d.plan(show.EntryClosesAt.Add(-step), func(ctx context.Context, at game.Instant) error {
				operator := d.operator(at)
				return cmp.Or(operator.CancelShow(ctx, show.ID), operator.Refund(ctx, show.ID, nil))
			})
		case s.closes < 0:
			d.plan(show.EntryClosesAt.Add(time.Minute), func(ctx context.Context, at game.Instant) error {
				return d.judge(ctx, show.ID, n%len(rivals), at)
			})
		}
	}
}

// operator returns the store's operator for one change.
func (d *demo) operator(at game.Instant) operate.Operator {
	return d.table.Operator(operate.NewChange("demo", "", at))
}

// join registers a rival and gives it gold. It does nothing if the rival exists, or another player has taken its name.
func (d *demo) join(ctx context.Context, i int, at game.Instant) error {
	r := rivals[i]
	id := named(r.name)
	if account, err := d.table.Account(ctx, id); account != nil || err != nil {
		return err
	}
	if d.hash == "" {
		d.hash = password.Hash(rivalPassword)
	}
	a := game.NewAccount(game.Registration{Email: r.name + "@example.com", Username: r.name, RanchName: r.ranch}, at)
	a.ID, a.Ranch.ID = id, named(r.name, "ranch")
	herd := game.Starters(rand.New(rand.NewPCG(uint64(i), 0)), id, a.Ranch.ID, at)
	for n := range herd {
		herd[n].ID, herd[n].Name = animalOf(i, n), r.herd[n]
	}
	session := game.RefreshRecord{
		ID: game.NewID(), UserID: id, Digest: fmt.Sprintf("%x", sha256.Sum256([]byte(id))), ExpiresAt: at.Add(game.RefreshTokenLifetime),
	}
	if err := d.table.CreateAccount(ctx, a, d.hash, herd, game.StarterEntry(id, at), session); err != nil {
		return unlessRefused(err)
	}
	return d.operator(at).AdjustGold(ctx, id, stake, "A stake for the demo")
}

// unlessRefused returns nil if err is a refusal of the game's rules, otherwise err. A refusal is no failure of the
// demo: players or operators may have changed the records that a step needs.
func unlessRefused(err error) error {
	if refusal := (*game.Refusal)(nil); errors.As(err, &refusal) {
		return nil
	}
	return err
}

// judge judges a show in the name of a rival, and claims all prizes.
func (d *demo) judge(ctx context.Context, show game.ID, rival int, at game.Instant) error {
	if _, err := d.table.Judge(ctx, named(rivals[rival].name), show, at); err != nil {
		return unlessRefused(err)
	}
	read, entries, err := d.table.ShowWithEntries(ctx, show)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Rank != nil && game.Prize(read.Tier, *e.Rank) > 0 {
			if _, _, err := d.table.Claim(ctx, e.PlayerID, show, at); unlessRefused(err) != nil {
				return err
			}
		}
	}
	return nil
}
