// Package invariants checks the properties of every correct table, whatever calls have changed it. It finds states that
// cannot result if each operation happened wholly or not at all. It decodes rows by definitions of its own, because a
// fault in the store's definitions would otherwise hide itself. These are the invariants:
//
//   - Every account that is not deleted has reservations of its e-mail address and its username. A deleted account has
//     no names, no ranch and no last log-in. Every reservation, animal, ledger row, participation and refresh record
//     has its account.
//   - If an account has a ranch, the record of its e-mail address has the password's hash. Usernames and users have
//     none.
//   - The rows of a ledger, all changes of a player's gold, have the numbers from 1 without gaps. Each row's balance is
//     the sum of the amounts so far, and never below 0. The account has the last balance and number.
//   - The first row is the starting gold or an adjustment by an operator. An adjustment has the record of its change.
//     Every other row names an existing show.
//   - Fees are only in participations, the players' copies of entries. They share the ledger's numbers with its rows.
//   - Every fee has its entry, and every reward has the receipt of a claim. If a show has a fee, each of its entries
//     has a row with the fee. Every receipt with a prize has a row with the prize.
//   - Every entry has one participation, and every participation its entry. The player of an entry owns its animal. The
//     entry has the player's username, or the name of deleted players.
//   - An open show has its gates (counter shards), and refers to no results. Each gate has the count of its entries and
//     the number of changes of the show's terms.
//   - A completed show has no gates, and two results of every entry: one by player, and one on a page of its list.
//     Entries whose animal has a phenotype have the ranks 1 to n in the order of the scores. The others follow in the
//     order of their times.
//   - Pages have the values of the entries. If an entry has a phenotype and no operator has changed its animal, it has
//     the animal's traits. Each changed animal has a note.
//   - Results to which no show refers, from failed judgings, have no receipts and are at most two days old.
//   - A cancelled show has no gates, refers to no results, and has the number of its entries. Each of its paid entries
//     has at most one refund, with the paid amount, and exactly one if the show says that all refunds are made.
//   - A cancelled show has a note of pending refunds until it says that all are made. Every other note of pending work
//     is about a user.
//   - If a player has claimed, each page with an entry of the player has a receipt, on up to 98 pages. All have the
//     same content, with the player's best rank and its prize.
//   - A show is once on each of its boards (lists of shows), with its fields. Except for an open show, they include the
//     number of entries.
//   - Every show has its season. An active season is in the table twice, with the same values.
//   - A registered user has at least three animals. Only Verify checks this.
package invariants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
)

// Row is one item of the table, as DynamoDB returns it.
type Row = map[string]types.AttributeValue

// Problems returns all violations of invariants among the rows. The rows must be the whole table.
func Problems(rows []Row) []Problem {
	_, problems := Read(rows)
	return problems
}

// Read returns the content of a table and all violations of invariants in it. The rows must be the whole table.
func Read(rows []Row) (Facts, []Problem) {
	b := newBooks()
	for _, row := range rows {
		b.add(row)
	}
	problems := b.check()
	return b.facts(), problems
}

func newBooks() *books {
	return &books{
		changes: map[game.ID]string{}, adjustments: map[game.ID]adjustment{}, tokens: map[string]game.ID{},
		reservations: map[Key]reservationRow{}, users: map[game.ID]*userRow{}, animals: map[[2]game.ID]animalRow{},
		ledgers: map[game.ID][]game.LedgerEntry{}, parts: map[[3]game.ID]participationRow{}, shows: map[game.ID]*showBooks{},
		gates: map[Key]gateRow{}, names: map[game.ID][]string{}, seasons: map[game.ID]*seasonBooks{}, notes: map[game.ID]bool{}, pending: map[Key]bool{},
	}
}

// add decodes a row and keeps it in the books. If the row is damaged or of an unknown kind, that is a problem.
func (b *books) add(row Row) {
	key, err := decode[Key](row)
	if err == nil {
		err = b.addOfKind(key, row)
	}
	if err != nil {
		b.file(subjectOf(key), key, "%v", err)
	}
}

// check returns the violations among the rows that were added, sorted by subject, record and text.
func (b *books) check() []Problem {
	b.problems, b.known = slices.Clone(b.filed), map[Key]bool{}
	b.checkAccounts()
	if b.startersCount {
		b.checkAnimals()
	}
	b.newest = 0
	for _, rows := range b.ledgers {
		for _, row := range rows {
			b.newest = max(b.newest, row.CreatedAt)
		}
	}
	for id, show := range b.shows {
		b.checkShow(id, show)
	}
	for at := range b.gates {
		if !b.known[at] {
			b.report(b.showOfGate(at), at, "it is a gate of no open show")
		}
	}
	b.checkParticipations()
	b.checkSeasons()
	b.checkPending()
	slices.SortFunc(b.problems, compareProblems)
	return b.problems
}

type (
	userRow struct {
		Email    string          `dynamodbav:"em"`
		Username string          `dynamodbav:"un"`
		Status   game.UserStatus `dynamodbav:"st"`
		Gold     int64           `dynamodbav:"g"`
		Seq      int64           `dynamodbav:"ls"`
		Hash     string          `dynamodbav:"hp"`
		Password int64           `dynamodbav:"pc"` // how often it was replaced
		Login    *game.Instant   `dynamodbav:"ll"`
		Ranch    map[string]any  `dynamodbav:"r"`
	}
	animalRow struct {
		Stage   string        `dynamodbav:"sg"`
		Status  string        `dynamodbav:"st"`
		DiedAt  *game.Instant `dynamodbav:"di"`
		Changes int           `dynamodbav:"ch"`
		traits
	}
	traits struct { // of an animal, copied into its entries
		Condition game.Fixed `dynamodbav:"co"`
		Phenotype []int      `dynamodbav:"ph"`
	}
	ledgerRow struct {
		ID          game.ID       `dynamodbav:"id"`
		Seq         int64         `dynamodbav:"seq"`
		Amount      int64         `dynamodbav:"am"`
		Currency    string        `dynamodbav:"cu"`
		Category    game.Category `dynamodbav:"ct"`
		After       int64         `dynamodbav:"ba"`
		Description string        `dynamodbav:"de"`
		Ref         *game.ID      `dynamodbav:"ref"`
		At          game.Instant  `dynamodbav:"ca"`
	}
	participationRow struct {
		Animal string       `dynamodbav:"an"` // its name
		At     game.Instant `dynamodbav:"ca"`
		Fee    *ledgerRow   `dynamodbav:"fr"`
		Refund int64        `dynamodbav:"rr"`
		season game.ID
	}
	reservationRow struct {
		User game.ID `dynamodbav:"u"`
		Hash string  `dynamodbav:"hp"`
		Of   int64   `dynamodbav:"pc"` // the user's Password
	}
	tokenRow struct {
		User game.ID `dynamodbav:"u"`
	}
)

// books holds the decoded rows of a table, grouped by the show, the user or the season that they belong to.
type books struct {
	reservations  map[Key]reservationRow
	tokens        map[string]game.ID // users of refresh records, by digest
	users         map[game.ID]*userRow
	animals       map[[2]game.ID]animalRow // by owner and animal
	ledgers       map[game.ID][]game.LedgerEntry
	notes         map[game.ID]bool                // of changed animals
	pending       map[Key]bool                    // notes of pending work
	parts         map[[3]game.ID]participationRow // by user, show and animal
	gates         map[Key]gateRow
	known         map[Key]bool // gates that belong to a show
	newest        game.Instant // time of the newest ledger row
	seasons       map[game.ID]*seasonBooks
	shows         map[game.ID]*showBooks
	names         map[game.ID][]string // earlier names of shows, from the records of changes
	changes       map[game.ID]string   // actions of operators, by the changes' ids
	adjustments   map[game.ID]adjustment
	filed         []Problem // see file
	problems      []Problem
	startersCount bool // whether registered users must have three animals; false in tests, whose players may have fewer
}

func decode[T any](av Row) (row T, err error) {
	if err = attributevalue.UnmarshalMap(av, &row); err != nil {
		err = fmt.Errorf("the record is damaged: %w", err)
	}
	return row, err
}

// addOfKind keeps a row. The beginning of its partition key names the kind of record.
func (b *books) addOfKind(key Key, av Row) error {
	kind, rest, _ := strings.Cut(key.PK, "#")
	switch kind {
	case "EMAIL", "USERNAME":
		row, err := decode[reservationRow](av)
		b.reservations[key] = row
		return err
	case "TOKEN":
		row, err := decode[tokenRow](av)
		b.tokens[rest] = row.User
		return err
	case "USER":
		return b.addOfUser(game.ID(rest), key, av)
	case "SHOW":
		return b.addOfShow(strings.Split(rest, "#"), key, av)
	case "G":
		row, err := decode[gateRow](av)
		b.gates[key] = row
		return err
	case "BOARD":
		return b.addBoardRow(key, av)
	case "AUDIT":
		if rest == "" { // the head of the chain of records, which `ranchctl audit verify` checks
			return nil
		}
		return b.addChange(game.ID(key.SK), av)
	case "SEASON":
		return b.addSeason(key, av)
	case "PENDING":
		return b.addPending(key, av)
	case "CHANGED":
		b.notes[game.ID(strings.TrimPrefix(key.SK, "ANIMAL#"))] = true
		return nil
	case "LAYOUT", "KEYS":
		return nil
	}
	return errUnknownKind
}

// subjectOf returns the show, season or user that the row with the key belongs to.
func subjectOf(k Key) Subject {
	parts := strings.Split(k.PK, "#")
	switch {
	case parts[0] == "SHOW" && len(parts) > 1:
		return aboutShow(game.ID(parts[1]))
	case strings.HasPrefix(k.SK, "REFUNDS#"):
		return aboutShow(game.ID(strings.TrimPrefix(k.SK, "REFUNDS#")))
	case strings.HasPrefix(k.SK, "NAMES#"):
		return aboutUser(game.ID(strings.TrimPrefix(k.SK, "NAMES#")))
	case parts[0] == "BOARD":
		return aboutShow(game.ID(k.SK[strings.LastIndexByte(k.SK, '#')+1:]))
	case parts[0] == "SEASON":
		return aboutSeason(game.ID(k.SK[strings.LastIndexByte(k.SK, '#')+1:]))
	default:
		return aboutUser(game.ID(parts[len(parts)-1]))
	}
}

// showOfGate returns the show to which a gate (counter shard) with the key may belong. The key has only part of its id.
func (b *books) showOfGate(k Key) Subject {
	for id := range b.shows {
		if k.isGateOf(id) {
			return aboutShow(id)
		}
	}
	return aboutShow("") // the table has no row of that show but the gate
}

func (b *books) addOfUser(user game.ID, key Key, av Row) error {
	sk := key.SK
	parts := strings.Split(sk, "#")
	switch {
	case sk == "PROFILE":
		row, err := decode[userRow](av)
		b.users[user] = &row
		return err
	case parts[0] == "ANIMAL":
		row, err := decode[animalRow](av)
		b.animals[[2]game.ID{user, game.ID(parts[1])}] = row
		return err
	case parts[0] == "LEDGER":
		row, err := decode[ledgerRow](av)
		if sk != fmt.Sprintf("LEDGER#%012d", row.Seq) || row.Currency != "gold" || row.Category == game.CategoryFee {
			b.file(aboutUser(user), key, "the row is number %d, a %s in %s", row.Seq, row.Category, row.Currency)
		}
		b.ledgers[user] = append(b.ledgers[user], row.entry())
		return err
	case len(parts) == 6 && parts[0] == "SEASON" && parts[2] == "SHOW" && parts[4] == "ANIMAL":
		row, err := decode[participationRow](av)
		row.season = game.ID(parts[1])
		show := game.ID(parts[3])
		id := [3]game.ID{user, show, game.ID(parts[5])}
		if _, twice := b.parts[id]; twice {
			b.file(aboutUser(user), key, "the user takes part in two seasons")
		}
		b.parts[id] = row
		if row.Fee != nil {
			fee := *row.Fee
			fee.Category, fee.Ref, fee.At = game.CategoryFee, &show, row.At
			b.ledgers[user] = append(b.ledgers[user], fee.entry())
		}
		return err
	}
	return errUnknownKind
}

func (r ledgerRow) entry() game.LedgerEntry {
	return game.LedgerEntry{
		ID: r.ID, Seq: r.Seq, Amount: r.Amount, Category: r.Category, BalanceAfter: r.After, Description: r.Description, RefID: r.Ref,
		CreatedAt: r.At,
	}
}

func (b *books) checkAccounts() {
	for at, r := range b.reservations {
		u := b.users[r.User]
		switch {
		case u == nil || at != addressKey(u.Email) && at != usernameKey(u.Username):
			b.report(aboutUser(r.User), at, "the reservation is for %s, who has another name", r.User)
		case at == usernameKey(u.Username) && r.Hash != "":
			b.report(aboutUser(r.User), at, "it has the hash of a password")
		case at == addressKey(u.Email) && r.Hash == "" && u.Ranch != nil:
			b.report(aboutUser(r.User), at, "it lacks the hash of the password")
		case at == addressKey(u.Email) && r.Of != u.Password:
			b.report(aboutUser(r.User), at, "it has the hash of password %d, and the user has password %d: no log-in succeeds", r.Of, u.Password)
		}
	}
	for _, user := range b.tokens {
		b.mustExist(user, "a refresh record")
	}
	for id, a := range b.animals {
		b.mustExist(id[0], "an animal")
		if (a.Changes > 0) != b.notes[id[1]] {
			b.report(aboutUser(id[0]), noteKey(id[1]), "operators have changed the animal %d times; there is a note of it: %t", a.Changes, b.notes[id[1]])
		}
	}
	for id := range b.parts {
		b.mustExist(id[0], "a participation")
	}
	for user := range b.ledgers {
		b.mustExist(user, "a ledger row")
	}
	for user, u := range b.users {
		if u.Hash != "" {
			b.report(aboutUser(user), userKey(user), "it has the hash of a password, which belongs to the e-mail address")
		}
		switch {
		case u.Status == game.UserDeleted:
			if u.Email+u.Username != "" || u.Login != nil || u.Ranch != nil {
				b.report(aboutUser(user), userKey(user), "the user is deleted, and still has a name, a ranch or a log-in")
			}
		default:
			for _, at := range []Key{addressKey(u.Email), usernameKey(u.Username)} {
				if b.reservations[at].User != user {
					b.report(aboutUser(user), at, "the reservation is missing, or of another user")
				}
			}
		}
		rows := b.ledgers[user]
		slices.SortFunc(rows, func(a, b game.LedgerEntry) int { return cmp.Compare(a.Seq, b.Seq) })
		if b.lacksRows(user, u.Seq, rows) {
			continue // the missing row makes the checks of the other rows fail, too
		}
		account := game.Account{User: game.User{GoldBalance: u.Gold}, LedgerSeq: u.Seq}
		for _, difference := range game.AuditLedger(account, rows) {
			b.report(aboutUser(user), userKey(user), "%s", difference)
		}
		for i, row := range rows {
			first := row.Category == game.CategoryStarter
			adjusted := row.Category == game.CategoryAdjustment // also the first row, if the account began without gold
			if first != (i == 0) && !adjusted || (first || adjusted) != (row.RefID == nil) {
				b.report(aboutUser(user), ledgerKey(user, row.Seq), "row %d of %d is of the category %q; it names a show: %t", i+1, len(rows), row.Category, row.RefID != nil)
			}
			if adjusted && b.adjustments[row.ID] != (adjustment{user, row.Amount}) {
				b.report(aboutUser(user), ledgerKey(user, row.Seq), "it is an adjustment, and no record says who has made it")
			}
			if row.RefID != nil && b.shows[*row.RefID] == nil {
				b.report(aboutUser(user), showKey(*row.RefID), "row %d is about a show that does not exist", row.Seq)
			}
		}
	}
}

// lacksRows reports each missing row of a user's ledger, and returns whether one is missing. The last number is last.
func (b *books) lacksRows(user game.ID, last int64, rows []game.LedgerEntry) (lacks bool) {
	there := map[int64]bool{}
	for _, row := range rows {
		there[row.Seq] = true
	}
	for seq := range last {
		if !there[seq+1] {
			b.report(aboutUser(user), ledgerKey(user, seq+1), "the row is missing, or the participation that has it if it is a fee")
			lacks = true
		}
	}
	return lacks
}

// starters is the number of animals that a registration creates. No operation removes an animal.
const starters = 3

// checkAnimals reports registered users who have fewer animals than a registration creates.
func (b *books) checkAnimals() {
	counts := map[game.ID]int{}
	for id := range b.animals {
		counts[id[0]]++
	}
	for user, rows := range b.ledgers {
		if n := counts[user]; n < starters && len(rows) > 0 && rows[0].Category == game.CategoryStarter {
			b.report(aboutUser(user), animalKey(user, ""), "the user has %d animals, and has begun with %d", n, starters)
		}
	}
}

func (b *books) mustExist(user game.ID, what string) {
	if b.users[user] == nil {
		b.report(aboutUser(user), userKey(user), "there is %s, and no account", what)
	}
}

// nameOf returns the username that entries of the user must have.
func (b *books) nameOf(user game.ID) string {
	switch u := b.users[user]; {
	case u == nil:
		return ""
	case u.Status == game.UserDeleted:
		return "deleted player"
	default:
		return u.Username
	}
}

// moved returns the user's ledger rows of the category that are about the show.
func (b *books) moved(user, show game.ID, category game.Category) []game.LedgerEntry {
	return slices.DeleteFunc(slices.Clone(b.ledgers[user]), func(row game.LedgerEntry) bool {
		return row.RefID == nil || *row.RefID != show || row.Category != category
	})
}

// checkParticipations compares every participation, the player's copy of an entry, with the entry. It also compares the
// participation's fee with the show's.
func (b *books) checkParticipations() {
	for id, part := range b.parts {
		user, show, animal := id[0], b.shows[id[1]], id[2]
		if show == nil || show.item == nil {
			b.report(aboutShow(id[1]), showKey(id[1]), "user %s takes part in the show, which does not exist", user)
			continue
		}
		entry, entered := show.entries[animal]
		if at := show.entryKey(id[1], animal); !entered {
			b.report(aboutShow(id[1]), at, "user %s takes part with the animal %s, and the entry is missing", user, animal)
		} else if entry.Player != user || part.season != show.item.Season {
			b.report(aboutShow(id[1]), at, "the entry is of %s in season %s, the participation of %s in season %s", entry.Player, show.item.Season, user, part.season)
		}
		if paid := part.Fee != nil; paid != (show.item.Fee > 0) {
			b.report(aboutShow(id[1]), part.key(id), "the participation has a fee: %t; the show's fee is %d gold", paid, show.item.Fee)
		}
		if entered && (part.At != entry.At || part.Animal != entry.Animal) {
			b.report(aboutShow(id[1]), part.key(id), "the participation is of %q at %v, the entry of %q at %v", part.Animal, part.At, entry.Animal, entry.At)
		}
	}
}
