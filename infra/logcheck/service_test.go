package logcheck_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// service makes players' calls on a real table, and keeps the log line of each.
type service struct {
	*storetest.Scene
	t        *testing.T
	lines    map[string]string // by the calls' names
	order    []string
	ann, bob storetest.Player
	show     game.Show
}

// newService returns a service with a show.
func newService(t *testing.T) *service {
	t.Helper()
	s := &service{Scene: storetest.NewScene(t, game.InstantOf(time.Now())), t: t, lines: map[string]string{}}
	s.AddSeason(t)
	s.show = s.AddShow(t)
	return s
}

// played returns a service after nine calls. Ann and Bob have registered and entered a show, Bob has judged it, and Ann
// has claimed her prize. Ann also repeated each of these calls except the registration, and was refused.
func played(t *testing.T) *service {
	t.Helper()
	s := newService(t)
	s.ann, s.bob = s.register("ann registers", 90_00), s.register("bob registers", 50_00)
	s.enter("ann enters", s.ann)
	s.enter("ann enters again", s.ann)
	s.enter("bob enters", s.bob)
	s.judge("bob judges", s.bob)
	s.judge("ann judges", s.ann)
	s.claim("ann claims", s.ann)
	s.claim("ann claims again", s.ann)
	return s
}

func (s *service) register(what string, grades ...game.Fixed) storetest.Player {
	player := s.NewPlayer(storetest.Anybody, grades...)
	s.invoke(what, nil, httpapi.Public(string(logcheck.Register), func(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
		player.CreatedAt, player.Starter.CreatedAt = r.Now, r.Now
		if err := player.Create(ctx, s.Store); err != nil {
			return httpapi.Response{}, err
		}
		r.Account = player.ID
		return httpapi.Created(struct{}{}), nil
	}, httpapi.Fault("")))
	return player
}

func (s *service) enter(what string, player storetest.Player) {
	s.call(what, logcheck.Enter, player, func(ctx context.Context, r *httpapi.Request) error {
		_, _, err := s.Store.Enter(ctx, player.ID, s.show.ID, player.Animals[0].ID, r.Now)
		return err
	})
}

func (s *service) judge(what string, player storetest.Player) {
	s.call(what, logcheck.Judge, player, func(ctx context.Context, r *httpapi.Request) error {
		_, err := s.Store.Judge(ctx, player.ID, s.show.ID, r.Now)
		return err
	})
}

func (s *service) claim(what string, player storetest.Player) {
	s.call(what, logcheck.Claim, player, func(ctx context.Context, r *httpapi.Request) error {
		_, _, err := s.Store.Claim(ctx, player.ID, s.show.ID, r.Now)
		return err
	})
}

// verifier accepts every token as the player's.
type verifier struct{ player storetest.Player }

func (v verifier) VerifyAccess(string, game.Instant) (token.Caller, error) {
	return token.Caller{ID: v.player.ID}, nil
}

// call makes a player's call about the show.
func (s *service) call(what string, kind logcheck.Kind, player storetest.Player, do func(context.Context, *httpapi.Request) error) {
	s.t.Helper()
	s.invoke(what, map[string]string{"id": string(s.show.ID)}, httpapi.Protected(string(kind), func(ctx context.Context, r *httpapi.Request) (httpapi.Response, error) {
		return httpapi.OK(struct{}{}), do(ctx, r)
	}, verifier{player}))
}

// A call takes aCall by its line, and the next one begins aPause after its beginning.
const aCall, aPause = 5 * time.Millisecond, 10 * time.Millisecond

// now returns the beginning of the next call. Each call begins at another time, so that their records differ in time.
func (s *service) now() game.Instant { return s.Now.Add(time.Duration(len(s.order)) * aPause) }

// invoke calls an endpoint and keeps its line.
func (s *service) invoke(what string, path map[string]string, e httpapi.Endpoint) {
	s.t.Helper()
	var line bytes.Buffer
	e.Clock = s.now().Time
	e.Logger = slog.New(slog.NewJSONHandler(&line, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch a.Key {
		case slog.TimeKey:
			return slog.Time(a.Key, s.now().Add(aCall).Time())
		case "duration_ms":
			return slog.Int64(a.Key, aCall.Milliseconds())
		}
		return a
	}}))
	e.Metrics = emf.Source{Namespace: "test", Function: "Test", Version: "1"}
	event := events.APIGatewayV2HTTPRequest{Headers: map[string]string{"authorization": "Bearer x"}, PathParameters: path}
	event.RequestContext.RequestID = what
	_, err := e.Invoke(s.t.Context(), event)
	assert.NoError(s.t, err)
	s.lines[what], s.order = line.String(), append(s.order, what)
}

// edit changes members of a line; nil removes one.
func (s *service) edit(what string, members map[string]any) {
	s.t.Helper()
	s.lines[what] = edited(s.t, s.lines[what], members)
}

func edited(t *testing.T, line string, members map[string]any) string {
	t.Helper()
	var all map[string]any
	decoder := json.NewDecoder(bytes.NewReader([]byte(line)))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&all))
	for name, value := range members {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	return string(text) + "\n"
}

// move moves the time of a line, but not the call's own time, which its records have.
func (s *service) move(what string, by time.Duration) {
	s.t.Helper()
	var l struct{ Time time.Time }
	require.NoError(s.t, json.Unmarshal([]byte(s.lines[what]), &l))
	s.edit(what, map[string]any{"time": l.Time.Add(by).Format(time.RFC3339Nano)})
}

// again adds a copy of a line as another call, some time later.
func (s *service) again(what, as string, by time.Duration) {
	s.t.Helper()
	s.lines[as], s.order = s.lines[what], append(s.order, as)
	s.edit(as, map[string]any{"request_id": as})
	s.move(as, by)
}

func (s *service) text() string {
	all := ""
	for _, what := range s.order {
		all += s.lines[what]
	}
	return all
}

func (s *service) without(what string) { s.lines[what] = "" }

func (s *service) add(what, line string) { s.lines[what], s.order = line, append(s.order, what) }
