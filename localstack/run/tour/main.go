// Command ranch-tour plays the whole loop once, as a new player, and shows each request and its answer as they happen.
// `make tour` builds and starts it; API= names the service by its base URL, and without it that is the `make run` of
// this working tree.
//
// It registers a player, enters a show, judges it and claims the prize: what it changes stays, wherever it plays.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/infra/terminal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := start(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "ranch-tour:", terminal.VisibleMessage(err.Error()))
		os.Exit(1)
	}
}

func start(ctx context.Context) error {
	api, err := findAPI(os.Getenv("API"))
	if err != nil {
		return err
	}
	if err := checkAPI(ctx, api); err != nil {
		return err
	}
	return play(ctx, api, screen{os.Stdout, terminal.Coloured(os.Stdout)})
}

// usualAPI is where a `make run` serves the API, unless it is told otherwise.
const usualAPI = "http://127.0.0.1:3000"

// findAPI returns the base URL without a slash at its end: the named one, that of the running `make run`, or the usual.
func findAPI(named string) (string, error) {
	if named == "" {
		stack, err := running.Find()
		if err != nil && !errors.Is(err, running.ErrNone) {
			return "", err
		}
		named = cmp.Or(stack.API, usualAPI)
	}
	u, err := url.Parse(named)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("API=%s is no base URL such as https://api.example.com", named)
	}
	return strings.TrimRight(named, "/"), nil
}
