package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"

	"github.com/ranch-game/ranch/localstack/kit/process"
)

// aliasName is the alias through which the API invokes functions.
const aliasName = "live"

// environment is an environment of samconfig.toml, with its stack's name.
type environment struct{ name, stack string }

var (
	prod = environment{"prod", "ranch-prod"}
	dev  = environment{"default", "ranch-dev"}
)

// beside returns an environment's stack of what watches the service (alarms) or of the policies of people.
func beside(e environment, kind string) environment {
	name := strings.TrimPrefix(e.stack, "ranch-")
	return environment{name + "-" + kind, "ranch-" + kind + "-" + name}
}

// in does what do does with another stack in place of the service's.
func (r *rehearsal) in(e environment, do func()) {
	environment, stack := r.environment, r.stack
	r.environment = e
	defer func() { r.environment, r.stack = environment, stack }()
	do()
}

// samProgram is the path at which the Makefile installs SAM, relative to the root of the working tree.
const samProgram = ".tools/sam/bin/sam"

type stack struct {
	id         string
	ids        map[string]string // logical id → physical id
	parameters map[string]string
	outputs    map[string]string
}

// deploy runs sam deploy with these values of parameters, and then reads the deployed stack. It fails unless the
// deployment makes exactly the wanted changes, each such as "Modify Api".
func (r *rehearsal) deploy(ctx context.Context, parameters map[string]string, want ...string) {
	if got := r.changes(ctx, parameters); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		failf("it does %s, want %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// changes deploys, and returns the changes of resources, sorted. Each begins with Add, Modify or Remove: "Add Table".
func (r *rehearsal) changes(ctx context.Context, parameters map[string]string) (changes []string) {
	arguments := []string{"deploy", "--no-confirm-changeset", "--no-progressbar"}
	if len(parameters) > 0 {
		arguments = append(arguments, "--parameter-overrides")
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		// SAM accepts an empty value only in quotes.
		arguments = append(arguments, fmt.Sprintf("%s=%q", name, parameters[name]))
	}
	seen := ""
	if before := r.events(ctx, ""); len(before) > 0 {
		seen = aws.ToString(before[0].EventId)
	}
	r.sam(ctx, arguments...)
	// The first event of a resource counts: CloudFormation creates a successor before it deletes the replaced resource.
	done := map[string]bool{r.environment.stack: true}
	for _, e := range slices.Backward(r.events(ctx, seen)) {
		id := aws.ToString(e.LogicalResourceId)
		if !done[id] {
			does, _, _ := strings.Cut(string(e.ResourceStatus), "_")
			changes = append(changes, map[string]string{"CREATE": "Add", "UPDATE": "Modify", "DELETE": "Remove"}[does]+" "+id)
		}
		done[id] = true
	}
	r.readStack(ctx)
	slices.Sort(changes)
	return changes
}

// events returns the stack's events after the event with the id since, the newest first. If the stack does not exist,
// it returns none.
func (r *rehearsal) events(ctx context.Context, since string) (all []types.StackEvent) {
	pages := cloudformation.NewDescribeStackEventsPaginator(r.cloudFormation, &cloudformation.DescribeStackEventsInput{StackName: aws.String(r.environment.stack)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if since == "" && err != nil && strings.Contains(err.Error(), "does not exist") {
			return nil
		}
		check(err)
		for _, e := range page.StackEvents {
			if since != "" && aws.ToString(e.EventId) == since {
				return all
			}
			all = append(all, e)
		}
	}
	return all
}

// readStack reads the deployed stack into r.stack.
func (r *rehearsal) readStack(ctx context.Context) {
	described := must(r.cloudFormation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(r.environment.stack)})).Stacks[0]
	r.stack = stack{id: aws.ToString(described.StackId), ids: map[string]string{}, parameters: map[string]string{}, outputs: map[string]string{}}
	for _, p := range described.Parameters {
		r.stack.parameters[aws.ToString(p.ParameterKey)] = aws.ToString(p.ParameterValue)
	}
	for _, o := range described.Outputs {
		r.stack.outputs[aws.ToString(o.OutputKey)] = aws.ToString(o.OutputValue)
	}
	pages := cloudformation.NewListStackResourcesPaginator(r.cloudFormation, &cloudformation.ListStackResourcesInput{StackName: aws.String(r.environment.stack)})
	for pages.HasMorePages() {
		for _, resource := range must(pages.NextPage(ctx)).StackResourceSummaries {
			r.stack.ids[aws.ToString(resource.LogicalResourceId)] = aws.ToString(resource.PhysicalResourceId)
		}
	}
}

// isCommit reports whether a text is a commit as make sam-build writes it into the template.
var isCommit = regexp.MustCompile(`^[0-9a-f]{40}(-dirty)?$`).MatchString

// wantBesides fails unless the changes are those with the prefix, and exactly the others that are wanted. It ignores the
// gates: LocalStack has no event of an alarm whose condition ends. The change set has it.
func wantBesides(changes []string, prefix string, want ...string) {
	others := slices.DeleteFunc(slices.Clone(changes), func(change string) bool {
		return strings.HasPrefix(change, prefix) || strings.HasSuffix(change, "Gate")
	})
	if !slices.Equal(others, slices.Sorted(slices.Values(want))) {
		failf("besides %s, it does %s, want %s", prefix, strings.Join(others, ", "), strings.Join(want, ", "))
	}
}

// changesOfTheRollout are the changes, Add or Remove, of CodeDeploy's resources.
func (r *rehearsal) changesOfTheRollout(does string) []string {
	changes := []string{does + " ServerlessDeploymentApplication", does + " CodeDeployServiceRole"}
	for _, f := range r.template.Functions {
		changes = append(changes, does+" "+f.LogicalID+"DeploymentGroup")
	}
	return changes
}

// sam runs the SAM CLI against LocalStack. SAM asks for the stack's state each second instead of every five seconds.
func (r *rehearsal) sam(ctx context.Context, arguments ...string) {
	arguments = append(arguments, "--config-env", r.environment.name)
	must(r.run(ctx, append(r.cloud.Environ(), "SAM_CLI_TELEMETRY=0", "SAM_CLI_POLL_DELAY=1"), samProgram, arguments...))
}

// run runs a program in the root of the working tree and returns its output. The output also goes to the log.
func (r *rehearsal) run(ctx context.Context, environ []string, program string, arguments ...string) (string, error) {
	cmd := exec.Command(program, arguments...)
	cmd.Dir, cmd.Env = r.template.Root, environ
	var printed, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&printed, r.log), io.MultiWriter(&complaint, r.log)
	if err := process.Run(ctx, cmd); err != nil {
		return printed.String(), fmt.Errorf("%s %s: %w: %s%s", program, arguments[0], err, lastLines(printed.String()), lastLines(complaint.String()))
	}
	return printed.String(), nil
}

func lastLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "")
}
