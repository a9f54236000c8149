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
	return "no change", err
}

// deployParameters deploys other values, which change what refers to them, and nothing else. LocalStack keeps neither
// an API nor a log group's retention: what a value does there is asserted on the template.
func (r *rehearsal) deployParameters(ctx context.Context) (string, error) {
	parameters := map[string]string{"LogRetentionDays": "14", "AllowedOrigins": "https://ranch.example.com"}
	changes, err := r.deploy(ctx, parameters)
	if err != nil {
		return "", err
	}
	if err := wantModified(changes, "AccessLog", "Api", "Logs"); err != nil {
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
	return "the API and the log groups changed, and nothing else", nil
}

// wantModified wants just these resources to be modified, and none to be replaced, added or removed.
func wantModified(changes []change, logicalIDs ...string) error {
	var got []string
	for _, c := range changes {
		if c.action != "Modify" {
			return fmt.Errorf("it does %v", c)
		}
		got = append(got, c.logicalID)
	}
	slices.Sort(got)
	slices.Sort(logicalIDs)
	if !slices.Equal(got, logicalIDs) {
		return fmt.Errorf("it changes %s, want %s", strings.Join(got, ", "), strings.Join(logicalIDs, ", "))
	}
	return nil
}
