// Package accept has the tests of the script run, with which `make accept` checks a deployed stack in its AWS account.
package accept

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// account has the output of the AWS CLI for a sound stack with one function, by command. The rehearsal runs the script
// with the real CLI.
var account = map[string]string{
	"cloudformation describe-stacks":                       "ApiUrl\thttps://api.example.com\nTableName\tranch\nEnterShowName\tenter\nAuditLedgersName\taudit\nAccessLogGroup\taccess\nPagesTopic\tpages\nTicketsTopic\ttickets",
	"lambda get-alias":                                     "7 {}",
	"cloudformation list-stack-resources":                  "arn:aws:lambda:eu-west-1:123456789012:function:enter:7",
	"sns list-subscriptions-by-topic":                      "arn:aws:sns:eu-west-1:123456789012:pages:1",
	"cloudwatch get-metric-statistics":                     "3.0",
	"scheduler list-schedules":                             "minute",
	"scheduler get-schedule":                               "ENABLED\trate(1 minute)\tarn:aws:lambda:eu-west-1:123456789012:function:judge:live",
	"logs filter-log-events":                               "a line",
	"cloudformation detect-stack-drift":                    "id",
	"cloudformation describe-stack-drift-detection-status": "DETECTION_COMPLETE IN_SYNC",
	"sts get-caller-identity":                              "123456789012",
	"lambda get-function-configuration":                    "arn:aws:iam::123456789012:role/enter",
	"iam list-role-policies":                               "policy",
	"iam get-role-policy":                                  "{}",
	"iam create-role":                                      "", "iam put-role-policy": "", "iam delete-role-policy": "", "iam delete-role": "",
	"sts assume-role": "test test token",
}

// TestChecks checks that each check passes in a sound stack, and fails in a stack with the fault that it looks for.
func TestChecks(t *testing.T) {
	t.Parallel()
	const byKeys = "case \"$*\" in *AUDIT*|*SHOW*|*hp*) echo AccessDenied ;; *SPECIFIC*) echo ScannedCount ;; *scan*) echo AccessDenied ;; " +
		"*) echo TransactionCanceledException ;; esac"
	for name, c := range map[string]struct{ command, answer, table, failed string }{
		"sound":                      {"", "", byKeys, ""},
		"the tour fails":             {"tour", "exit 1", byKeys, "tour"},
		"a roll-out runs":            {"lambda get-alias", `6 {"7":0.1}`, byKeys, "aliases"},
		"a roll-out was taken back":  {"lambda get-alias", "6 {}", byKeys, "aliases"},
		"another stack":              {"cloudformation list-stack-resources", "", byKeys, "aliases"},
		"nobody confirmed":           {"sns list-subscriptions-by-topic", "PendingConfirmation", byKeys, "Pages Tickets"},
		"no metrics":                 {"cloudwatch get-metric-statistics", "0", byKeys, "metrics schedules"},
		"a schedule is off":          {"scheduler get-schedule", "DISABLED\trate(1 minute)\tarn:x:live", byKeys, "schedules"},
		"a renamed header":           {"curl", "X-Amzn-Remapped-WWW-Authenticate: Bearer", byKeys, "challenge"},
		"no JSON":                    {"logs filter-log-events", "", byKeys, "lines"},
		"a repair by hand":           {"cloudformation describe-stack-drift-detection-status", "DETECTION_COMPLETE DRIFTED", byKeys, "drift"},
		"IAM looks at no keys":       {"", "", "echo TransactionCanceledException ScannedCount", "keys keys keys keys"},
		"IAM knows no keys in items": {"", "", "echo AccessDenied", "keys keys"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers := maps.Clone(account)
			answers[c.command] = c.answer
			bin, cases := t.TempDir(), ""
			for _, command := range slices.Sorted(maps.Keys(answers)) {
				cases += fmt.Sprintf("%q) test -z '%[2]s' || printf '%%s\\n' '%[2]s' ;;\n", command, answers[command])
			}
			program(t, bin, "ranch-tour", "echo Gold: 500; "+answers["tour"])
			program(t, bin, "curl", "echo "+cmp.Or(answers["curl"], "WWW-Authenticate: Bearer"))
			program(t, bin, "aws", "case \"$1 $2\" in\ndynamodb*) "+c.table+" ;;\n"+cases+"*) exit 2 ;; esac")
			cmd := exec.CommandContext(t.Context(), "./run")
			cmd.Env = append(os.Environ(), "STACK=ranch-test", "WAIT=0", "PATH="+bin+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			var all, failed []string
			for line := range strings.Lines(string(out)) {
				fields := strings.Fields(line)
				if all = append(all, fields[1]); fields[0] == "FAILED" {
					failed = append(failed, fields[1])
				}
			}
			assert.Equal(t, "tour aliases lines challenge drift keys keys keys keys keys keys metrics schedules Pages Tickets", strings.Join(all, " "))
			assert.True(t, strings.Join(failed, " ") == c.failed && (err != nil) == (c.failed != ""), "%v\n%s", err, out)
		})
	}
}

func program(t *testing.T, folder, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
}
