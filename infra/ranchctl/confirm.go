package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os/user"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/ranch-game/ranch/infra/terminal"
)

// banner prints once what a command works on, where it is, and who the caller is, unless it is on this machine.
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

// agree returns nil if the change may be made. If --force does not name all doubts of the plan, that requires the plan's
// word typed at the terminal. Otherwise it requires --yes or the agreement of the user at the terminal, unless the table
// is on this machine. In production, the user also types the environment's name. agree waits without a time limit.
func (a *app) agree(ctx context.Context, what string, p plan) error {
	doubts, word, question := a.unwaived(p.doubts), a.guarded(), "Do it? [y/N] "
	doubtful := len(doubts) > 0
	if doubtful {
		word = strings.TrimSpace(word + " " + p.word)
	}
	if word != "" {
		question = "Type " + word + " to do it: "
	}
	if doubtful {
		question = reasons(doubts) + ". " + question
	}
	switch {
	case doubtful && !a.interactive:
		return refusalf("%s\n%s: repeat it with %s, or look first with --dry-run", p.change, reasons(doubts), forcing(p.doubts))
	case len(p.doubts) > len(doubts):
		a.warn("%s", reasons(p.doubts))
	}
	if a.onThisMachine() && !doubtful {
		return nil
	}
	if !a.yes && !a.interactive {
		return refusalf("%s\nthis changes %s %s: repeat it with --yes, or look first with --dry-run", p.change, what, a.place(a.caller))
	}
	a.say("%s", p.change)
	for i, part := range p.parts {
		if i == mostShown {
			a.say("and %d more, which --dry-run shows", len(p.parts)-i)
			break
		}
		a.say("%s", part)
	}
	if a.yes && !doubtful {
		return nil
	}
	fmt.Fprint(a.warnings, terminal.Visible(question))
	answer, err := terminal.ReadLine(ctx, a.in)
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(a.warnings)
		return err
	}
	switch answer = strings.TrimSpace(answer); {
	case word != "" && answer == word, word == "" && slices.Contains([]string{"y", "yes"}, strings.ToLower(answer)):
		return nil
	}
	return errors.New("nothing was changed")
}

// caller identifies who runs the command.
type caller struct {
	name    string // an AWS identity's ARN, or local:<user> with a local endpoint
	account string // its AWS account; "" with a local endpoint
}

// whoAsks returns the caller. Once AWS has answered, it asks no more.
func (a *app) whoAsks(ctx context.Context) (caller, error) {
	if a.caller.name != "" {
		return a.caller, nil
	}
	if a.endpoint != "" {
		who, err := user.Current()
		if err != nil {
			return caller{}, fmt.Errorf("find out who runs this command: %w", err)
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

// onThisMachine reports whether the endpoint is on this machine, so that changes affect no one else.
func (a *app) onThisMachine() bool {
	at, err := url.Parse(a.endpoint)
	return err == nil && (at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback())
}

// place returns where the table or the secret is, for messages.
func (a *app) place(who caller) string {
	if a.endpoint != "" {
		return "at " + a.endpoint
	}
	if who.account == "" {
		return "in region " + a.cloud.Region
	}
	return "in account " + who.account + ", region " + a.cloud.Region
}
