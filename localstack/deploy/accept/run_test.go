// Package accept has the tests of the script run, with which `make accept` checks a deployed stack in its AWS account.
package accept

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/iam"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// account returns the output of the AWS CLI for a sound stack with one function, by command. For the transactions, the
// test runs the real CLI against a table, through the stand-in of IAM.
func account(table string) map[string]string {
	return map[string]string{
		"cloudformation describe-stacks":      "ApiUrl\thttps://api.example.com\nTableName\t" + table + "\nEnterShowName\tenter\nPagesTopic\tpages\nTicketsTopic\ttickets",
		"lambda get-alias":                    "7 {}",
		"cloudformation list-stack-resources": "arn:aws:lambda:eu-west-1:123456789012:function:enter:7",
		"sns list-subscriptions-by-topic":     "arn:aws:sns:eu-west-1:123456789012:pages:1",
		"cloudwatch get-metric-statistics":    "3.0",
		"scheduler list-schedules":            "minute",
		"scheduler get-schedule":              "ENABLED\trate(1 minute)\tarn:aws:lambda:eu-west-1:123456789012:function:judge:live",
		"sts get-caller-identity":             "123456789012",
		"lambda get-function-configuration":   "arn:aws:iam::123456789012:role/enter",
		"iam list-role-policies":              "policy",
		"iam get-role-policy":                 "{}",
		"iam create-role":                     "", "iam put-role-policy": "", "iam delete-role-policy": "", "iam delete-role": "",
		"sts assume-role": "test test token",
	}
}

// TestChecks checks that each check passes in a sound stack, and fails in a stack with the fault that it looks for.
func TestChecks(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	cli := filepath.Join(template.Root, ".tools/aws/bin/aws")
	if _, err := os.Stat(cli); err != nil {
		require.True(t, os.Getenv("CI") != "true", err)
		t.Skip("NOT TESTED: `make aws` installs what it takes: ", err)
	}
	enter, _ := template.Function("EnterShow")
	everything := []samtemplate.Statement{{Effect: "Allow", Actions: []string{"dynamodb:PutItem", "dynamodb:ConditionCheckItem"}}}
	roles := []*iam.Role{iam.NewRole("EnterShow", enter.Statements), iam.NewRole("Everything", everything), iam.NewRole("Nothing", nil)}
	engine, err := url.Parse(storetest.Endpoint())
	require.NoError(t, err)
	proxy := httptest.NewServer(iam.Proxy(roles, loopback.Transport(), engine, func(string, string) {}))
	t.Cleanup(proxy.Close)
	sound := []string{"tour", "aliases", "Pages", "Tickets", "metrics", "schedules", "keys", "keys", "keys"}
	for name, c := range map[string]struct {
		command, answer, role string
		failed                []string
	}{
		"sound":                      {role: "EnterShow"},
		"the tour fails":             {command: "tour", answer: "exit 1", failed: []string{"tour"}},
		"a roll-out runs":            {command: "lambda get-alias", answer: `6 {"7":0.1}`, failed: []string{"aliases"}},
		"a roll-out was taken back":  {command: "lambda get-alias", answer: "6 {}", failed: []string{"aliases"}},
		"another stack":              {command: "cloudformation list-stack-resources", failed: []string{"aliases"}},
		"nobody confirmed":           {command: "sns list-subscriptions-by-topic", answer: "PendingConfirmation", failed: []string{"Pages", "Tickets"}},
		"no metrics":                 {command: "cloudwatch get-metric-statistics", answer: "0", failed: []string{"metrics", "schedules"}},
		"a schedule is off":          {command: "scheduler get-schedule", answer: "DISABLED\trate(1 minute)\tarn:x:live", failed: []string{"schedules"}},
		"IAM looks at no keys":       {role: "Everything", failed: []string{"keys", "keys"}},
		"IAM knows no keys in items": {role: "Nothing", failed: []string{"keys"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := account(storetest.NewFixedScene(t, game.InstantOf(time.Now())).Name)
			answers[c.command] = c.answer
			bin := t.TempDir()
			program(t, bin, "ranch-tour", "echo Gold: 500; "+answers["tour"])
			table := "echo AccessDenied, or TransactionCanceledException"
			if c.role != "" {
				table = fmt.Sprintf("AWS_ENDPOINT_URL=%s/%s AWS_DEFAULT_REGION=%s exec %s \"$@\"", proxy.URL, c.role, running.Region, cli)
			}
			program(t, bin, "aws", "case \"$1 $2\" in\ndynamodb*) "+table+" ;;\n"+cases(answers)+"*) exit 2 ;; esac")
			cmd := exec.CommandContext(t.Context(), "./run")
			cmd.Env = append(os.Environ(), "STACK=ranch-test", "WAIT=0", "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			var all, failed []string
			for line := range strings.Lines(string(out)) {
				result, rest, _ := strings.Cut(line, " ")
				check, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
				if all = append(all, check); result == "FAILED" {
					failed = append(failed, check)
				}
			}
			assert.True(t, slices.Equal(all, sound) && slices.Equal(failed, c.failed) && (err != nil) == (len(c.failed) > 0),
				"%v\n%s", err, out)
		})
	}
}

func cases(answers map[string]string) (all string) {
	for _, command := range slices.Sorted(maps.Keys(answers)) {
		all += fmt.Sprintf("%q) test -z '%[2]s' || printf '%%s\\n' '%[2]s' ;;\n", command, answers[command])
	}
	return all
}

func program(t *testing.T, folder, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
}
