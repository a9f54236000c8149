package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/play"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/front"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

// session is all parts of one `make run`.
type session struct {
	engine    *engine.Engine
	served    *stack.Stack
	announced running.Stack // the addresses for other tools of this working tree
	closers   []func()      // close the other parts, called in reverse order
}

// run serves the API until ctx ends or a server fails. If ctx ends, run returns nil, or the errors of closing. Before
// it returns, it ends everything that it has started.
func run(ctx context.Context, cfg config, out io.Writer, logs console) error {
	s := &session{}
	err := s.open(ctx, cfg, out, logs)
	if err == nil {
		fmt.Fprint(out, welcome(s.announced, cfg.open()))
		err = s.wait(ctx)
	}
	if ctx.Err() != nil { // an error is a consequence of the end
		fmt.Fprintln(out, "\nStopping")
		err = nil
	}
	return errors.Join(err, s.close())
}

// welcome returns the text for the developer when everything runs: the game's address, the other addresses, and
// commands to try. open says what other devices can reach, if they can reach anything. The last line says that the
// service is ready.
func welcome(s running.Stack, open string) string {
	game := ""
	if open != "" {
		open += "\n"
	}
	if s.Play != "" {
		game = fmt.Sprintf("\nGame:     %s\nContract: %[1]s/reference/", s.Play)
	}
	return fmt.Sprintf("%s\nAPI:      %s\nDynamoDB: %s (table %s)\n%s\n"+
		"In a second terminal, `make tour` plays the whole loop and shows each request and its answer. After a change, `make functions`\n"+
		"puts the new programs in the place of the old ones. Ctrl-C ends it.\nReady: %[2]s\n", game, s.API, s.Endpoint, s.Table, open)
}

// open starts every part of the service, after quick checks. The caller must call close, also after an error.
func (s *session) open(ctx context.Context, cfg config, out io.Writer, logs console) error {
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	if err := cfg.checkPorts(); err != nil {
		return err
	}
	if cfg.dataDir == usualDataDir {
		cfg.dataDir = filepath.Join(t.Root, usualDataDir)
	}
	for _, note := range cfg.notes() {
		fmt.Fprintln(out, note)
	}
	if cfg.engine == engine.LocalStack {
		fmt.Fprintf(out, "Looking for LocalStack at %s\n", engine.LocalStackEndpoint())
	} else {
		fmt.Fprintf(out, "Starting the engine (%s)\n", cfg.engine)
	}
	if s.engine, err = engine.Start(ctx, engine.Options{Kind: cfg.engine, DataDir: cfg.dataDir, Progress: out}); err != nil {
		return err
	}
	fmt.Fprintln(out, "Building the functions (the first time it takes a minute)")
	group, both := errgroup.WithContext(ctx)
	group.Go(func() error { return build.Make(both, t.Root, out, "functions") })
	group.Go(func() error { return setUp(both, cfg, s.engine, out) })
	if err := group.Wait(); err != nil {
		return err
	}
	var limits front.Limits
	if cfg.front {
		if limits, err = front.Load(t.Root); err != nil {
			return err
		}
	}
	var page func(api string) http.Handler
	if cfg.playPort != 0 {
		page = func(api string) http.Handler {
			return play.Handler(play.Config{Root: t.Root, API: api, Hosts: cfg.hosts})
		}
	}
	if s.served, err = stack.Serve(ctx, stack.Config{
		Template: t, Engine: s.engine, Address: cfg.address(), Hosts: cfg.hosts, Port: cfg.port, DBPort: cfg.dbPort, Page: page, PagePort: cfg.playPort,
		Throttle: cfg.throttle, Front: limits, Log: logs.line,
	}); err != nil {
		return err
	}
	s.announced = running.Stack{
		API: s.served.API, Play: s.served.Page, Endpoint: s.served.Endpoint, Table: stack.TableName, Secret: stack.SecretIn(cfg.engine),
	}
	if cfg.judgeDue > 0 {
		s.closers = append(s.closers, repeat(ctx, cfg.judgeDue, func(ctx context.Context) { s.invoke(ctx, "JudgeDue", logs) }))
	}
	for _, function := range []string{"FinishPending", "UpdateStandings"} {
		s.closers = append(s.closers, repeat(ctx, cmp.Or(cfg.judgeDue, asDeployed), func(ctx context.Context) { s.invoke(ctx, function, logs) }))
	}
	if cfg.seed {
		table := tableOf(s.engine)
		s.closers = append(s.closers, repeat(ctx, demoPause, func(ctx context.Context) {
			_, err := seedDemo(ctx, table, game.InstantOf(time.Now()), func(int, int) {})
			if err != nil && !errors.Is(err, errForeign) && ctx.Err() == nil {
				logs.line("demo", "adding shows failed: "+err.Error())
			}
		}))
	}
	withdraw, err := running.Announce(t.Root, s.announced)
	if err == nil {
		s.closers = append(s.closers, withdraw)
	}
	return err
}

// invoke runs a scheduled function once, as EventBridge Scheduler does.
func (s *session) invoke(ctx context.Context, function string, logs console) {
	if _, err := s.served.Invoke(ctx, function, []byte("{}")); err != nil && ctx.Err() == nil {
		logs.line(function, "the run failed: "+err.Error())
	}
}

// repeat calls do at each interval, never twice at a time, until the caller calls stop or ctx ends. stop returns after
// a running call of do.
func repeat(ctx context.Context, every time.Duration, do func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
			if ctx.Err() != nil { // also if a tick comes at the same time
				return
			}
			do(ctx)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// wait returns nil when ctx ends, or an error when the engine or a server ends.
func (s *session) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.engine.Failed():
		return err
	case err := <-s.served.Failed():
		return err
	}
}

// close ends every started part, from the outside in.
func (s *session) close() (err error) {
	for _, end := range slices.Backward(s.closers) {
		end()
	}
	if s.served != nil {
		err = s.served.Close()
	}
	if s.engine != nil {
		s.engine.Close()
	}
	return err
}
