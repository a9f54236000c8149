package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"
	"github.com/spf13/cobra"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// localTable is the table's name if the operator gives an endpoint and no name.
const localTable = "ranch"

// callPatience bounds how long a command waits for the table, so that it fails if an endpoint is down.
const callPatience = 20 * time.Second

// app is the state that all commands share.
type app struct {
	table, endpoint, format string
	repeated                string // of --change: the id of the change that is repeated
	yes, dryRun             bool
	force                   []string // kinds of doubts, or noDoubt

	program       string // as the operator typed it
	clock         func() time.Time
	in            io.Reader
	out, warnings io.Writer
	interactive   bool // a user can answer questions
	watched       bool // a user watches stderr

	command   *cobra.Command // the running command
	acting    bool           // its own work has begun: its arguments and flags were accepted
	cloud     *aws.Config    // set by the first request to AWS
	caller    caller         // set by whoAsks
	announced bool           // banner has printed
	change    operate.Change // without an id until it has begun
	long      bool           // reading has no time limit
	file      string         // of -f: the command makes a change for each line
	failures  failures
}

func newApp(stdout, stderr io.Writer, clock func() time.Time) *app {
	watched := terminal.Is(stderr)
	return &app{program: "ranchctl", clock: clock, in: os.Stdin, out: stdout, warnings: stderr, interactive: watched && terminal.Is(os.Stdin), watched: watched}
}

// progress returns the progress of long work on stderr.
func (a *app) progress(done string) *terminal.Progress {
	return &terminal.Progress{Out: a.warnings, Watched: a.watched, Done: done, Every: 1000}
}

// now returns the instant of the command's change, which it begins if necessary. Without a change it returns the time.
func (a *app) now() game.Instant {
	if a.recorded() {
		return a.begun().At
	}
	return game.InstantOf(a.clock())
}

// present returns the time for a preview: the instant of the change, or the clock's before the change has begun.
func (a *app) present() game.Instant {
	if a.change.ID != "" {
		return a.change.At
	}
	return game.InstantOf(a.clock())
}

// theTable returns the table's name for messages.
func (a *app) theTable() string { return "the table " + a.table }

// store returns the store of the table that the flags name or, without them, of the running 'make run'.
func (a *app) store(ctx context.Context) (operate.Desk, error) {
	if a.endpoint == "" && a.table == "" {
		stack, err := a.runningStack("--table")
		if err != nil {
			return operate.Desk{}, err
		}
		a.endpoint, a.table = stack.Endpoint, stack.Table
	}
	a.table = cmp.Or(a.table, localTable)
	configuration, err := a.connect(ctx)
	if err != nil {
		return operate.Desk{}, err
	}
	return operate.Open(store.New(dynamodb.NewFromConfig(configuration, table.ClientOptions), a.table, a.clock)), nil
}

// runningStack returns the running 'make run', and prints that the command uses it. If none runs, the error names flag.
func (a *app) runningStack(flag string) (running.Stack, error) {
	stack, err := running.Find()
	if errors.Is(err, running.ErrNone) {
		err = fmt.Errorf("no running 'make run' found: start it, or give --endpoint (local) or %s (AWS)", flag)
	}
	if err == nil {
		a.say("using the running 'make run': the table %s at %s", stack.Table, stack.Endpoint)
	}
	return stack, err
}

// connect returns the AWS configuration for the endpoint or, without an endpoint, for the environment's AWS account.
func (a *app) connect(ctx context.Context) (aws.Config, error) {
	if a.endpoint != "" {
		local := aws.Config{Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: &a.endpoint, Logger: logging.Nop{}}
		a.failures.watch(&local)
		return local, reachable(a.endpoint)
	}
	if a.cloud != nil {
		return *a.cloud, nil
	}
	environment, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return aws.Config{}, fmt.Errorf("the AWS environment: %w", err)
	}
	if environment.Region == "" {
		return aws.Config{}, errors.New("the AWS environment has no region: set AWS_REGION, or AWS_PROFILE")
	}
	if _, err := environment.Credentials.Retrieve(ctx); err != nil {
		return aws.Config{}, noCredentials{err}
	}
	a.failures.watch(&environment)
	environment.Logger = logging.Nop{} // operators cannot act on the SDK's warnings
	a.cloud = &environment
	return environment, nil
}

// reachable returns an error if no connection to the endpoint succeeds within 2 s. The SDK would retry for 20 s.
func reachable(endpoint string) error {
	at, err := url.Parse(endpoint)
	if err != nil || at.Port() == "" {
		return usagef("--endpoint %s: must be a URL with a port, such as http://127.0.0.1:8000", endpoint)
	}
	connection, err := net.DialTimeout("tcp", at.Host, 2*time.Second)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", endpoint, err)
	}
	return connection.Close()
}

// reader is the work of a command on the table.
type reader func(ctx context.Context, s operate.Desk) error

// parsing returns the RunE of a command whose work depends on its arguments and flags. parse returns the work, or
// refuses bad arguments before ranchctl reads the table.
func (a *app) parsing(parse func(args []string) (reader, error)) func(*cobra.Command, []string) error {
	return a.action(func(ctx context.Context, args []string) error {
		do, err := parse(args)
		if err != nil {
			return err
		}
		return a.onTable(ctx, do)
	})
}

// patiently returns the RunE of a command that reads without a time limit.
func (a *app) patiently(do reader) func(*cobra.Command, []string) error {
	return a.parsing(func([]string) (reader, error) {
		a.long = true
		return do, nil
	})
}

// onTable connects to the table, checks its layout, and calls do. If the command makes a change or is long, onTable
// first prints the banner, and do has no time limit. Otherwise the check and do together have callPatience.
func (a *app) onTable(ctx context.Context, do reader) error {
	s, err := a.store(ctx)
	if err != nil {
		return err
	}
	patient := a.long || a.recorded()
	if patient {
		if err := a.banner(ctx, a.theTable()); err != nil {
			return err
		}
	}
	short, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	if err := s.CheckLayout(short); err != nil {
		return err
	}
	if patient {
		return do(ctx, s)
	}
	return do(short, s)
}

// showMeant returns the id of the show that the operator has typed: an id, the beginning of one, or a name.
func showMeant(ctx context.Context, s operate.Desk, typed string) (game.ID, error) {
	return meantBy(ctx, s, "show", typed)
}

// seasonMeant returns the season that the operator has typed as for showMeant, or operate.ErrUnknownSeason.
func seasonMeant(ctx context.Context, s operate.Desk, typed string) (*game.Season, error) {
	id, err := meantBy(ctx, s, "season", typed)
	if err != nil {
		return nil, err
	}
	season, err := s.Season(ctx, id)
	if err == nil && season == nil {
		err = operate.ErrUnknownSeason
	}
	return season, err
}

// shortestPrefix is the least number of an id's characters that stand for it.
const shortestPrefix = 4

// meantBy returns the typed id, or the only one that begins with the text, or whose name is the text. It ignores case.
func meantBy(ctx context.Context, s operate.Desk, what, typed string) (game.ID, error) {
	one, is := game.ParseID(typed)
	if is {
		return one, nil
	}
	candidates, err := allCandidates(ctx, s, what)
	var found []string
	for _, t := range candidates {
		if strings.EqualFold(t.name, typed) || len(typed) >= shortestPrefix && strings.HasPrefix(string(t.id), strings.ToLower(typed)) {
			one, found = t.id, append(found, named(t.name, t.id))
		}
	}
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", usagef("there is no %s %q: bin/ranchctl %s list shows their ids and names", what, typed, what)
	case len(found) > 1:
		return "", usagef("%q may mean %s: give more of the id", typed, strings.Join(found[:min(len(found), mostShown)], ", "))
	}
	return one, nil
}

// id parses an id that the user has typed. what is its kind. An error names the command that lists such ids.
func id(what, s string) (game.ID, error) {
	parsed, ok := game.ParseID(s)
	if !ok {
		list := what + " list"
		if what == "animal" {
			list += " USER"
		}
		return "", usagef("%s id %q: must be a UUID: bin/ranchctl %s shows them", what, s, list)
	}
	return parsed, nil
}
