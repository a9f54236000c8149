package blackbox

import "testing"

// What operators do to players and shows, as clients see it. Package store has every effect, and ranchctl's tests what
// operators see.

// A deleted player is nobody to log in as, to refresh or to change anything; the names are free, and the entries stay
// under nobody's.
func TestOperated_deletion(t *testing.T) {
	t.Parallel()
	p, rival := newPlayer(t), newPlayer(t)
	judged, open := newShow(t, scene{tier: "rookie", fee: 30}), newShow(t, scene{})
	p.entered(t, judged.id, p.buck)
	rival.entered(t, judged.id, rival.buck)
	rival.judge(t, judged.id).object(t, 200)
	p.entered(t, open.id, p.millie)
	rows := p.ledger(t)

	set(t, "user", "delete", p.username)
	p.login(t).refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
	refresh(t, p.refresh).refuses(t, 401, "UNAUTHORIZED", "")
	p.enter(t, open.id, p.bessie).unauthorized(t, true)
	p.judge(t, open.id).unauthorized(t, true)
	p.claim(t, judged.id).unauthorized(t, true)
	herd(t, p.token) // access tokens live until they expire
	get(t, p.token, "/events/shows").list(t)
	get(t, p.token, "/events/season").object(t, 200)
	get(t, p.token, "/me").unauthorized(t, true)
	for _, show := range []string{judged.id, open.id} {
		for _, entry := range entries(t, show) {
			if name := entry["playerUsername"]; entry["playerId"] == p.id && name != "deleted player" || entry["playerId"] == rival.id && name != rival.username {
				t.Errorf("an entry of %v is under %v", entry["playerId"], name)
			}
		}
	}
	if left := p.ledger(t); len(left) != len(rows) {
		t.Errorf("the ledger has %d rows, and had %d", len(left), len(rows))
	}
	p.has(t, 470)

	again := &player{email: p.email, username: p.username, password: p.password, ranch: p.ranch}
	if err := again.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again.id == p.id || again.account(t)["id"] != again.id {
		t.Errorf("%s is back as %s", p.id, again.id)
	}
	refresh(t, p.refresh).refuses(t, 401, "UNAUTHORIZED", "")
}

// A cancelled show is in no list of open or completed shows, nobody enters, judges or claims, and every fee comes back.
func TestOperated_cancelledShow(t *testing.T) {
	t.Parallel()
	p, rival := newPlayer(t), newPlayer(t)
	show := newShow(t, scene{fee: 30, gates: 3})
	p.entered(t, show.id, p.buck, p.bessie)
	rival.entered(t, show.id, rival.buck)
	rival.ban(t)
	set(t, "show", "cancel", show.id)
	for query, want := range map[string]int{"": 0, "status=open": 0, "status=completed": 0, "status=": 1, "status=cancelled": 1} {
		if listed := listShows(t, "?"+query+"&tier="+show.tier); len(listed) != want {
			t.Errorf("?%s: %v, want %d", query, listed, want)
		}
	}
	if got := detail(t, show.id); got["status"] != "cancelled" || got["judgedAt"] != nil || len(got["entries"].(list)) != 3 {
		t.Errorf("%v", got)
	}
	p.enter(t, show.id, p.millie).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
	p.judge(t, show.id).refuses(t, 404, "NOT_FOUND", "Show not open")
	p.claim(t, show.id).refuses(t, 404, "NOT_FOUND", "")
	set(t, "show", "cancel", show.id) // gives nothing back a second time
	p.has(t, 500)
	rival.has(t, 500)
	if row := rival.ledger(t)[2]; row["category"] != "refund" || row["amount"] != integer(30) || row["ref_id"] != show.id {
		t.Errorf("row %v", row)
	}
}
