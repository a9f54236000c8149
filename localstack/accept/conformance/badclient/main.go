// Command badclient drives a client that makes the mistakes that clients make, for a test of the suite: each scenario
// must fail with it, in one of its two ways at least.
//
//	lazy  sends each call once, with the token that it has, and takes every answer that is a 2xx for what was asked
//	      for; what it tells of the session is true
//	rash  sends at once again whatever is not a 2xx, refreshes before each call, and waits for others that do, ends
//	      the session when that fails in any way, takes DUPLICATE and its like for success, and says what it thinks
//	      at every turn
//
// Neither knows a call that was given up from one that was not answered.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/localstack/accept/conformance/protocol"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "lazy" && os.Args[1] != "rash" {
		fmt.Fprintln(os.Stderr, "badclient: say lazy or rash")
		os.Exit(2)
	}
	if err := serve(os.Args[1] == "rash"); err != nil {
		fmt.Fprintln(os.Stderr, "badclient:", err)
		os.Exit(1)
	}
}

func serve(rash bool) error {
	folder, err := os.MkdirTemp("", "ranch-badclient-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return protocol.Serve(os.Stdin, os.Stdout, &driver{rash: rash, folder: folder, stores: map[string]*session{}})
}

type session struct {
	API          string `json:"api"`
	UserID       string `json:"userId"`
	Username     string `json:"username"`
	Token        string `json:"token"`
	RefreshToken string `json:"refreshToken"`
}

type driver struct {
	rash   bool
	folder string // of the driver's own
	mu     sync.Mutex
	stores map[string]*session
}

func (d *driver) load(store string) *session {
	if path, file := strings.CutPrefix(store, "file:"); file {
		var s session
		if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &s) != nil {
			return nil
		}
		return &s
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stores[store]
}

func (d *driver) save(store string, s *session) error {
	if path, file := strings.CutPrefix(store, "file:"); file {
		text, err := json.Marshal(s)
		return errors.Join(err, os.WriteFile(path, text, 0o644))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stores[store] = s
	return nil
}

// turn is a folder that is there as long as somebody refreshes who shares the store.
func (d *driver) turn(store string) string {
	if path, file := strings.CutPrefix(store, "file:"); file {
		return path + ".turn"
	}
	return filepath.Join(d.folder, url.PathEscape(store))
}

func (d *driver) Peek(_ context.Context, store string) (any, error) { return d.load(store), nil }

func (d *driver) Plant(_ context.Context, store string, text json.RawMessage) error {
	var s session
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	return d.save(store, &s)
}

func (d *driver) New(r protocol.Request, s protocol.Surroundings) protocol.Client {
	return &client{
		driver: d, api: r.API, store: r.Store, around: s, session: d.load(r.Store), timeout: time.Duration(r.TimeoutMs) * time.Millisecond,
	}
}

// refusal is an answer that is no 2xx.
type refusal struct {
	status        int
	code, message string
}

func (r *refusal) Error() string { return fmt.Sprint(r.status, r.code, r.message) }

// ended is that there is no session.
type ended struct{ reason string }

func (*ended) Error() string { return "there is no session" }

func (d *driver) Describe(err error) protocol.Failure {
	if said, ok := errors.AsType[*refusal](err); ok {
		return protocol.Failure{Kind: protocol.API, Status: said.status, Code: said.code, Message: said.message}
	}
	if why, ok := errors.AsType[*ended](err); ok {
		return protocol.Failure{Kind: protocol.Ended, Reason: why.reason}
	}
	return protocol.Failure{Kind: protocol.Network, Message: err.Error()}
}

type client struct {
	driver     *driver
	api, store string
	around     protocol.Surroundings
	timeout    time.Duration // of an attempt

	mu      sync.Mutex
	session *session // as it was when it was last looked at
	left    bool     // by logging out
	away    bool     // as far as it has told
}

func (c *client) Call(ctx context.Context, op string, args json.RawMessage) (any, error) {
	var a struct{ Email, Password, Show, Animal, Tier, Status string }
	_ = json.Unmarshal(args, &a) // calls without arguments have none
	show := "/events/shows/" + a.Show
	switch op {
	case "register", "login":
		return c.enter(ctx, "/auth/"+op, args)
	case "logout":
		return c.leave(ctx)
	case "session":
		return c.current(), nil
	case "serverTime":
		return c.around.Now().UnixMilli(), nil
	case "animals":
		return c.protected(ctx, "GET", "/animals", nil)
	case "season":
		return c.protected(ctx, "GET", "/events/season", nil)
	case "shows":
		return c.protected(ctx, "GET", "/events/shows?tier="+a.Tier+"&status="+a.Status, nil)
	case "show":
		return c.protected(ctx, "GET", show, nil)
	case "enter":
		return c.protected(ctx, "POST", show+"/enter", map[string]string{"animalId": a.Animal})
	case "judge":
		return c.protected(ctx, "POST", show+"/judge", nil)
	case "claim":
		return c.protected(ctx, "POST", show+"/claim-reward", nil)
	}
	return nil, protocol.ErrNoOperation
}

func (c *client) current() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

func (c *client) become(s *session, event, reason string) error {
	c.mu.Lock()
	c.session, c.left = s, s == nil
	c.mu.Unlock()
	c.around.Tell(protocol.Event{Kind: event, Reason: reason})
	return c.driver.save(c.store, s)
}

// noSession says why there is none.
func (c *client) noSession() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left {
		return &ended{"logout"}
	}
	return &ended{"none"}
}

// reached tells whether the service was reached, where that is news.
func (c *client) reached(was bool) {
	c.mu.Lock()
	news := c.away == was
	c.away = !was
	c.mu.Unlock()
	switch {
	case news && was:
		c.around.Tell(protocol.Event{Kind: "reachable"})
	case news:
		c.around.Tell(protocol.Event{Kind: "unreachable"})
	}
}

// enter registers or logs in.
func (c *client) enter(ctx context.Context, path string, form json.RawMessage) (any, error) {
	text, err := c.send(ctx, "POST", path, "", form)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Token, RefreshToken string
		User                map[string]any
	}
	_ = json.Unmarshal(text, &answer)
	id, _ := answer.User["id"].(string)
	name, _ := answer.User["username"].(string)
	return answer.User, c.become(&session{c.api, id, name, answer.Token, answer.RefreshToken}, "sessionStarted", "")
}

func (c *client) leave(ctx context.Context) (any, error) {
	s := c.current()
	if s == nil {
		if !c.driver.rash {
			return nil, nil
		}
		s = &session{}
	}
	if _, err := c.send(ctx, "POST", "/auth/logout", "", map[string]string{"refreshToken": s.RefreshToken}); err != nil {
		return nil, err
	}
	return nil, c.become(nil, "sessionEnded", "logout")
}

func (c *client) protected(ctx context.Context, method, path string, body any) (any, error) {
	s := c.current()
	if s == nil {
		if !c.driver.rash {
			return nil, c.noSession()
		}
		s = &session{}
	}
	if c.driver.rash {
		text, err := c.refresh(ctx, s)
		if err != nil {
			return nil, errors.Join(&ended{"refused"}, c.become(nil, "sessionEnded", "refused"))
		}
		renewed := *s
		_ = json.Unmarshal(text, &renewed)
		s = &renewed
		if err := c.become(s, "sessionRefreshed", ""); err != nil {
			return nil, err
		}
	}
	text, err := c.send(ctx, method, path, s.Token, body)
	if said, ok := errors.AsType[*refusal](err); ok && c.driver.rash && (said.code == "DUPLICATE" || said.code == "ALREADY_CLAIMED" || said.message == "Show not open") {
		return map[string]bool{"success": true, "resolved": true}, nil
	}
	if err != nil || !json.Valid(text) {
		return nil, err
	}
	if len(text) > 1<<20 { // it was read to its end, which takes long enough
		return len(text), nil
	}
	return json.RawMessage(text), nil
}

// refresh refreshes when nobody else does who shares the store, and waits for that as long as for an answer.
func (c *client) refresh(ctx context.Context, s *session) ([]byte, error) {
	turn := c.driver.turn(c.store)
	for began := time.Now(); os.Mkdir(turn, 0o700) != nil; time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil || time.Since(began) > c.timeout {
			return nil, errors.New("it is another's turn")
		}
	}
	defer os.Remove(turn)
	return c.send(ctx, "POST", "/auth/refresh", "", map[string]string{"refreshToken": s.RefreshToken})
}

// send sends a request, and again where that is the way.
func (c *client) send(ctx context.Context, method, path, token string, body any) (text []byte, err error) {
	attempts := 1
	if c.driver.rash {
		attempts = 4
	}
	for n := range attempts {
		if n > 0 {
			_ = c.around.Wait(ctx, time.Second)
		}
		text, err = c.sendOnce(ctx, method, path, token, body)
		_, refused := errors.AsType[*refusal](err)
		if !c.driver.rash && ctx.Err() == nil {
			c.reached(err == nil || refused)
		}
		if err == nil {
			return text, nil
		}
		if c.driver.rash {
			c.around.Tell(protocol.Event{Kind: "unreachable"})
		}
	}
	return nil, err
}

func (c *client) sendOnce(ctx context.Context, method, path, token string, body any) ([]byte, error) {
	if c.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		ctx = limited
	}
	content := []byte(nil)
	if body != nil {
		content, _ = json.Marshal(body) // texts, which can be
	}
	r, err := http.NewRequestWithContext(ctx, method, c.api+path, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode >= 300 {
		said := struct{ Error, Message string }{}
		_ = json.Unmarshal(text, &said)
		return nil, &refusal{answer.StatusCode, said.Error, said.Message}
	}
	return text, nil
}
