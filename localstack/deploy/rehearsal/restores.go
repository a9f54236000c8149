package main

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// copyName is the restored table's.
const copyName = stackName + "-restored"

// deployUnchanged deploys once more what is there, which changes nothing: no function starts anew without a reason.
func (r *rehearsal) deployUnchanged(ctx context.Context) string {
	r.deploy(ctx, nil)
	r.wantVersion(ctx, "1")
	return "no change, and no new version"
}

// deployParameters deploys other values, which change what refers to them, and nothing else. LocalStack keeps neither
// an API nor a log group's retention: the tests of the template hold what a value does there.
func (r *rehearsal) deployParameters(ctx context.Context) string {
	parameters := map[string]string{"LogRetentionDays": "14", "AllowedOrigins": "https://ranch.example.com"}
	r.deploy(ctx, parameters, "Modify AccessLog", "Modify Api", "Modify Logs")
	for name, value := range parameters {
		if r.stack.parameters[name] != value {
			failf("%s is %q", name, r.stack.parameters[name])
		}
	}
	r.player.login(ctx)
	r.wantVersion(ctx, "1")
	return "the API and the log groups changed, and nothing else"
}

// rotateKeys rotates the keys as README says, with a player who was logged in before. Functions that run learn of a new
// key within minutes, which TestRun_keysAreRotated in localstack/run plays with its clock; those that start, with the
// next deployment here, know it.
func (r *rehearsal) rotateKeys(ctx context.Context) string {
	earlier := *r.player // with the tokens that k1 has signed
	r.earlier = &earlier
	var keys []struct{ Kid string }
	check(r.operate(ctx, &keys, "keys", "rotate", "--signs-in", "0s", "--yes"))
	if len(keys) != 2 || keys[1].Kid != "k1" {
		failf("the keys are %v", keys)
	}
	r.key = keys[0].Kid
	r.earlier.call(ctx, "GET", "/animals", nil, http.StatusOK, nil) // by functions that run
	if err := r.operate(ctx, &keys, "keys", "retire", "k1", "--yes"); err == nil || !strings.Contains(err.Error(), "may be live") {
		failf("ranchctl retires a key whose tokens are live: %v", err)
	}
	return "nobody was logged out, and the old key cannot go yet"
}

// restore brings the service onto a copy of its table, as docs/restore.md says. Players of before the copy are there
// still, with the tokens of that time; later ones are not.
func (r *rehearsal) restore(ctx context.Context) string {
	r.copyTable(ctx)
	r.late = r.register(ctx, "latecomer")
	r.wantLedger(ctx, copyName)
	r.deploy(ctx, map[string]string{"ExistingTable": copyName}, r.changesOfTheTable("Remove Table")...)
	if got := r.stack.outputs["TableName"]; got != copyName {
		failf("the table is %s", got)
	}
	r.wantVersion(ctx, "2")
	// All functions have started anew: that logs nobody out, and the new key signs tokens.
	r.earlier.wantSession(ctx, r.key)
	r.player.login(ctx)
	r.player.wantSession(ctx, r.key)
	r.late.renew(ctx, http.StatusUnauthorized)
	r.wantLedger(ctx, copyName)
	return "an old session goes on, its ledger is right, and who came later is unknown"
}

// goBack deploys onto the table from before, with all other parameters as they were at first, and drops the copy.
func (r *rehearsal) goBack(ctx context.Context) string {
	parameters := maps.Clone(r.first.parameters)
	parameters["ExistingTable"] = r.first.outputs["TableName"]
	back := maps.Clone(parameters)
	maps.DeleteFunc(back, func(name, value string) bool { return r.stack.parameters[name] == value })
	r.deploy(ctx, back, r.changesOfTheTable("Modify AccessLog", "Modify Api", "Modify Logs", "Modify JudgeDueMinute")...)
	if !maps.Equal(r.stack.parameters, parameters) {
		failf("the parameters are %v, want %v", r.stack.parameters, parameters)
	}
	r.wantVersion(ctx, "3")
	r.late.renew(ctx, http.StatusOK)
	r.earlier.wantSession(ctx, r.key)
	must(r.dynamoDB.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(copyName)}))
	r.wantLedger(ctx, parameters["ExistingTable"])
	return "the table from before serves again, and who came later is known"
}

// copyTable copies the table item by item, into one made like it: LocalStack has no point-in-time recovery.
func (r *rehearsal) copyTable(ctx context.Context) {
	table := must(r.template.CreateTable("Table", copyName))
	must(r.dynamoDB.CreateTable(ctx, table))
	check(dynamodb.NewTableExistsWaiter(r.dynamoDB).Wait(ctx, &dynamodb.DescribeTableInput{TableName: table.TableName}, time.Minute))
	pages := dynamodb.NewScanPaginator(r.dynamoDB, &dynamodb.ScanInput{TableName: aws.String(r.stack.outputs["TableName"]), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		for _, item := range must(pages.NextPage(ctx)).Items {
			must(r.dynamoDB.PutItem(ctx, &dynamodb.PutItemInput{TableName: table.TableName, Item: item}))
		}
	}
}
