package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation/types"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/shared/client"
)

// deployFirst creates the stack. It checks the outputs, and that only prod has a roll-out (CodeDeploy).
func (r *rehearsal) deployFirst(ctx context.Context) string {
	changes := r.changes(ctx, nil)
	for _, change := range changes {
		if !strings.HasPrefix(change, "Add ") {
			failf("a first deployment does %s", change)
		}
	}
	for _, change := range r.changesOfTheRollout("Add") {
		if slices.Contains(changes, change) != (r.environment == prod) {
			failf("the deployment of %s does %s", r.environment.name, strings.Join(changes, ", "))
		}
	}
	for _, name := range []string{"ApiUrl", "TableName", "SigningKeysSecret", "LogGroup", "AccessLogGroup", "PagesTopic", "TicketsTopic", "DashboardUrl"} {
		if r.stack.outputs[name] == "" {
			failf("there is no output %s", name)
		}
	}
	if got := r.stack.outputs["Commit"]; !isCommit(got) {
		failf("the output Commit is %q", got)
	}
	named := map[string]string{"OperatorsPolicy": "Operators", "KeyOperatorsPolicy": "KeyOperators", "SupportPolicy": "Support", "OnCallPolicy": "OnCall", "DeployersPolicy": "Deployers"}
	for _, f := range r.template.Functions {
		named[f.LogicalID+"Name"] = f.LogicalID
	}
	for output, id := range named {
		if got := r.stack.outputs[output]; got == "" || got != r.stack.ids[id] {
			failf("the output %s is %s, want %s", output, got, r.stack.ids[id])
		}
	}
	r.first = r.stack
	return fmt.Sprintf("%d resources", len(r.stack.ids))
}

func (r *rehearsal) lookAtFunctions(ctx context.Context) string {
	r.wantVersion(ctx, "1")
	return "memory, time, role and environment are the template's, in version 1 of each"
}

// wantVersion fails unless the API's alias of each function leads to this version, with the template's settings and the
// real values of all references in its environment. From now on, every invocation must reach this version.
func (r *rehearsal) wantVersion(ctx context.Context, version string) {
	physical := maps.Clone(r.stack.ids)
	physical["Table"] = r.stack.outputs["TableName"] // also if the stack does not own the table
	physical["AWS::StackName"], physical["AWS::StackId"], physical["AWS::Region"], physical["AWS::URLSuffix"] = r.environment.stack, r.stack.id, running.Region, "amazonaws.com"
	for _, f := range r.template.Functions {
		name := aws.String(r.stack.ids[f.LogicalID])
		alias := must(r.lambda.GetAlias(ctx, &lambda.GetAliasInput{FunctionName: name, Name: aws.String(aliasName)}))
		if at := aws.ToString(alias.FunctionVersion); at != version || alias.RoutingConfig != nil {
			failf("%s of %s is version %s and %v, want %s alone", aliasName, f.LogicalID, at, alias.RoutingConfig, version)
		}
		got := must(r.lambda.GetFunctionConfiguration(ctx, &lambda.GetFunctionConfigurationInput{FunctionName: name, Qualifier: &version}))
		want := must(r.template.Resolve(f.Environment, physical))
		if _, plays := want["API_URL"]; plays {
			want["API_URL"] = r.stack.outputs["ApiUrl"] // LocalStack puts its own address into both
		}
		if !maps.Equal(want, got.Environment.Variables) {
			failf("%s has the environment %v, want %v", f.LogicalID, got.Environment.Variables, want)
		}
		memory, seconds := int(aws.ToInt32(got.MemorySize)), aws.ToInt32(got.Timeout)
		if memory != f.MemoryMB || float64(seconds) != f.Timeout.Seconds() || string(got.Runtime) != f.Runtime ||
			len(got.Architectures) != 1 || got.Architectures[0] != lambdatypes.ArchitectureArm64 {
			failf("%s has %d MB, %d s, %s, %v", f.LogicalID, memory, seconds, got.Runtime, got.Architectures)
		}
		if role := aws.ToString(got.Role); !strings.HasSuffix(role, "/"+r.stack.ids[f.LogicalID+"Role"]) {
			failf("%s has the role %s", f.LogicalID, role)
		}
	}
	r.version = version
}

// goldAfterPlay is the player's gold after the game: the starting gold, less the fee, plus a rookie show's first prize.
const goldAfterPlay = 500 - 10 + 100

// play creates a season and a show as an operator, and then plays the whole game once as a player.
func (r *rehearsal) play(ctx context.Context) string {
	var season, show struct{ ID string }
	check(r.operate(ctx, &season, "season", "create", "--name", "Season 1", "--start", "-1h", "--end", "+30d", "--activate", "--yes"))
	check(r.operate(ctx, &show, "show", "create", "--name", "County Fair", "--tier", "rookie", "--fee", "10", "--closes-in", "48h", "--yes"))
	p := r.register(ctx, "rider")
	r.player = p
	check(p.Login(ctx))
	var animals []client.Animal
	var shows []client.ListedShow
	var detail client.ShowDetail
	var claim client.Claimed
	var standing client.Season
	promised, err := contract.LoadRoot()
	check(err)
	at := "/events/shows/" + show.ID
	check(p.Call(ctx, "GET", "/animals", nil, http.StatusOK, &animals))
	check(p.Call(ctx, "GET", "/events/shows?tier=rookie&status=open", nil, http.StatusOK, &shows))
	check(p.Call(ctx, "POST", at+"/enter", map[string]string{"animalId": animals[0].ID}, http.StatusCreated, nil))
	check(p.Call(ctx, "POST", at+"/judge", nil, http.StatusOK, nil))
	check(p.Call(ctx, "POST", promised.ByID("claimReward").At(show.ID), nil, http.StatusOK, &claim))
	check(p.Call(ctx, "GET", at, nil, http.StatusOK, &detail))
	check(p.Call(ctx, "GET", "/events/season", nil, http.StatusOK, &standing))
	if len(shows) != 1 || !wonAlone(detail) || claim.GoldReward != 100 || standing.MySeasonScore != 100 {
		failf("%d shows, detail %+v, claim %+v, season %+v", len(shows), detail, claim, standing)
	}
	for _, o := range promised.Operations() { // also those that the game above does not need
		if o.Method == http.MethodGet {
			check(p.Call(ctx, o.Method, o.At(show.ID), nil, http.StatusOK, nil))
		}
	}
	check(p.Refresh(ctx, http.StatusOK))
	check(p.Call(ctx, "POST", "/auth/logout", map[string]string{"refreshToken": p.Tokens.RefreshToken}, http.StatusOK, nil))
	check(p.Refresh(ctx, http.StatusUnauthorized))
	r.wantLedger(ctx, r.stack.outputs["TableName"])
	return fmt.Sprintf("entered for 10 gold, won 100: %d gold, and the ledger says why", goldAfterPlay)
}

func wonAlone(show client.ShowDetail) bool {
	return len(show.Entries) == 1 && show.Entries[0].Rank != nil && *show.Entries[0].Rank == 1
}

// wantLedger fails unless the operators' audit finds the right balance of the player, and no difference in the ledger.
func (r *rehearsal) wantLedger(ctx context.Context, table string) {
	var ledgers []struct {
		Balance     int64
		Differences []string
	}
	check(r.operate(ctx, &ledgers, "ledger", "verify", r.player.Email, "--table", table))
	if len(ledgers) != 1 || ledgers[0].Balance != goldAfterPlay || len(ledgers[0].Differences) > 0 {
		failf("the ledgers of %s are %+v", table, ledgers)
	}
}

// deployUnchanged deploys the same template again. No resource may change, since functions would restart for no reason.
func (r *rehearsal) deployUnchanged(ctx context.Context) string {
	r.deploy(ctx, nil)
	r.wantVersion(ctx, "1")
	return "no change, and no new version"
}

// deployParameters deploys other values of parameters. It fails unless exactly the resources that refer to the values
// change. LocalStack stores neither an API nor a log group's retention: tests of the template check these.
func (r *rehearsal) deployParameters(ctx context.Context) string {
	parameters := map[string]string{"LogRetentionDays": "14", "AllowedOrigins": "https://ranch.example.com", "JudgeDueShows": "off"}
	r.deploy(ctx, parameters, "Modify AccessLog", "Modify Api", "Modify Logs", "Modify JudgeDueAlarm", "Modify JudgeDueMinute")
	for name, value := range parameters {
		if r.stack.parameters[name] != value {
			failf("%s is %q", name, r.stack.parameters[name])
		}
	}
	check(r.player.Login(ctx))
	r.wantVersion(ctx, "1")
	return "the API, the log groups and a schedule changed, and nothing else"
}

// rotateKeys rotates the signing keys while a player is logged in. Running functions read a new key within five
// minutes, which TestRun_keysAreRotated in localstack/run shows. In the rehearsal, the next deployment starts functions
// that know the new key.
func (r *rehearsal) rotateKeys(ctx context.Context) string {
	earlier := *r.player // with the tokens that k1 has signed
	r.earlier = &earlier
	var keys []struct{ Kid string }
	check(r.operate(ctx, &keys, "keys", "rotate", "--signs-in", "0s", "--yes"))
	if len(keys) != 2 || keys[1].Kid != "k1" {
		failf("the keys are %v", keys)
	}
	r.key = keys[0].Kid
	check(r.earlier.Call(ctx, "GET", "/animals", nil, http.StatusOK, nil)) // by running functions
	if err := r.operate(ctx, &keys, "keys", "retire", "k1", "--yes"); err == nil || !strings.Contains(err.Error(), "may be valid") {
		failf("ranchctl retires a key whose tokens are live: %v", err)
	}
	return "nobody was logged out, and the old key cannot go yet"
}

// runByThemselves switches on the judging of due shows. It fails if that changes more than the schedule and its alarm.
// LocalStack stores schedules without running them, so runByThemselves then invokes the scheduled functions. JudgeDue
// must judge a closed show, and the audit must find no difference.
func (r *rehearsal) runByThemselves(ctx context.Context) string {
	var show struct{ ID string }
	// No fee and no prize: the player's gold stays the same.
	check(r.operate(ctx, &show, "show", "create", "--name", "Evening Fair", "--tier", "exhibition", "--force", "--fee", "0", "--closes-in", "20s", "--yes"))
	closed := time.After(20 * time.Second)
	var animals []client.Animal
	check(r.player.Call(ctx, "GET", "/animals", nil, http.StatusOK, &animals))
	at := "/events/shows/" + show.ID
	check(r.player.Call(ctx, "POST", at+"/enter", map[string]string{"animalId": animals[0].ID}, http.StatusCreated, nil))
	r.deploy(ctx, map[string]string{"JudgeDueShows": "on"}, "Modify JudgeDueAlarm", "Modify JudgeDueMinute")
	select {
	case <-closed:
	case <-ctx.Done():
		check(ctx.Err())
	}
	for _, want := range [][]string{{show.ID}, {}} { // the second run finds nothing
		var line struct{ Judged []string }
		if r.runScheduled(ctx, "JudgeDue", &line); !slices.Equal(line.Judged, want) {
			failf("JudgeDue judges %q, want %q", line.Judged, want)
		}
	}
	var run struct{ Finished []string }
	if r.runScheduled(ctx, "FinishPending", &run); run.Finished == nil || len(run.Finished) > 0 {
		failf("FinishPending finishes %q, and nothing is pending", run.Finished)
	}
	var detail client.ShowDetail
	check(r.player.Call(ctx, "GET", at, nil, http.StatusOK, &detail))
	if !wonAlone(detail) {
		failf("the show that was judged is %+v", detail)
	}
	var line struct {
		LedgersAudited, LedgerDrift int
		Complete                    bool
	}
	if r.runScheduled(ctx, "AuditLedgers", &line); !line.Complete || line.LedgersAudited < 1 || line.LedgerDrift > 0 {
		failf("AuditLedgers says %+v", line)
	}
	return "JudgeDue judged a closed show, and the ledgers are right"
}

// runScheduled runs a scheduled function, and decodes the line that the run logs into the value at line. On a busy
// machine, LocalStack may return that line only with the next run, so runScheduled makes up to three runs.
func (r *rehearsal) runScheduled(ctx context.Context, logicalID string, line any) {
	var log []byte
	for range 3 {
		answer := must(r.invokeAlias(ctx, logicalID, []byte("{}"), lambdatypes.LogTypeTail))
		log = append(log, must(base64.StdEncoding.DecodeString(aws.ToString(answer.LogResult)))...)
		for text := range bytes.Lines(log) {
			if bytes.Contains(text, []byte(`"msg":"run"`)) {
				check(json.Unmarshal(text, line))
				return
			}
		}
	}
	failf("%s has logged no run: %s", logicalID, log)
}

// copyName is the name of the restored table.
const copyName = "ranch-prod-restored"

// reservedByProd is the sum of prod's reserved concurrency, as docs/deploying.md says.
const reservedByProd = 581

// accept runs the checks of `make accept`. LocalStack does not support four things: confirmed subscriptions, metrics of
// log lines, schedules that fire, and IAM's decisions. Exactly the checks that need these must fail.
func (r *rehearsal) accept(ctx context.Context) string {
	must(r.run(ctx, os.Environ(), "go", "build", "-o", folder+"/ranch-tour", "./localstack/run/tour"))
	environ := append(r.withPrograms(folder, awsPrograms), "STACK="+r.environment.stack, "WAIT=0", "API="+r.front.url)
	printed, _ := r.run(ctx, environ, "bash", "localstack/deploy/accept/run")
	var checks []string
	for _, found := range regexp.MustCompile(`(?m)^(ok|FAILED) +(\w+)`).FindAllStringSubmatch(printed, -1) {
		checks = append(checks, found[2]+" "+found[1])
	}
	slices.Sort(checks)
	if want := []string{
		"Pages FAILED", "Tickets FAILED", "aliases ok", "keys FAILED", "keys FAILED", "keys ok", "metrics FAILED",
		"schedules FAILED", "schedules FAILED", "schedules FAILED", "schedules ok", "tour ok",
	}; !slices.Equal(checks, want) {
		failf("the checks say %q, want %q", checks, want)
	}
	return "all checks ran, and failed where LocalStack is not AWS"
}

// closeDoors copies the table, closes the API's doors and stops the schedules, with the commands of docs/restore.md.
// LocalStack has no API, and the local gateway still lets players in.
func (r *rehearsal) closeDoors(ctx context.Context) string {
	r.copyTable(ctx)
	r.late = r.register(ctx, "latecomer")
	r.onThePage(ctx, "Note the settings")
	r.deploy(ctx, map[string]string{"Doors": "closed"}, "Modify ApiApiGatewayDefaultStage")
	r.onThePage(ctx, "Stop the schedules")
	if sum := r.reserved(); sum != reservedByProd {
		failf("prod reserves %d, want %d", sum, reservedByProd)
	}
	return "the table is copied, and what it must keep is noted"
}

// restore deploys the service onto the copy of its table.
func (r *rehearsal) restore(ctx context.Context) string {
	r.onThePage(ctx, "Configure the copy", "COPY="+copyName)
	r.wantLedger(ctx, copyName)
	var problems []struct{ Problem string }
	if check(r.operate(ctx, &problems, "table", "verify", "--table", copyName)); len(problems) > 0 {
		failf("the copy has %v", problems)
	}
	r.deploy(ctx, map[string]string{"ExistingTable": copyName, "Rollout": "AllAtOnce"}, r.changesOfTheTable(append(r.changesOfTheRollout("Remove"), "Remove Table")...)...)
	if got := r.stack.outputs["TableName"]; got != copyName {
		failf("the table is %s", got)
	}
	r.wantVersion(ctx, "2")
	return "the copy is sound, and every function uses it"
}

// openDoors opens the API's doors. It fails unless all settings are as before. A player from before the copy must still
// exist with valid tokens. A player who registered later must not exist.
func (r *rehearsal) openDoors(ctx context.Context) string {
	r.onThePage(ctx, "Start the schedules")
	r.deploy(ctx, map[string]string{"Doors": "open"}, "Modify ApiApiGatewayDefaultStage")
	r.onThePage(ctx, "Compare", "COPY="+copyName)
	// All functions have restarted. No session has ended, and the new key signs tokens.
	wantSession(ctx, r.earlier, r.key)
	check(r.player.Login(ctx))
	wantSession(ctx, r.player, r.key)
	check(r.late.Refresh(ctx, http.StatusUnauthorized))
	r.wantLedger(ctx, copyName)
	return "concurrency, tags, alarms as before; an old session goes on, who came later is unknown"
}

// copyTable copies the table item by item into a new table with the same keys. LocalStack has no point-in-time
// recovery, which docs/restore.md uses.
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

// goBack deploys the stack with its first table and first parameters. Then it deletes the copy.
func (r *rehearsal) goBack(ctx context.Context) string {
	parameters := maps.Clone(r.first.parameters)
	parameters["ExistingTable"] = r.first.outputs["TableName"]
	back := maps.Clone(parameters)
	maps.DeleteFunc(back, func(name, value string) bool { return r.stack.parameters[name] == value })
	r.deploy(ctx, back, r.changesOfTheTable(append(r.changesOfTheRollout("Add"), "Modify AccessLog", "Modify Api", "Modify Logs")...)...)
	if !maps.Equal(r.stack.parameters, parameters) {
		failf("the parameters are %v, want %v", r.stack.parameters, parameters)
	}
	r.wantVersion(ctx, "3")
	check(r.late.Refresh(ctx, http.StatusOK))
	wantSession(ctx, r.earlier, r.key)
	r.onThePage(ctx, "The old table", "OLD="+copyName)
	r.wantLedger(ctx, parameters["ExistingTable"])
	return "the table from before serves again, who came later is known, and the copy is deleted"
}

// delete deletes the stack. It then checks that only the table and the secret are left, with their contents.
func (r *rehearsal) delete(ctx context.Context) string {
	r.sam(ctx, "delete", "--no-prompts")
	described := must(r.cloudFormation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(r.stack.id)})).Stacks[0]
	if described.StackStatus != types.StackStatusDeleteComplete {
		failf("the stack is %s", described.StackStatus)
	}
	if left := r.left(ctx); len(left) > 0 {
		failf("these are left: %s", strings.Join(left, ", "))
	}
	r.wantLedger(ctx, r.stack.outputs["TableName"])
	secret := aws.String(r.stack.outputs["SigningKeysSecret"])
	must(r.secrets.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: secret}))
	return "the table and the secret are left, and nothing else"
}

// deployDev deploys the environment dev beside the remains of prod.
func (r *rehearsal) deployDev(ctx context.Context) string {
	r.environment = dev
	r.deployFirst(ctx)
	r.wantVersion(ctx, "1")
	check(r.register(ctx, "developer").Login(ctx))
	return "all at once, version 1 of each function, and a player registers"
}

// left returns the names of resources that are still in the account. It leaves out the table, the secret and SAM's own
// bucket, which belongs to another stack.
func (r *rehearsal) left(ctx context.Context) (names []string) {
	add := func(kind string, name *string) { names = append(names, kind+" "+aws.ToString(name)) }
	for _, f := range must(r.lambda.ListFunctions(ctx, &lambda.ListFunctionsInput{})).Functions {
		add("function", f.FunctionName)
	}
	for _, role := range must(r.iam.ListRoles(ctx, &iam.ListRolesInput{})).Roles {
		add("role", role.RoleName)
	}
	for _, g := range must(r.logs.DescribeLogGroups(ctx, &cloudwatchlogs.DescribeLogGroupsInput{})).LogGroups {
		// Each LocalStack function writes to its own log group instead of the template's.
		if !strings.HasPrefix(aws.ToString(g.LogGroupName), "/aws/lambda/") {
			add("log group", g.LogGroupName)
		}
	}
	for _, name := range must(r.dynamoDB.ListTables(ctx, &dynamodb.ListTablesInput{})).TableNames {
		if name != r.stack.outputs["TableName"] {
			add("table", &name)
		}
	}
	for _, s := range must(r.secrets.ListSecrets(ctx, &secretsmanager.ListSecretsInput{})).SecretList {
		if aws.ToString(s.ARN) != r.stack.outputs["SigningKeysSecret"] {
			add("secret", s.Name)
		}
	}
	return names
}
