package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/user"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"golang.org/x/term"

	"github.com/ranch-game/ranch/infra/terminal"
)

// banner says what a command is about, where that is, and who asks: once, and only where it is not on this machine.
func (a *app) banner(ctx context.Context, what string) error {
	if a.announced || a.onThisMachine() {
		return nil
	}
	who, err := a.whoAsks(ctx)
	if err != nil {
		return err
	}
	a.announced = true
	a.say("%s %s, as %s", what, a.place(who), who.name)
	return nil
}

// confirm lets a change of something that is not on this machine through where --yes says so, or somebody at the
// terminal does. It takes as long as they take.
func (a *app) confirm(ctx context.Context, what string) error {
	if err := a.banner(ctx, what); err != nil {
		return err
	}
	if a.yes || a.onThisMachine() {
		return nil
	}
	if !a.interactive {
		look := ""
		if a.command.Flags().Lookup("dry-run") != nil {
			look = ", or look first with --dry-run"
		}
		return usagef("this changes %s %s: repeat it with --yes%s", what, a.place(a.caller), look)
	}
	fmt.Fprint(a.warnings, terminal.Visible(fmt.Sprintf("Change %s %s? [y/N] ", what, a.place(a.caller))))
	answer, err := readLine(ctx, a.in)
	if err != nil {
		fmt.Fprintln(a.warnings)
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		a.yes = true // asked once
		return nil
	}
	return errors.New("nothing was changed")
}

// readLine reads a line, unless the context ends first.
func readLine(ctx context.Context, from io.Reader) (string, error) {
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(from).ReadString('\n') // nothing, where there is none
		lines <- line
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line := <-lines:
		return line, nil
	}
}

// isTerminal reports whether somebody sits at the other end.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// caller is whoever runs the command.
type caller struct {
	name    string // an AWS identity's ARN, or local:<user> where no AWS is asked
	account string // its AWS account, "" where there is none
}

// whoAsks returns the caller, whom it asks AWS for once.
func (a *app) whoAsks(ctx context.Context) (caller, error) {
	if a.caller.name != "" {
		return a.caller, nil
	}
	if a.endpoint != "" {
		who, err := user.Current()
		if err != nil {
			return caller{}, fmt.Errorf("who runs this command: %w", err)
		}
		a.caller = caller{name: "local:" + who.Username}
		return a.caller, nil
	}
	configuration, err := a.connect(ctx)
	if err != nil {
		return caller{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callPatience)
	defer cancel()
	out, err := sts.NewFromConfig(configuration).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return caller{}, err
	}
	a.caller = caller{aws.ToString(out.Arn), aws.ToString(out.Account)}
	return a.caller, nil
}

// onThisMachine reports whether a command is about what runs here, so that nobody else minds it.
func (a *app) onThisMachine() bool {
	at, err := url.Parse(a.endpoint)
	return err == nil && (at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback())
}

// place says where the table is, or the secret.
func (a *app) place(who caller) string {
	if a.endpoint != "" {
		return "at " + a.endpoint
	}
	if who.account == "" {
		return "in region " + a.cloud.Region
	}
	return "in account " + who.account + ", region " + a.cloud.Region
}
