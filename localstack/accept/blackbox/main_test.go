// Package blackbox tests the service over HTTP, with the real programs. An operator prepares the data of each test.
//
// By default the package starts the service itself. Two variables select a deployed stack: RANCH_URL has the base URL of
// its API, RANCH_TABLE its table in the AWS environment.
//
// Every test creates its own users, shows and tiers, so that other data in the table does not matter. The tests do not
// delete their data, so select only a deployed stack that exists for tests.
package blackbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/upkeep"
)

// suite is the service that all tests share. Its Stack is nil if RANCH_URL selects another service.
var suite struct {
	*world.World
	*contract.Contract
	root   string      // of the working tree
	folder string      // for built programs
	season game.Season // the active season, in which scores count
}

func TestMain(m *testing.M) {
	code, err := run(context.Background(), m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "blackbox:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func run(ctx context.Context, m *testing.M) (code int, err error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return 1, err
	}
	if suite.Contract, err = contract.LoadRoot(); err != nil {
		return 1, err
	}
	suite.root = template.Root
	if suite.folder, err = os.MkdirTemp("", "ranch-blackbox-"); err != nil {
		return 1, err
	}
	defer os.RemoveAll(suite.folder)
	var log journal
	if api := os.Getenv("RANCH_URL"); api != "" {
		suite.World, err = join(ctx, strings.TrimSuffix(api, "/"))
	} else {
		suite.World, err = open(ctx, &log)
	}
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, suite.Close()) }()
	restore, err := findSeason(ctx)
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	code = m.Run()
	err = log.check()
	if suite.Stack != nil {
		err = errors.Join(err, ledgersHold(ctx, suite.World))
	}
	return code, err
}

// open starts a service.
func open(ctx context.Context, log *journal) (*world.World, error) {
	return world.Open(ctx, world.Config{Folder: suite.folder, Log: log.add})
}

// join returns the world of a deployed API.
func join(ctx context.Context, api string) (*world.World, error) {
	name := os.Getenv("RANCH_TABLE")
	if name == "" {
		return nil, errors.New("RANCH_URL needs RANCH_TABLE, to set scenes with")
	}
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	s := operate.Open(store.New(dynamodb.NewFromConfig(cfg, table.ClientOptions), name, time.Now))
	return &world.World{API: api, Store: s}, s.CheckLayout(ctx)
}

// findSeason stores the active season in suite. If no season is active, it creates one. restore deactivates a created
// season, unless the suite has started the service itself.
func findSeason(ctx context.Context) (restore func() error, err error) {
	restore = func() error { return nil }
	found, err := suite.Store.ActiveSeason(ctx)
	if err != nil {
		return nil, err
	}
	if found != nil {
		suite.season = *found
		return restore, nil
	}
	suite.season, err = suite.NewSeason(ctx, game.NewID())
	if suite.Stack == nil {
		restore = func() error { return suite.Operator().SetSeasonActive(ctx, suite.season.ID, false) }
	}
	return restore, err
}

// newWorld opens a world that the test may harm. If RANCH_URL selects a service, it skips the test, for the reason why.
func newWorld(t *testing.T, why string) *world.World {
	t.Helper()
	if suite.Stack == nil {
		t.Skipf("NOT TESTED with RANCH_URL: %s", why)
	}
	w, err := open(t.Context(), &journal{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, w.Close())
	})
	return w
}

// ledgersHold returns an error for each wrong ledger of the table.
func ledgersHold(ctx context.Context, w *world.World) (wrong error) {
	err := w.Store.AuditLedgers(ctx, func(a upkeep.LedgerAudit) error {
		if len(a.Differences) > 0 {
			wrong = errors.Join(wrong, fmt.Errorf("the ledger of %s: %v", a.User, a.Differences))
		}
		return nil
	})
	return errors.Join(wrong, err)
}

// journal collects the log lines of a world's functions.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(function, line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, function+": "+line)
}

// check returns an error for each log line with a failure, a warning or a crash, and for each line with a token, a
// password or an e-mail address.
func (j *journal) check() (err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, line := range j.lines {
		for _, bad := range []string{`"level":"ERROR"`, `"level":"WARN"`, "panic", "gateway:", "template.yaml does not allow", "eyJ", "pass-bb", "@example.com"} {
			if strings.Contains(line, bad) {
				err = errors.Join(err, fmt.Errorf("the log has %q: %.300s", bad, line))
			}
		}
	}
	return err
}
