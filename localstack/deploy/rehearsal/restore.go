package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// copyName is the restored table's.
const copyName = stackName + "-restored"

// restore brings the service onto a copy of its table, as docs/restore.md says. Whoever was there when the copy was
// made is there still, with the tokens of that time; who came later is not.
func (r *rehearsal) restore(ctx context.Context) (string, error) {
	if err := r.copyTable(ctx); err != nil {
		return "", err
	}
	late, err := register(ctx, r.front.url, "latecomer")
	if err != nil {
		return "", err
	}
	r.late = late
	if err := r.verifyLedger(ctx, copyName); err != nil {
		return "", err
	}
	changes, err := r.deploy(ctx, map[string]string{"ExistingTable": copyName})
	if err != nil {
		return "", err
	}
	if err := wantChanges(changes, append(r.changesOfTheTable(), "Remove Table")...); err != nil {
		return "", err
	}
	if got := r.stack.outputs["TableName"]; got != copyName {
		return "", fmt.Errorf("the table is %s", got)
	}
	if err := r.wantVersion(ctx, "2"); err != nil {
		return "", err
	}
	// All functions have started anew: nobody is logged out by that, and tokens are signed with the new key.
	if err := r.loggedIn(ctx, r.earlier, r.key); err != nil {
		return "", fmt.Errorf("a session of before: %w", err)
	}
	if err := r.player.login(ctx); err != nil {
		return "", err
	}
	if err := r.loggedIn(ctx, r.player, r.key); err != nil {
		return "", err
	}
	if err := r.late.renew(ctx, http.StatusUnauthorized); err != nil {
		return "", fmt.Errorf("who came after the copy: %w", err)
	}
	return "an old session goes on, its ledger is right, and who came later is unknown", r.verifyLedger(ctx, copyName)
}

// goBack deploys onto the table from before, with all other parameters as they were at first, and drops the copy.
func (r *rehearsal) goBack(ctx context.Context) (string, error) {
	own := r.first.outputs["TableName"]
	back := map[string]string{"ExistingTable": own}
	for name, value := range r.first.parameters {
		if r.stack.parameters[name] != value && name != "ExistingTable" {
			back[name] = value
		}
	}
	changes, err := r.deploy(ctx, back)
	if err != nil {
		return "", err
	}
	want := append(r.changesOfTheTable(), "Modify AccessLog", "Modify Api", "Modify Logs", "Modify JudgeDueMinute")
	if err := wantChanges(changes, want...); err != nil {
		return "", err
	}
	parameters := maps.Clone(r.first.parameters)
	parameters["ExistingTable"] = own
	if !maps.Equal(r.stack.parameters, parameters) {
		return "", fmt.Errorf("the parameters are %v, want %v", r.stack.parameters, parameters)
	}
	if err := r.wantVersion(ctx, "3"); err != nil {
		return "", err
	}
	if err := r.late.renew(ctx, http.StatusOK); err != nil {
		return "", fmt.Errorf("who came after the copy: %w", err)
	}
	if err := r.loggedIn(ctx, r.earlier, r.key); err != nil {
		return "", fmt.Errorf("a session of before: %w", err)
	}
	if _, err := r.clients.dynamoDB.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(copyName)}); err != nil {
		return "", err
	}
	return "the table from before serves again, and who came later is known", r.verifyLedger(ctx, own)
}

// changesOfTheTable are what another table modifies: whatever names it.
func (r *rehearsal) changesOfTheTable() []string {
	changes := []string{"Modify Operators", "Modify CostAlarm", "Modify TableThrottlesAlarm", "Modify Dashboard"}
	for _, f := range r.template.Functions {
		changes = append(changes, "Modify "+f.LogicalID, "Modify "+f.LogicalID+"Role", "Modify "+f.LogicalID+"Alias"+aliasName)
	}
	for id := range r.first.ids { // LocalStack no longer lists what was replaced
		if isVersion(id) {
			changes = append(changes, "Modify "+id)
		}
	}
	return changes
}

// copyTable copies the table item by item, into one made like it: LocalStack has no point-in-time recovery.
func (r *rehearsal) copyTable(ctx context.Context) error {
	db := r.clients.dynamoDB
	table, err := r.template.CreateTable("Table", copyName)
	if err != nil {
		return err
	}
	if _, err := db.CreateTable(ctx, table); err != nil {
		return err
	}
	if err := dynamodb.NewTableExistsWaiter(db).Wait(ctx, &dynamodb.DescribeTableInput{TableName: table.TableName}, time.Minute); err != nil {
		return err
	}
	pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{TableName: aws.String(r.stack.outputs["TableName"]), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: table.TableName, Item: item}); err != nil {
				return err
			}
		}
	}
	return nil
}
