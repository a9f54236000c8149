// Command ranch-tour plays the game once as a new player, from registration to the prize, and shows each request and
// its answer. `make tour` builds and starts it. The variable API is the service's base URL; without API, the tour uses
// the running `make run` of this working tree. The player, the entry, the judging and the prize stay in the table.
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/shared/client"
)

func main() {
	batch.Main("ranch-tour", "", func(ctx context.Context) error {
		api, err := findAPI(os.Getenv("API"))
		if err == nil {
			t := &tour{api: api, out: os.Stdout}
			t.play(ctx)
			err = t.err
		}
		if err != nil {
			err = fmt.Errorf("%s\nThe service should be at %s: start it with `make run`, or name another with make tour API=https://api.example.com",
				terminal.VisibleMessage(err.Error()), api)
		}
		return err
	})
}

// usualAPI is the address of a `make run` without PORT.
const usualAPI = "http://127.0.0.1:3000"

// findAPI returns the base URL of the service: named, or if that is "", the address of the running `make run`. If no
// `make run` is running, it returns usualAPI.
func findAPI(named string) (string, error) {
	if named != "" {
		return strings.TrimRight(named, "/"), nil
	}
	stack, err := running.Find()
	if err != nil && !errors.Is(err, running.ErrNone) {
		return "", err
	}
	return cmp.Or(stack.API, usualAPI), nil
}

// tour is a player's way through the API. After the first error it makes no more calls.
type tour struct {
	api string
	out io.Writer
	err error
}

// ask prints says, the text about the call, and makes the call. After an earlier error of the tour, it does nothing.
func ask[T any](t *tour, says string, call func() (T, error)) (answer T) {
	if t.err == nil {
		t.line("")
		t.line("%s", says)
		answer, t.err = call()
	}
	return answer
}

// play plays the game from registration to logging out. If the player can enter no show, play prints how to create a
// show, and skips entering, judging and the claim.
func (t *tour) play(ctx context.Context) {
	c := client.New(client.Transport{API: t.api, Trace: t.exchange})
	t.line("A tour of %s, as a new player. What it changes there stays.", t.api)
	name := "rider-" + strings.ToLower(rand.Text()[:12])
	r := client.Registration{Email: name + "@example.com", Username: name, Password: rand.Text(), RanchName: "Sunny Acres"}
	player := ask(t, "Registering makes a player with a ranch, gold and three animals. It logs in, too: the answer has the tokens.",
		func() (client.Account, error) { return c.Register(ctx, r) })
	animals := ask(t, "The animals have eight traits each. Every show weights these in its own way.",
		func() ([]client.Animal, error) { return c.Animals(ctx) })
	shows := ask(t, "These are the open shows for rookies, by closing time.",
		func() ([]client.Show, error) { return c.Shows(ctx, "rookie") })
	result := "No show was entered."
	if show, found := choose(shows, player.GoldBalance); found && len(animals) > 0 {
		result = t.compete(ctx, c, name, animals[0], show)
	} else if t.err == nil {
		t.line("")
		t.line("No rookie show is open that %d gold can pay, so that nothing is entered, judged and claimed. One more, on this machine:", player.GoldBalance)
		t.line("go run ./infra/ranchctl show create --name Encore --tier rookie --fee 0 --closes-in 1h")
	}
	season := ask(t, "The season counts what the player's ranks are worth.", func() (client.Season, error) { return c.Season(ctx) })
	score := "No season is active."
	if season.ID != "" {
		score = fmt.Sprintf("Season score: %d in %s.", season.MySeasonScore, season.Name)
	}
	account := ask(t, "Logging in again shows the gold that is left.", func() (client.Account, error) { return c.Login(ctx, r.Email, r.Password) })
	ask(t, "Logging out ends the session: its refresh token is good for nothing any more.", func() (any, error) { return nil, c.Logout(ctx) })
	if t.err == nil {
		t.line("")
		t.line("%s Gold: %d. %s", result, account.GoldBalance, score)
	}
}

// compete enters the animal in the show, judges the show and claims the prize. It returns a sentence about the result.
func (t *tour) compete(ctx context.Context, c *client.Client, name string, animal client.Animal, show client.Show) string {
	ask(t, fmt.Sprintf("Entering %s in %s, for %d gold: of those that the player can pay, it closes last.", animal.Name, show.Name, show.EntryFee),
		func() (any, error) { return nil, c.Enter(ctx, show.ID, animal.ID) })
	ask(t, "Judging scores and ranks all entries, in one step. Any player may do it.", func() (any, error) { return nil, c.Judge(ctx, show.ID) })
	claimed := ask(t, "Claiming pays the prize, once.", func() (client.Claimed, error) { return c.Claim(ctx, show.ID) })
	detail := ask(t, "The show has the results.", func() (client.Show, error) { return c.Show(ctx, show.ID) })
	rank := "without a rank"
	if claimed.Rank != nil {
		rank = fmt.Sprintf("rank %d of %d", *claimed.Rank, len(detail.Entries))
	}
	return fmt.Sprintf("%s with %s in %s: %s, and %d gold as its prize.", name, animal.Name, show.Name, rank, claimed.GoldReward)
}

// choose returns the last show in shows that the gold pays. Since shows are in the order of closing times, this show
// leaves the player the most time. found is false if the gold pays for no show.
func choose(shows []client.Show, gold int64) (chosen client.Show, found bool) {
	for _, s := range slices.Backward(shows) {
		if s.EntryFee <= gold {
			return s, true
		}
	}
	return client.Show{}, false
}

// line prints a text without control characters, even if a name has some, in lines of at most width columns. A word that
// is longer gets a line of its own.
func (t *tour) line(format string, args ...any) {
	const width = 120
	columns := 0
	for i, word := range strings.Split(terminal.Visible(fmt.Sprintf(format, args...)), " ") {
		switch length := utf8.RuneCountInString(word); {
		case i == 0:
			columns = length
		case columns+1+length > width:
			word, columns = "\n  "+word, 2+length
		default:
			word, columns = " "+word, columns+1+length
		}
		fmt.Fprint(t.out, word)
	}
	fmt.Fprintln(t.out)
}

// exchange prints a request and its answer. Lines of the request begin with >, lines of the answer with <.
func (t *tour) exchange(x client.Exchange) {
	asked, became := x.Request.Method+" "+x.Request.Path, fmt.Sprint(x.Answer.Status)
	if x.Request.Token != "" {
		asked += ", with the access token"
	}
	if x.Err != nil {
		became = x.Err.Error()
	}
	t.line("%s: %s in %d ms", asked, became, x.Took.Milliseconds())
	if sent, err := json.Marshal(x.Request.Body); err == nil && x.Request.Body != nil {
		t.body("> ", sent)
	}
	if received, err := x.Answer.Plain(); err == nil && x.Err == nil {
		t.body("< ", received)
	}
}

// body prints JSON after the mark. If the JSON is a list, body prints each element after a mark.
func (t *tour) body(mark string, text []byte) {
	var elements []json.RawMessage
	if json.Unmarshal(text, &elements) != nil || len(elements) == 0 {
		elements = []json.RawMessage{text}
	}
	for _, element := range elements {
		t.line("%s%s", mark, layOut(element))
	}
}

// secret matches passwords and tokens in JSON. The tour does not show them, since a reader could log in as this player.
var secret = regexp.MustCompile(`("(?:password|token|refreshToken)": ")((?:[^"\\]|\\.)*)`)

// layOut returns JSON in one line with a space after each colon and comma. It shortens tokens to six characters and
// removes passwords. If text is not JSON, layOut returns its first thousand characters.
func layOut(text []byte) string {
	var indented bytes.Buffer
	if json.Indent(&indented, text, "", "") != nil {
		return fmt.Sprintf("%.1000s", text)
	}
	line := strings.NewReplacer(",\n", ", ", "\n", "").Replace(indented.String()) // JSON has no other line breaks
	return secret.ReplaceAllStringFunc(terminal.VisibleJSON(line), func(member string) string {
		parts := secret.FindStringSubmatch(member)
		if len(parts[2]) < 40 {
			parts[2] = ""
		}
		return parts[1] + fmt.Sprintf("%.6s…", parts[2])
	})
}
