package linearizability

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// These are the ids in the scene of the handwritten histories. Ann and Bob have 500 gold each. Ann has two animals and
// a session, Bob has one animal. There are two rookie shows, for 50 and for 300 gold.
const (
	now = game.Instant(1_795_167_000_000)

	fair, gala, autumn           = game.ID("fair"), game.ID("gala"), game.ID("autumn")
	ann, bob                     = game.ID("ann"), game.ID("bob")
	annsBest, bobsBest, annsNext = game.ID("a1"), game.ID("b1"), game.ID("a2")
	annsToken                    = "digest"
)

var grades = map[game.ID]game.Fixed{annsBest: 90_00, bobsBest: 50_00, annsNext: 10_00}

func newScene() World {
	w := World{
		Users: map[game.ID]User{}, Animals: map[game.ID]Animal{}, Shows: map[game.ID]Show{}, Changes: map[game.ID]Record{},
		Tokens: map[string]game.RefreshRecord{annsToken: {ID: "t", UserID: ann, Digest: annsToken, ExpiresAt: now.Add(game.RefreshTokenLifetime)}},
	}
	for _, id := range []game.ID{ann, bob} {
		w.Users[id] = User{
			Account: game.Account{
				User:  game.User{ID: id, Email: email(id), Username: string(id), Status: game.UserActive, GoldBalance: 500, CreatedAt: now - 1},
				Ranch: &game.Ranch{}, LedgerSeq: 1,
			},
			Ledger: []Row{{Amount: 500, Category: game.CategoryStarter, BalanceAfter: 500, CreatedAt: now - 1}},
		}
	}
	for id, owner := range map[game.ID]game.ID{annsBest: ann, annsNext: ann, bobsBest: bob} {
		w.Animals[id] = Animal{Animal: game.Animal{
			ID: id, Owner: owner, Name: string(id), Stage: game.StageAdult, Status: game.StatusIdle, Condition: game.FixedMax, Phenotype: traits(grades[id]),
		}}
	}
	for id, fee := range map[game.ID]int64{fair: 50, gala: 300} {
		w.Shows[id] = Show{Show: game.Show{
			ID: id, Name: string(id), Tier: game.TierRookie, EntryFee: fee, EntryClosesAt: now + 3_600_000, Status: game.ShowOpen, SeasonID: autumn,
		}}
	}
	return w
}

func email(user game.ID) string { return string(user) + "@example.com" }

func traits(grade game.Fixed) *game.Phenotype {
	var p game.Phenotype
	for i := range p {
		p[i] = grade
	}
	return &p
}

// The calls of the histories.
var (
	annEnters     = Enter{ann, fair, annsBest, now}
	annEntersNext = Enter{ann, fair, annsNext, now}
	bobEnters     = Enter{bob, fair, bobsBest, now}
	annToGala     = Enter{ann, gala, annsBest, now}
	nextToGala    = Enter{ann, gala, annsNext, now}
	bobJudges     = Judge{bob, fair, now}
	annJudges     = Judge{ann, fair, now}
	annClaims     = Claim{ann, fair, now}
	looks         = Detail{fair}
	lists         = List{game.ShowOpen, ""}
	annsSeason    = Season{ann, autumn}
	annLogsIn     = Login{email(ann), "", game.RefreshRecord{ID: "t2", UserID: ann, Digest: "second", ExpiresAt: now.Add(game.RefreshTokenLifetime)}, now}
	annRefreshes  = Refresh{annsToken, ann, now}
	cleoComes     = registers("cleo", "cleo") // by an external sign-in, without a password
	cleoLogsIn    = Login{email("cleo"), registeredHash, game.RefreshRecord{ID: "t3", UserID: "cleo", Digest: "third"}, now}
	refundAgain   = Refund{store.Change{ID: "refund again", By: "tester", At: now + 9}, fair}
	deletes       = Delete{change("deletion"), ann}
	dueAt         = now.Add(time.Hour)
	ban           = Ban{change("ban"), ann}
	unban         = Unban{change("unban"), ann}
	cancel        = Cancel{change("cancel"), fair}
	refund        = Refund{change("refund"), fair}
	renamed       = Set{change("rename"), fair, store.ShowChange{Name: new("Fair of fairs")}}
	delayed       = Set{change("delay"), fair, store.ShowChange{EntryClosesAt: new(now + 7_200_000)}}
	free          = Set{change("free"), fair, store.ShowChange{EntryFee: new(int64(0))}}
	starves       = ChangeAnimal{change("starve"), ann, annsBest, store.AnimalChange{Condition: new(game.Fixed(0))}}
	fades         = ChangeAnimal{change("fading"), ann, annsBest, store.AnimalChange{DropPhenotype: true}}
	dies          = ChangeAnimal{change("death"), ann, annsBest, store.AnimalChange{DiedAt: new(now)}}
)

func change(id game.ID) store.Change { return store.Change{ID: id, By: "tester", At: now + 5} }

// registers is the registration of a user without a password.
func registers(id, username game.ID) Register {
	return Register{
		Account: game.Account{User: game.User{ID: id, Email: email(id), Username: string(username), Status: game.UserActive, GoldBalance: 500}, LedgerSeq: 1},
		Ledger:  game.StarterEntry(id, now), Token: game.RefreshRecord{ID: "t of " + id, UserID: id, Digest: "of " + string(id)},
	}
}

// errLost is the error of a call without an answer.
var errLost = errors.New("the answer was lost")

// is makes a call with its answer, or its error.
func is(op Op, answer any) Call {
	c := Call{Op: op, Answer: answer}
	if err, failed := answer.(error); failed {
		c.Answer, c.Err = nil, err
	}
	return c
}

// lost makes a call without an answer.
func lost(op Op) Call { return Call{Op: op, Returned: Never, Err: errLost} }

// over returns a call whose answer is lost, but of which the time is known when it was over.
func over(called, over int64, op Op) Call {
	return Call{Op: op, Called: called, Returned: Never, Err: errLost, Over: over}
}

// at gives a call its times. A call whose answer is lost still does not return.
func at(called, returned int64, c Call) Call {
	c.Called = called
	if c.Returned != Never {
		c.Returned = returned
	}
	return c
}

// once makes concurrent calls.
func once(calls ...Call) (all []Call) {
	for _, c := range calls {
		all = append(all, at(0, 9, c))
	}
	return all
}

// seq makes calls one after the other.
func seq(calls ...Call) (all []Call) {
	for i, c := range calls {
		all = append(all, at(int64(2*i+1), int64(2*i+2), c))
	}
	return all
}

// during returns calls that run one after the other, while the first call is under way.
func during(first Call, calls ...Call) []Call { return append(once(first), seq(calls...)...) }

// past is the clock of the operations before every history.
var past atomic.Int64

// after returns the world after operations that took effect one after the other, long ago. A refused operation has no
// effect.
func after(w World, ops ...Op) World {
	for _, op := range ops {
		c := Call{Op: op, Called: past.Add(1) - 1<<40, Returned: Never, Err: errLost}
		for _, s := range op.steps(&c, &history{before: w}) {
			worlds, _ := s.take(w)
			w = worlds[len(worlds)-1]
		}
		c.Returned = past.Add(1) - 1<<40
	}
	return w
}

// podium returns the answer to a judging of the fair in which these animals take part, unchanged since the beginning.
func podium(animals ...game.ID) []game.Contestant {
	owners, ranked := newScene().Animals, []game.Contestant{}
	for _, id := range animals {
		ranked = append(ranked, game.Contestant{
			Animal: id, Player: owners[id].Owner, Entered: now, Score: game.NewScorer(fair).Score(id, *owners[id].Phenotype, owners[id].Condition),
		})
	}
	game.Rank(ranked)
	return ranked
}

// detail returns the answer to a request for a show's detail: the show with its entries.
func detail(w World, id game.ID) Details {
	d := Details{Show: w.Shows[id].Show}
	for animal, e := range w.Shows[id].Entries {
		entry := shownEntry(e, animal, "entry of "+animal)
		if p, ranked := w.Shows[id].Results[animal]; ranked {
			entry.Rank, entry.Score = &p.Rank, &p.Score
		}
		_, entry.RewardClaimed = w.Shows[id].Receipts[e.Player]
		d.Entries = append(d.Entries, entry)
	}
	game.SortEntries(d.Entries)
	return d
}

// list returns the open shows.
func list(w World) []game.ListedShow {
	rows := []game.ListedShow{}
	for _, id := range []game.ID{fair, gala} {
		if s := w.Shows[id]; s.Status == game.ShowOpen {
			rows = append(rows, game.ListedShow{Show: s.Show, EntryCount: int64(len(s.Entries))})
		}
	}
	slices.SortFunc(rows, func(a, b game.ListedShow) int { return compareRows(a.Show, b.Show) })
	return rows
}
