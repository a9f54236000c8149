package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// used returns the values that the expression uses: the engine refuses others.
func used(expression string, values map[string]any) map[string]any {
	named := map[string]any{}
	for name, value := range values {
		if strings.Contains(expression, name) {
			named[name] = value
		}
	}
	return named
}

// played is a table with each kind of row, of open, completed and cancelled shows, with receipts, prizes and refunds.
type played struct {
	fair
	rival                 storetest.Player
	open, free, cancelled game.Show
}

func newPlayed(t *testing.T) played {
	t.Helper()
	p := played{fair: newFair(t, game.TierRookie, 20, 2)}
	p.rival = p.AddPlayer(t, storetest.Bob)
	p.open, p.free = p.AddShow(t, storetest.Tier("pro"), storetest.Fee(5)), p.AddShow(t, storetest.Tier("elite"), storetest.Fee(0))
	p.MustEnter(t, p.rival, p.Show, 0)
	p.MustEnter(t, p.Ann, p.open, 0)
	p.MustEnter(t, p.Ann, p.free, 0)
	p.cancelled = p.AddShow(t, storetest.Fee(7), storetest.Gates(2))
	p.MustEnter(t, p.rival, p.cancelled, 1, 2)
	p.MustCancel(t, p.cancelled)
	p.judged(t, 0, 1)
	p.MustClaim(t, p.Ann, p.Show)
	p.MustFold(t)
	noted := p.AddShow(t, storetest.Fee(0))
	p.MustEnter(t, p.rival, noted, 0)
	p.MustJudge(t, p.Ann, noted)
	storetest.Equal(t, "problems of a sound table", p.Problems(t), nil)
	return p
}

// Every missing row is reported. Only these can go unnoticed: a session, an operator's record, the layout's number, a list
// of folded shows without notes, and an animal that has never entered a show. If a judged note is missing, the standings are
// named. The check of a real table counts animals (invariants.Verify).
func TestEachMissingRowIsNamed(t *testing.T) {
	t.Parallel()
	p := newPlayed(t)
	checked, entered := map[string]int{}, map[string]bool{}
	for _, av := range p.Scan(t) {
		if sk := av["SK"].(*types.AttributeValueMemberS).Value; strings.HasPrefix(sk, "ENTRY#") {
			entered[sk[len("ENTRY#"):]] = true
		}
	}
	for _, av := range p.Scan(t) {
		pk, sk := av["PK"].(*types.AttributeValueMemberS).Value, av["SK"].(*types.AttributeValueMemberS).Value
		kind, _, _ := strings.Cut(pk, "#")
		if kind == "TOKEN" || kind == "AUDIT" || kind == "LAYOUT" || strings.HasPrefix(sk, "FOLDED#") || strings.HasPrefix(sk, "ANIMAL#") && !entered[sk[len("ANIMAL#"):]] {
			continue
		}
		row := p.At(pk, sk)
		row.Delete(t)
		named := false
		for _, problem := range p.Problems(t) {
			named = named || kind == "JUDGED" || problem.Record == table.Key{PK: table.PK(pk), SK: table.SK(sk)}
		}
		if !named {
			t.Errorf("%s %s is missing, and not named: %v", pk, sk, p.Problems(t))
		}
		row.Restore(t, av)
		checked[kind]++
	}
	assert.True(t, checked["STANDINGS"] == 3 && checked["JUDGED"] == 1, "%v", checked)
	for _, kind := range []string{"EMAIL", "USERNAME", "USER", "SHOW", "G", "BOARD", "SEASON"} {
		assert.True(t, checked[kind] >= 2, "%d rows of the kind %s", checked[kind], kind)
	}
}

// TestInvariantsAreNoticed breaks each invariant by a wrong row; TestEachMissingRowIsNamed does so by missing rows. A
// check that finds nothing would prove nothing.
func TestInvariantsAreNoticed(t *testing.T) {
	t.Parallel()
	p := newPlayed(t)
	f, rival, open, free, cancelled := p.fair, p.rival, p.open, p.free, p.cancelled
	user, animal, gates := f.Ann.ID, f.Ann.Animals[0].ID, 2
	judged, _, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	require.NoError(t, err)
	at := f.At
	board := at(store.BoardKey(game.ShowCompleted, "", judged))
	gate := at(store.GateKey(open, 0))
	receipt, unclaimed := f.receiptsOf(t, user), f.receiptsOf(t, rival.ID)
	paid, unpaid := f.participation(0), at(store.ParticipationKey(user, f.Season.ID, free.ID, animal))
	refunded := at(store.ParticipationKey(rival.ID, f.Season.ID, cancelled.ID, rival.Animals[1].ID))
	standings := "STANDINGS#" + string(f.Season.ID) + "#1"
	values := map[string]any{
		":fee": "fee", ":row": map[string]any{"seq": 6, "am": 0, "ba": 0, "ca": int64(f.Now + 1)},
		":n": 77, ":text": "other", ":deleted": "deleted", ":off": false, ":bytes": []byte("other"),
	}
	for name, c := range map[string]struct {
		row    storetest.Row
		change string
	}{
		"balance":                   {at(store.UserKey(user)), "SET g = :n"},
		"number of ledger rows":     {at(store.UserKey(user)), "SET ls = :n"},
		"hash in an account":        {at(store.UserKey(user)), "SET hp = :text"},
		"hash of a username":        {at(store.UsernameKey(f.Ann.Username)), "SET hp = :text"},
		"no hash":                   {at(store.EmailKey(f.Ann.Email)), "REMOVE hp"},
		"hash of another password":  {at(store.EmailKey(f.Ann.Email)), "SET pc = :n"},
		"reservation of another":    {at(store.UsernameKey(f.Ann.Username)), "SET u = :text"},
		"reservation of nobody":     {at(store.EmailKey("x@example.com")), "SET u = :text"},
		"refresh record of nobody":  {at("TOKEN#x", "TOKEN"), "SET u = :text"},
		"animal of nobody":          {at(store.AnimalKey("nobody", animal)), "SET na = :text"},
		"amount":                    {at(store.LedgerKey(user, 5)), "SET am = :n"},
		"balance after":             {at(store.LedgerKey(user, 5)), "SET ba = :n"},
		"fee among other rows":      {at(store.LedgerKey(user, 5)), "SET ct = :fee"},
		"amount of a fee":           {paid, "SET fr.am = :n"},
		"balance after a fee":       {paid, "SET fr.ba = :n"},
		"number of a fee":           {paid, "SET fr.seq = :n"},
		"time of a fee":             {paid, "SET ca = :n"},
		"time of a free entry":      {unpaid, "SET ca = :n"},
		"name in a participation":   {unpaid, "SET an = :text"},
		"entry without its fee":     {paid, "REMOVE fr"},
		"fee of a free entry":       {unpaid, "SET fr = :row"},
		"description of a fee":      {paid, "SET fr.de = :text"},
		"category":                  {at(store.LedgerKey(user, 5)), "SET ct = :text"},
		"count of a gate":           {gate, "SET n = :n"},
		"gate of a judged show":     {at(store.GateKey(judged, 1)), "SET n = :n"},
		"page too many":             {at(store.PageKey(t.Context(), f.Store, f.Show.ID, 1)), "SET en = :text"},
		"phenotype":                 {at(store.AnimalKey(user, animal)), "REMOVE ph"},
		"participation of no entry": {at(store.ParticipationKey(user, f.Season.ID, free.ID, f.Ann.Animals[1].ID)), "REMOVE fr"},
		"another season":            {at(store.ParticipationKey(user, game.NewID(), free.ID, animal)), "REMOVE fr"},
		"another's participation":   {at(store.ParticipationKey(rival.ID, f.Season.ID, free.ID, animal)), "REMOVE fr"},
		"receipt of an open show":   {at(store.ReceiptKey(t.Context(), f.Store, open.ID, 0)), "SET rk = :n"},
		"prize not paid":            {unclaimed[0], "SET rk = :n, pr = :n"},
		"places of a receipt":       {receipt[0], "REMOVE pl"},
		"second receipt":            {receipt[1], "SET rk = :n"},
		"receipt of no place":       {at(store.ReceiptKey(t.Context(), f.Store, f.Show.ID, 3)), "SET rk = :n"},
		"count on the board":        {board, "SET n = :n"},
		"name on the board":         {board, "SET na = :text"},
		"board of the past":         {at(store.BoardKey(game.ShowOpen, "", judged)), "SET id = :text"},
		"time of judging":           {at(store.ShowKey(f.Show.ID)), "REMOVE ju"},
		"judged and open":           {at(store.ShowKey(open.ID)), "SET ju = :n"},
		"judge of an open show":     {at(store.ShowKey(open.ID)), "SET jb = :text"},
		"terms of a gate":           {gate, "SET tm = :n"},
		"terms of a show":           {at(store.ShowKey(open.ID)), "SET tm = :n"},
		"no gates":                  {at(store.ShowKey(f.Show.ID)), "REMOVE gn"},
		"gate of a cancelled show":  {at(store.GateKey(cancelled, 1)), "SET n = :n"},
		"count of a cancelled show": {at(store.ShowKey(cancelled.ID)), "SET n = :n"},
		"cancelled and judged":      {at(store.ShowKey(cancelled.ID)), "SET vd = :text"},
		"refund not marked":         {refunded, "REMOVE rr"},
		"refund of another row":     {refunded, "SET rr = :n"},
		"fee not refunded":          {at(store.ParticipationKey(rival.ID, f.Season.ID, cancelled.ID, rival.Animals[0].ID)), "SET fr = :row"},
		"refund of an open show":    {at(store.ParticipationKey(user, f.Season.ID, open.ID, animal)), "SET rr = :n"},
		"refunds of a judged show":  {at(store.ShowKey(f.Show.ID)), "SET rf = :n"},
		"description of a refund":   {at(store.LedgerKey(rival.ID, 5)), "SET de = :text"},
		"name of an entry":          {at(store.EntryKey(f.Show.ID, animal, gates)), "SET un = :text"},
		"deleted, with its names":   {at(store.UserKey(user)), "SET st = :deleted"},
		"season of the past":        {at("SEASON", "SEASON#"+string(f.Season.ID)), "SET av = :off"},
		"number of a page":          {at(standings+"#0", "PAGE#000000"), "SET sn = :n"},
		"first rank of a page":      {at(standings+"#0", "PAGE#000000"), "SET fk = :n"},
		"players on a page":         {at(standings+"#0", "PAGE#000000"), "SET rw = :bytes"},
		"places on an index":        {at(standings+"#0", "INDEX#000000"), "SET ix = :bytes"},
		"folded shows":              {at(standings, "FOLDED#000000"), "SET fo = :bytes"},
		"number of players":         {at("STANDINGS", "SEASON#"+string(f.Season.ID)), "SET py = :n"},
		"note of an open show":      {at("JUDGED", "SEASON#"+string(f.Season.ID)+"#SHOW#"+string(open.ID)), "SET ju = :n"},
		"unknown row":               {at("USER#"+string(user), "PASTURE"), "SET na = :text"},
		"unknown kind of row":       {at("BARN#1", "BARN"), "SET na = :text"},
	} {
		before := c.row.Read(t)
		c.row.Edit(t, c.change, used(c.change, values))
		assert.True(t, len(f.Problems(t)) != 0, "%s: not noticed", name)
		c.row.Restore(t, before)
	}
	storetest.Equal(t, "problems of the restored table", fmt.Sprint(f.Problems(t)), "[]")
}

// receiptsOf returns the rows of a player's receipts in the show, whether they exist or not.
func (f fair) receiptsOf(t *testing.T, player game.ID) (rows []storetest.Row) {
	t.Helper()
	_, entries, err := f.ShowWithEntries(t.Context(), f.Show.ID)
	checkError(t, err, nil)
	for place, e := range entries {
		if e.PlayerID == player {
			rows = append(rows, f.At(store.ReceiptKey(t.Context(), f.Store, f.Show.ID, place)))
		}
	}
	return rows
}
