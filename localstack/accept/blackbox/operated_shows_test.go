package blackbox

import "testing"

// What operators do to a show, as clients see it.

// A cancelled show is in no list of open or completed shows, nobody enters, judges or claims, and every fee comes back.
func TestOperated_cancelledShow(t *testing.T) {
	t.Parallel()
	p, rival := newPlayer(t), newPlayer(t)
	show := newShow(t, scene{fee: 30, gates: 3})
	p.entered(t, show.id, p.buck, p.bessie)
	rival.entered(t, show.id, rival.buck)
	rival.ban(t)
	if cancelled := set(t, "show", "cancel", show.id); cancelled["refundedAt"] == nil {
		t.Errorf("cancelled %v", cancelled)
	}
	rival.unban(t)
	for query, want := range map[string]int{"": 0, "status=open": 0, "status=completed": 0, "status=": 1, "status=cancelled": 1} {
		listed := listShows(t, "?"+query+"&tier="+show.tier)
		if len(listed) != want || want == 1 && (listed[0]["status"] != "cancelled" || listed[0]["entryCount"] != integer(3) || listed[0]["judgedAt"] != nil) {
			t.Errorf("?%s: %v, want %d", query, listed, want)
		}
	}
	if got := detail(t, show.id); got["status"] != "cancelled" || got["judgedAt"] != nil {
		t.Errorf("%v", got)
	}
	for _, entry := range entries(t, show.id) {
		if entry["rank"] != nil || entry["score"] != nil || entry["rewardClaimed"] != false {
			t.Errorf("%v", entry)
		}
	}
	p.enter(t, show.id, p.millie).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
	p.enter(t, show.id, p.buck).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
	p.judge(t, show.id).refuses(t, 404, "NOT_FOUND", "Show not open")
	p.claim(t, show.id).refuses(t, 404, "NOT_FOUND", "")

	p.has(t, 500)
	rival.has(t, 500)
	rows := rival.ledger(t)
	matches(t, "row", object{
		"id": anyID, "user_id": rival.id, "seq": 3, "amount": 30, "currency": "gold", "category": "refund", "balance_after": 500,
		"description": "Show cancelled: " + show.name, "ref_id": show.id, "created_at": anyTime,
	}, rows[len(rows)-1])
	if rows := p.ledger(t); len(rows) != 5 {
		t.Errorf("rows %v", rows)
	}
	set(t, "show", "cancel", show.id) // gives nothing back a second time
	p.has(t, 500)
}

// What is changed of a show holds from then on; a fee and a tier are only changed while nobody has entered.
func TestOperated_terms(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	show, tier := newShow(t, scene{fee: 30, gates: 3}), unique()
	set(t, "show", "set", show.id, "--fee", "40", "--tier", tier, "--force")
	if listed := listShows(t, "?tier="+show.tier); len(listed) != 0 {
		t.Errorf("listed in its old tier: %v", listed)
	}
	if listed := listShows(t, "?tier="+tier); len(listed) != 1 || listed[0]["entryFee"] != integer(40) {
		t.Errorf("listed %v", listed)
	}
	p.entered(t, show.id, p.buck)
	p.has(t, 460)
	for _, change := range [][]string{{"--fee", "30"}, {"--tier", show.tier}} {
		args := append([]string{"show", "set", show.id, "--force"}, change...)
		if _, stderr, exit, err := suite.operator.run(args...); exit != 1 || err != nil {
			t.Errorf("%v: exit %d, %v: %s", change, exit, err, stderr)
		}
	}
	set(t, "show", "set", show.id, "--name", "Town Fair", "--closes-in", "-1s", "--force")
	p.enter(t, show.id, p.bessie).refuses(t, 404, "NOT_FOUND", "Show not found or entry closed")
	set(t, "show", "set", show.id, "--closes-in", "1h")
	p.entered(t, show.id, p.bessie)
	p.has(t, 420)
	rows := p.ledger(t)
	if rows[1]["description"] != "Show entry: "+show.name || rows[2]["description"] != "Show entry: Town Fair" {
		t.Errorf("rows %v", rows)
	}
	if listed := listShows(t, "?tier="+tier); len(listed) != 1 || listed[0]["name"] != "Town Fair" || listed[0]["entryCount"] != integer(2) {
		t.Errorf("listed %v", listed)
	}
	p.judge(t, show.id).object(t, 200)
	if judged := set(t, "show", "get", show.id); judged["judgedBy"] != p.id || judged["terms"] != integer(3) {
		t.Errorf("%v", judged)
	}
}
