package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
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
	closes    time.Duration // after the base of its round; the past is negative
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
	formerSeason = 1        // the number of the season that is over when the demo begins
	formerAge    = 60 * day // how long ago that season began
	seasonAge    = 7 * day  // how long ago the active season began
	seasonRest   = 60 * day // how long the active season goes on
	lead         = 2 * day  // from a show's opening to its closing, or to the base if it closes after the base
	// The demo begins another round if fewer than leastShows shows or leastRookies rookie shows stay open for a day.
	leastShows, leastRookies = 5, 3
	// demoPause is how long a running service waits before it counts the open shows again.
	demoPause = 5 * time.Second
)

// named returns the id of a part of the demo, such as a season. Equal arguments give the same id in every table.
func named(what ...any) game.ID {
	return game.ID(uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendln([]byte("ranch demo "), what...)).String())
}

// stamped returns the id of a part of the demo that begins at an instant. Like a change's id, it contains the instant.
func stamped(at game.Instant, what ...any) game.ID {
	return store.NewChange("", "", at).ID[:15] + named(append(what, at)...)[15:]
}

func animalOf(rival, n int) game.ID { return named(rivals[rival].name, "animal", n) }

// demo adds the parts of the demo that a table lacks at an instant. It first reads which parts exist, so it can
// complete an interrupted demo. It keeps what players and operators have changed.
type demo struct {
	table  *store.Store
	now    game.Instant
	tell   func(done, of int) // called after each event
	events []event
	shows  map[game.ID]*stagedShow
	made   int    // shows
	hash   string // of rivalPassword; "" until a rival joins
}

// event is one step of the demo, with the time at which the step happens. If the table already has the step's result,
// do changes nothing.
type event struct {
	at game.Instant
	do func(ctx context.Context, at game.Instant) error
}

// stagedShow is a show that the demo found or created.
type stagedShow struct {
	game.Show
	entries []game.Entry
}

// errForeign means that the table has seasons, but that the demo created none of them.
var errForeign = errors.New("the demo is not added: the table has seasons that the demo did not create")

// seedDemo creates the missing parts of the demo, and returns how many shows it created. Entries, judgings and claims
// get times in the past. An operator's change also records the time at which it was really written.
//
// A season has rounds of open shows. If the last season is over, a call begins another season. If too few shows are
// open (enough), a call begins another round, but never two rounds. If the table has only seasons that the demo did not
// create, seedDemo changes nothing and returns errForeign.
func seedDemo(ctx context.Context, table *store.Store, now game.Instant, tell func(done, of int)) (made int, err error) {
	d := &demo{table: table, now: now, tell: tell, shows: map[game.ID]*stagedShow{}}
	number, season, err := d.season(ctx)
	if err != nil {
		return 0, err
	}
	shows, err := table.AllShows(ctx, "")
	if err != nil {
		return 0, err
	}
	base := season.EndDate.Add(-seasonRest)
	last := lastRound(season, base, shows)
	if number == formerSeason+1 && last == base {
		former := game.Season{ID: named("season", formerSeason), Name: fmt.Sprint("Season ", formerSeason), StartDate: base.Add(-formerAge), EndDate: season.StartDate}
		d.plan(former.StartDate, func(ctx context.Context, at game.Instant) error {
			return d.change(ctx, at, func(o store.Operator) error { return o.CreateSeason(ctx, former) }, former.ID)
		})
		for i := range rivals {
			d.plan(former.StartDate.Add(time.Duration(i)*time.Hour), func(ctx context.Context, at game.Instant) error { return d.join(ctx, i, at) })
		}
		d.planShows(former, base, lead, formerShows)
		d.planShows(season, base, lead, history)
		d.planShows(season, base, lead, round)
	} else {
		d.planShows(season, last, 0, round)
	}
	if err = d.run(ctx); err == nil && d.made == 0 && !enough(shows, now) {
		d.planShows(season, now, 0, round)
		err = d.run(ctx)
	}
	return d.made, err
}

// season returns the demo's last season and its number. If the demo has no current season, season creates the next one.
func (d *demo) season(ctx context.Context) (number int, season game.Season, err error) {
	for number = formerSeason; ; number++ {
		next, err := d.table.Season(ctx, named("season", number+1))
		if err != nil {
			return 0, season, err
		}
		if next == nil {
			break
		}
		season = *next
	}
	start := d.now
	if number == formerSeason {
		if seasons, err := d.table.Seasons(ctx); err != nil || len(seasons) > 0 {
			return 0, season, cmp.Or(err, errForeign)
		}
		start = d.now.Add(-seasonAge)
	} else if season.IsActive && season.EndDate > d.now {
		return number, season, nil
	} else if season.IsActive {
		if err := d.operator(season.EndDate, "end", season.ID).SetSeasonActive(ctx, season.ID, false); err != nil {
			return 0, season, err
		}
	}
	number++
	season = game.Season{ID: named("season", number), Name: fmt.Sprint("Season ", number), StartDate: start, EndDate: d.now.Add(seasonRest), IsActive: true}
	return number, season, d.operator(d.now, season.ID).CreateSeason(ctx, season)
}

// lastRound returns when the season's last round began. base is when its first round began, and shows are all shows.
func lastRound(season game.Season, base game.Instant, shows []game.ListedShow) game.Instant {
	last := base
	for _, s := range shows {
		if c, ok := store.ParseChange(string(s.ID)); ok && s.SeasonID == season.ID && s.ID == stamped(c.At, s.Name) {
			last = max(last, c.At)
		}
	}
	return last
}

// enough reports whether so many shows stay open for another day that no new round is needed.
func enough(shows []game.ListedShow, now game.Instant) bool {
	left, rookies := 0, 0
	for _, s := range shows {
		if s.AcceptsEntriesAt(now.Add(day)) {
			left++
			if s.Tier == game.TierRookie {
				rookies++
			}
		}
	}
	return left >= leastShows && rookies >= leastRookies
}

// keepDemo begins another round if too few shows are open (enough). Each call reads the open shows: 1 RCU for about 16.
func keepDemo(ctx context.Context, table *store.Store, now game.Instant) error {
	shows, err := table.AllShows(ctx, game.ShowOpen)
	if err != nil || enough(shows, now) {
		return err
	}
	if _, err = seedDemo(ctx, table, now, func(int, int) {}); errors.Is(err, errForeign) {
		return nil
	}
	return err
}

func (d *demo) plan(at game.Instant, do func(context.Context, game.Instant) error) {
	d.events = append(d.events, event{at, do})
}

// run runs the planned events in the order of their times.
func (d *demo) run(ctx context.Context) error {
	slices.SortStableFunc(d.events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	for i, e := range d.events {
		if err := e.do(ctx, e.at); err != nil {
			return err
		}
		d.tell(i+1, len(d.events))
	}
	d.events = nil
	return nil
}

// planShows plans the events of a round's shows. base is the round's beginning. A show opens a lead before it closes,
// or a lead before base if it closes after base. A show that closes before base is judged a minute after it closes, or
// cancelled before it closes.
func (d *demo) planShows(season game.Season, base game.Instant, lead time.Duration, shows []demoShow) {
	for n, s := range shows {
		show := game.Show{
			ID: stamped(base, s.name), Name: s.name, Tier: s.tier, EntryFee: s.fee, EntryClosesAt: base.Add(s.closes), Status: game.ShowOpen, SeasonID: season.ID,
		}
		if s.closes > 0 && show.EntryClosesAt <= d.now {
			continue // no player could enter it
		}
		opens := min(base, show.EntryClosesAt).Add(-lead)
		d.plan(opens, func(ctx context.Context, at game.Instant) error { return d.create(ctx, show, at) })
		step := lead / time.Duration(s.entries+2)
		for i := range s.entries {
			rival, animal := (n+3*i)%len(rivals), (n+i)%len(rivals[0].herd)
			d.plan(opens.Add(step*time.Duration(i+1)), func(ctx context.Context, at game.Instant) error { return d.enter(ctx, show.ID, rival, animal, at) })
		}
		switch {
		case s.cancelled:
			d.plan(show.EntryClosesAt.Add(-step), func(ctx context.Context, at game.Instant) error { return d.cancel(ctx, show.ID, at) })
		case s.closes < 0:
			d.plan(show.EntryClosesAt.Add(time.Minute), func(ctx context.Context, at game.Instant) error { return d.judge(ctx, show.ID, n%len(rivals), at) })
		}
	}
}

// operator returns the store's operator for one change. Equal arguments mean the same change, which takes effect once.
func (d *demo) operator(at game.Instant, what ...any) store.Operator {
	return d.table.Operator(store.Change{ID: stamped(at, what...), By: "demo", At: at})
}

// change makes an operator's change, unless the table's audit record says that it was made. (The store would also
// notice the repetition, but only after a wait.)
func (d *demo) change(ctx context.Context, at game.Instant, make func(store.Operator) error, what ...any) error {
	record, err := d.table.AuditRecord(ctx, stamped(at, what...))
	if record != nil || err != nil {
		return err
	}
	return make(d.operator(at, what...))
}

// join registers a rival and gives it gold. It does nothing if another player has taken the rival's name or address.
func (d *demo) join(ctx context.Context, i int, at game.Instant) error {
	r := rivals[i]
	id := named(r.name)
	account, err := d.table.Account(ctx, id)
	if err == nil && account == nil {
		if d.hash == "" {
			d.hash = password.Hash(rivalPassword)
		}
		a := game.NewAccount(game.Registration{Email: r.name + "@example.com", Username: r.name, RanchName: r.ranch}, at)
		a.ID, a.Ranch.ID = id, named(r.name, "ranch")
		herd := game.Starters(rand.New(rand.NewPCG(uint64(i), 0)), id, a.Ranch.ID, at)
		for n := range herd {
			herd[n].ID, herd[n].Name = animalOf(i, n), r.herd[n]
		}
		session := game.RefreshRecord{ID: game.NewID(), UserID: id, Digest: fmt.Sprintf("%x", sha256.Sum256([]byte(id))), ExpiresAt: at.Add(game.RefreshTokenLifetime)}
		err = d.table.CreateAccount(ctx, a, d.hash, herd, game.StarterEntry(id, at), session)
	}
	if err != nil {
		return unlessRefused(err)
	}
	return d.change(ctx, at, func(o store.Operator) error { return o.AdjustGold(ctx, id, stake, "A stake for the demo") }, "stake", id)
}

// unlessRefused returns nil if err is a refusal of the game's rules, otherwise err. A refusal is no failure of the
// demo: players or operators may have changed the records that a step needs.
func unlessRefused(err error) error {
	if refusal := (*game.Refusal)(nil); errors.As(err, &refusal) {
		return nil
	}
	return err
}

// create creates the show, or reads an existing show with its entries.
func (d *demo) create(ctx context.Context, show game.Show, at game.Instant) error {
	found, entries, err := d.table.ShowWithEntries(ctx, show.ID)
	if errors.Is(err, game.ErrShowUnknown) {
		found, err = show, d.operator(at, "create show", show.ID).CreateShow(ctx, show, demoGates)
		d.made++
	}
	d.shows[show.ID] = &stagedShow{found, entries}
	return err
}

// enter enters a rival's animal in a show that is open.
func (d *demo) enter(ctx context.Context, show game.ID, rival, animal int, at game.Instant) error {
	s, id := d.shows[show], animalOf(rival, animal)
	if s.Status != game.ShowOpen || slices.ContainsFunc(s.entries, func(e game.Entry) bool { return e.AnimalID == id }) {
		return nil
	}
	_, _, err := d.table.Enter(ctx, named(rivals[rival].name), show, id, at)
	return unlessRefused(err)
}

// cancel cancels a show that is open. It refunds the fees of a cancelled show.
func (d *demo) cancel(ctx context.Context, show game.ID, at game.Instant) error {
	cancel := d.operator(at, "cancel show", show)
	if d.shows[show].Status == game.ShowOpen {
		if err := cancel.CancelShow(ctx, show); err != nil {
			return err
		}
	}
	if err := cancel.Refund(ctx, show, nil); !errors.Is(err, store.ErrNotCancelled) {
		return err
	}
	return nil
}

// judge judges a show in the name of a rival, if the show is open. Then it claims all prizes that are not claimed.
func (d *demo) judge(ctx context.Context, show game.ID, rival int, at game.Instant) (err error) {
	s := d.shows[show]
	if s.Status == game.ShowOpen {
		if _, err := d.table.Judge(ctx, named(rivals[rival].name), show, at); unlessRefused(err) != nil {
			return err
		}
		if _, s.entries, err = d.table.ShowWithEntries(ctx, show); err != nil {
			return err
		}
	}
	for _, e := range s.entries {
		if e.Rank != nil && game.Prize(s.Tier, *e.Rank) > 0 && !e.RewardClaimed {
			if _, _, err := d.table.Claim(ctx, e.PlayerID, show, at); unlessRefused(err) != nil {
				return err
			}
		}
	}
	return nil
}
