package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// deployUnchanged deploys once more what is there, which must change nothing: no function starts anew without a reason.
func (r *rehearsal) deployUnchanged(ctx context.Context) (string, error) {
	changes, err := r.deploy(ctx, nil)
	if err == nil && len(changes) > 0 {
		err = fmt.Errorf("it changes %v", changes)
	}
	if err != nil {
		return "", err
	}
	return "no change, and no new version", r.wantVersion(ctx, "1")
}

// deployParameters deploys other values, which change what refers to them, and nothing else. LocalStack keeps neither
// an API nor a log group's retention: what a value does there is asserted on the template.
func (r *rehearsal) deployParameters(ctx context.Context) (string, error) {
	parameters := map[string]string{"LogRetentionDays": "14", "AllowedOrigins": "https://ranch.example.com"}
	changes, err := r.deploy(ctx, parameters)
	if err != nil {
		return "", err
	}
	if err := wantChanges(changes, "Modify AccessLog", "Modify Api", "Modify Logs"); err != nil {
		return "", err
	}
	for name, value := range parameters {
		if r.stack.parameters[name] != value {
			return "", fmt.Errorf("%s is %q", name, r.stack.parameters[name])
		}
	}
	if err := r.player.login(ctx); err != nil {
		return "", err
	}
	return "the API and the log groups changed, and nothing else", r.wantVersion(ctx, "1")
}

// wantChanges wants just these changes, "Modify Api".
func wantChanges(changes []change, want ...string) error {
	var got []string
	for _, c := range changes {
		got = append(got, c.action+" "+c.logicalID)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("it does %s, want %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	return nil
}
