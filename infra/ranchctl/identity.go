package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os/user"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

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
