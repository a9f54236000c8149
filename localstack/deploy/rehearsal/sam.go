package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// samProgram is where the Makefile installs SAM, from the root of the working tree.
const samProgram = ".tools/sam/bin/sam"

// stackName is that of samconfig.toml's default environment.
const stackName = "ranch-dev"

// stack is what is deployed.
type stack struct {
	id         string
	ids        map[string]string // logical id → physical id
	parameters map[string]string
	outputs    map[string]string
}

// change is what a deployment has done to a resource: Add, Modify or Remove.
type change struct{ action, logicalID string }

// deploy runs sam deploy, as README says, with the given values of parameters, and returns what it changed.
func (r *rehearsal) deploy(ctx context.Context, parameters map[string]string) ([]change, error) {
	arguments := []string{"deploy", "--no-confirm-changeset", "--no-progressbar"}
	if len(parameters) > 0 {
		arguments = append(arguments, "--parameter-overrides")
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		// SAM takes no empty value without quotes.
		arguments = append(arguments, fmt.Sprintf("%s=%q", name, parameters[name]))
	}
	last, err := r.events(ctx, "")
	if err != nil {
		return nil, err
	}
	if _, err := r.sam(ctx, arguments...); err != nil {
		return nil, err
	}
	seen := ""
	if len(last) > 0 {
		seen = aws.ToString(last[0].EventId)
	}
	events, err := r.events(ctx, seen)
	if err != nil {
		return nil, err
	}
	return changesOf(events), r.readStack(ctx)
}

// events returns what has happened to the stack since the event of that id, the newest first; nothing, if there is no
// stack.
func (r *rehearsal) events(ctx context.Context, since string) (all []types.StackEvent, err error) {
	pages := cloudformation.NewDescribeStackEventsPaginator(r.clients.cloudFormation, &cloudformation.DescribeStackEventsInput{StackName: aws.String(stackName)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if since == "" && err != nil && strings.Contains(err.Error(), "does not exist") {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, e := range page.StackEvents {
			if since != "" && aws.ToString(e.EventId) == since {
				return all, nil
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// changesOf says what was done to each resource: the first of its events does, since one that is replaced is deleted
// after its successor has been made.
func changesOf(events []types.StackEvent) (changes []change) {
	done := map[string]bool{stackName: true}
	for _, e := range slices.Backward(events) {
		id := aws.ToString(e.LogicalResourceId)
		if done[id] {
			continue
		}
		done[id] = true
		does, _, _ := strings.Cut(string(e.ResourceStatus), "_")
		changes = append(changes, change{map[string]string{"CREATE": "Add", "UPDATE": "Modify", "DELETE": "Remove"}[does], id})
	}
	return changes
}

// readStack asks CloudFormation what is deployed now.
func (r *rehearsal) readStack(ctx context.Context) error {
	described, err := r.clients.cloudFormation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(stackName)})
	if err != nil {
		return err
	}
	s := stack{id: aws.ToString(described.Stacks[0].StackId), ids: map[string]string{}, parameters: map[string]string{}, outputs: map[string]string{}}
	for _, p := range described.Stacks[0].Parameters {
		s.parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	for _, o := range described.Stacks[0].Outputs {
		s.outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	pages := cloudformation.NewListStackResourcesPaginator(r.clients.cloudFormation, &cloudformation.ListStackResourcesInput{StackName: aws.String(stackName)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, resource := range page.StackResourceSummaries {
			s.ids[aws.ToString(resource.LogicalResourceId)] = aws.ToString(resource.PhysicalResourceId)
		}
	}
	r.stack = s
	return nil
}

// sam runs the SAM CLI against LocalStack. It polls each second instead of every five: nobody else is asking.
func (r *rehearsal) sam(ctx context.Context, arguments ...string) (string, error) {
	environ := append(r.cloud.Environ(), "SAM_CLI_TELEMETRY=0", "SAM_CLI_POLL_DELAY=1")
	return r.run(ctx, environ, samProgram, arguments...)
}

// run runs a program in the root of the working tree and returns what it printed, which goes to the log, too.
func (r *rehearsal) run(ctx context.Context, environ []string, program string, arguments ...string) (string, error) {
	cmd := exec.Command(program, arguments...)
	cmd.Dir, cmd.Env = r.template.Root, environ
	var printed, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&printed, r.log), io.MultiWriter(&complaint, r.log)
	running, err := process.Start(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-running.Done():
	case <-ctx.Done():
		running.Stop(5 * time.Second)
		return "", ctx.Err()
	}
	if err := running.Wait(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s%s", program, arguments[0], err, lastLines(printed.String()), lastLines(complaint.String()))
	}
	return printed.String(), nil
}

func lastLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "")
}
