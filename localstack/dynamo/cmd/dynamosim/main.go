// Command dynamosim is a proxy before any DynamoDB-compatible engine. It simulates properties of the cloud that engines
// lack. localstack/dynamo/README.md describes them:
//
//	go run ./localstack/dynamo/cmd/dynamosim -engine http://127.0.0.1:8000 -faults all=0.5%,hold=20ms
//
// The command prints its addresses. On SIGINT or SIGTERM it waits until late attempts have arrived and transactions
// have ended, and then exits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dynamosim:", err)
		stop()
		os.Exit(1)
	}
}

// patience is the time that running requests get to finish when the command ends. It is longer than the longest
// possible delay.
const patience = 90 * time.Second

func run(ctx context.Context, args []string, out io.Writer) error {
	var config dynamo.Config
	flags := flag.NewFlagSet("dynamosim", flag.ContinueOnError)
	flags.StringVar(&config.Engine, "engine", "http://127.0.0.1:8000", "the `address` of the engine")
	flags.StringVar(&config.Listen, "listen", "127.0.0.1:8001", "the `address` for clients; port 0 is a free one")
	flags.StringVar(&config.Control, "control", "127.0.0.1:8002", "the `address` of the control; port 0 is a free one")
	flags.BoolVar(&config.Open, "open", false, "allow addresses that other machines reach: there is no password")
	line := flags.String("faults", "all=0.5%,hold=20ms", "what befalls requests by chance, `settings` between commas: see README.md; \"\" is nothing")
	limits := flags.String("capacity", "", "what tables serve, `settings` between commas, such as fresh or read=3000,write=1000; \"\" is no limit")
	seed := flags.Uint64("seed", 0, "the `number` from which all chance follows; a seed among the settings goes first")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("nothing is known of %q", flags.Arg(0))
	}
	var err error
	if config.Options, err = dynamo.Parse(*line); err != nil {
		return err
	}
	if config.Options.Seed == 0 {
		config.Options.Seed = *seed
	}
	if *limits != "" {
		o, err := capacity.Parse(*limits)
		if err != nil {
			return err
		}
		config.Capacity = &o
	}
	server, err := dynamo.Start(config)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "clients: %s\ncontrol: %s\n", server.Endpoint(), server.Control())
	select {
	case <-ctx.Done():
	case err = <-server.Failed():
	}
	end, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if closing := server.Close(end); err == nil {
		err = closing
	}
	return err
}
