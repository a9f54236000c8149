package blackbox

import "testing"

// What operators do to a player, as clients see it.

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

// An adjustment is gold that one has at once, and a row of the ledger; nobody falls below 0.
func TestOperated_adjustment(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	row := set(t, "gold", "adjust", p.email, "-480", "--reason", "won by a fault")
	if row["category"] != "adjustment" || row["description"] != "won by a fault" {
		t.Errorf("row %v", row)
	}
	show := newShow(t, scene{fee: 30})
	p.enter(t, show.id, p.buck).refuses(t, 400, "INSUFFICIENT_GOLD", "Not enough gold: the entry fee is 30")
	if _, stderr, exit, err := suite.operator.run("gold", "adjust", p.id, "-21", "--reason", "more"); exit != 1 || err != nil {
		t.Errorf("exit %d, %v: %s", exit, err, stderr)
	}
	set(t, "gold", "adjust", p.username, "11", "--reason", "too much was taken")
	p.entered(t, show.id, p.buck)
	p.has(t, 1)
}
