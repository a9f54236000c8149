package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/shared/client"
)

// deployFirst creates the stack. It checks the outputs, and that only prod has a roll-out (CodeDeploy).
func (r *rehearsal) deployFirst(ctx context.Context) string {
	changes := r.changes(ctx, nil)
	wantBesides(changes, "Add ")
	for _, change := range r.changesOfTheRollout("Add") {
		if slices.Contains(changes, change) != (r.environment == prod) {
			failf("the deployment of %s does %s", r.environment.name, strings.Join(changes, ", "))
		}
	}
	for name, value := range r.stack.outputs {
		if value == "" {
			failf("the output %s is empty", name)
		}
	}
	if got := r.stack.outputs["Commit"]; !isCommit(got) {
		failf("the output Commit is %q", got)
	}
	r.first = r.stack
	r.wantVersion(ctx, "1")
	return fmt.Sprintf("%d resources", len(r.stack.ids))
}

// wantVersion fails unless the API's alias of each function leads to this version, with its role and the real
// values of all references in its environment. From now on, every invocation must reach this version.
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
		if role := aws.ToString(got.Role); !strings.HasSuffix(role, "/"+r.stack.ids[f.LogicalID+"Role"]) {
			failf("%s has the role %s", f.LogicalID, role)
		}
	}
	r.version = version
}

// goldAfterPlay is the player's gold after the game: the starting gold, less the fee, plus a rookie show's first prize.
const goldAfterPlay = 500 - 10 + 100

// play creates a season and two shows as an operator. Then a player enters, judges and claims, and calls every other
// operation without a body. The other show is for the tour of `make accept`, which checks the answers of a whole game.
func (r *rehearsal) play(ctx context.Context) string {
	var season, show struct{ ID string }
	check(r.operate(ctx, &season, "season", "create", "--name", "Season 1", "--start", "-1h", "--end", "+30d", "--activate", "--yes"))
	for range 2 {
		check(r.operate(ctx, &show, "show", "create", "--name", "County Fair", "--tier", "rookie", "--fee", "10", "--closes-in", "48h", "--yes"))
	}
	p := r.register(ctx, "rider")
	r.player = p
	check(p.Login(ctx))
	var animals []client.Animal
	promised, err := contract.LoadRoot()
	check(err)
	at := "/events/shows/" + show.ID
	check(p.Call(ctx, "GET", "/animals", nil, http.StatusOK, &animals))
	check(p.Call(ctx, "POST", at+"/enter", map[string]string{"animalId": animals[0].ID}, http.StatusCreated, nil))
	check(p.Call(ctx, "POST", at+"/judge", nil, http.StatusOK, nil))
	check(p.Call(ctx, "POST", promised.ByID("claimReward").At(show.ID), nil, http.StatusOK, nil))
	for _, o := range promised.Operations() {
		if o.Method == http.MethodGet {
			check(p.Call(ctx, o.Method, o.At(show.ID), nil, http.StatusOK, nil))
		}
	}
	check(p.Call(ctx, "POST", "/auth/logout", map[string]string{"refreshToken": p.Tokens.RefreshToken}, http.StatusOK, nil))
	check(p.Refresh(ctx, http.StatusUnauthorized))
	r.wantLedger(ctx, r.stack.outputs["TableName"])
	return fmt.Sprintf("entered for 10 gold, won 100: %d gold, and the ledger says why", goldAfterPlay)
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
	r.deploy(ctx, parameters, "Modify AccessLog", "Modify Api", "Modify Logs", "Modify JudgeDueMinute")
	for name, value := range parameters {
		if r.stack.parameters[name] != value {
			failf("%s is %q", name, r.stack.parameters[name])
		}
	}
	check(r.player.Login(ctx))
	r.wantVersion(ctx, "1")
	return "the API, the log groups and a schedule changed, and nothing else"
}

// deployBeside deploys the alarms and the policies of people. Then it changes a parameter of each: exactly the resources
// that refer to it may change.
func (r *rehearsal) deployBeside(ctx context.Context) string {
	service, resources := r.stack, 0
	r.in(beside(r.environment, "alarms"), func() {
		wantBesides(r.changes(ctx, nil), "Add ")
		resources += len(r.stack.ids)
		for parameter, want := range map[string]string{"ApiId": service.ids["Api"], "TableName": service.outputs["TableName"]} {
			if got := r.resolved(ctx, parameter); got != want {
				failf("the alarms watch the %s %q, want %q", parameter, got, want)
			}
		}
		r.deploy(ctx, map[string]string{"HourlyCostLimit": "2"}, "Modify CostAlarm")
		r.deploy(ctx, map[string]string{"HourlyCostLimit": "1"}, "Modify CostAlarm") // restore compares all settings
	})
	r.in(beside(r.environment, "people"), func() {
		wantBesides(r.changes(ctx, nil), "Add ")
		resources += len(r.stack.ids)
		r.deploy(ctx, map[string]string{"Environment": "staging"}, "Modify OnCall")
		r.deploy(ctx, map[string]string{"Environment": "prod"}, "Modify OnCall")
	})
	return fmt.Sprintf("%d resources, which know the API and the table; one parameter of each changed", resources)
}

// resolved returns the value of a stack's parameter that names a parameter of Systems Manager.
func (r *rehearsal) resolved(ctx context.Context, parameter string) string {
	described := must(r.cloudFormation.DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: aws.String(r.environment.stack)}))
	for _, p := range described.Stacks[0].Parameters {
		if aws.ToString(p.ParameterKey) == parameter {
			return aws.ToString(p.ResolvedValue)
		}
	}
	return ""
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

// runByThemselves switches on the judging of due shows. It fails if that changes more than the schedule.
// LocalStack stores schedules without running them, so runByThemselves then invokes the scheduled functions.
func (r *rehearsal) runByThemselves(ctx context.Context) string {
	r.deploy(ctx, map[string]string{"JudgeDueShows": "on"}, "Modify JudgeDueMinute")
	for _, f := range r.template.Functions {
		if _, plays := f.Environment["API_URL"]; f.Schedule != nil && !plays { // LocalStack serves no HTTP API to play on
			must(r.invoke(ctx, f.LogicalID, []byte("{}")))
		}
	}
	return "each scheduled function but PlaySynthetic runs without an error"
}

// copyName is the name of the restored table.
const copyName = "ranch-prod-restored"

// accept runs the checks of `make accept`. LocalStack does not support these: confirmed subscriptions, metrics of log
// lines, an access log, schedules that fire, drift of SAM's resources, and IAM's decisions. Exactly the checks that need these must fail.
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
		"Pages FAILED", "Tickets FAILED", "aliases ok", "challenge ok", "drift FAILED", "keys FAILED", "keys FAILED", "keys FAILED", "keys FAILED",
		"keys ok", "keys ok", "lines FAILED", "metrics FAILED",
		"schedules FAILED", "schedules FAILED", "schedules FAILED", "schedules FAILED", "schedules ok", "tour ok",
	}; !slices.Equal(checks, want) {
		failf("the checks say %q, want %q", checks, want)
	}
	return "all checks ran, and failed where LocalStack is not AWS"
}

// restore moves the service onto a copy of its table, with the commands of docs/restore.md. Afterwards all settings
// must be as before. A player from before the copy must still exist with valid tokens, and one who registered later
// must not. LocalStack has no API, and the local gateway lets players in while the doors are closed.
func (r *rehearsal) restore(ctx context.Context) string {
	r.copyTable(ctx)
	r.late = r.register(ctx, "latecomer")
	r.onThePage(ctx, "Note the settings")
	r.deploy(ctx, map[string]string{"Doors": "closed"}, "Modify ApiApiGatewayDefaultStage")
	r.onThePage(ctx, "Stop the schedules")
	r.onThePage(ctx, "Configure the copy", "COPY="+copyName)
	r.wantLedger(ctx, copyName)
	var problems []struct{ Problem string }
	if check(r.operate(ctx, &problems, "table", "verify", "--table", copyName)); len(problems) > 0 {
		failf("the copy has %v", problems)
	}
	changes := r.changes(ctx, map[string]string{"ExistingTable": copyName, "Rollout": "AllAtOnce"})
	wantBesides(changes, "Modify ", append(r.changesOfTheRollout("Remove"), "Remove Table")...)
	if got := r.stack.outputs["TableName"]; got != copyName {
		failf("the table is %s", got)
	}
	r.wantVersion(ctx, "2")
	r.in(beside(r.environment, "alarms"), func() {
		wantBesides(r.changes(ctx, nil), "Modify ")
		if got := r.resolved(ctx, "TableName"); got != copyName {
			failf("the alarms watch the table %s", got)
		}
	})
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
	check(engine.CreateTable(ctx, r.dynamoDB, copyName))
	pages := dynamodb.NewScanPaginator(r.dynamoDB, &dynamodb.ScanInput{TableName: aws.String(r.stack.outputs["TableName"]), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		for _, item := range must(pages.NextPage(ctx)).Items {
			must(r.dynamoDB.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(copyName), Item: item}))
		}
	}
}

// goBack deploys the stack with its first table and first parameters. Then it deletes the copy.
func (r *rehearsal) goBack(ctx context.Context) string {
	parameters := maps.Clone(r.first.parameters)
	parameters["ExistingTable"] = r.first.outputs["TableName"]
	back := maps.Clone(parameters)
	maps.DeleteFunc(back, func(name, value string) bool { return r.stack.parameters[name] == value })
	wantBesides(r.changes(ctx, back), "Modify ", r.changesOfTheRollout("Add")...)
	if !maps.Equal(r.stack.parameters, parameters) {
		failf("the parameters are %v, want %v", r.stack.parameters, parameters)
	}
	r.wantVersion(ctx, "3")
	check(r.late.Refresh(ctx, http.StatusOK))
	wantSession(ctx, r.earlier, r.key)
	r.onThePage(ctx, "Delete the old table", "OLD="+copyName)
	r.wantLedger(ctx, parameters["ExistingTable"])
	return "the table from before serves again, who came later is known, and the copy is deleted"
}

// delete deletes the stacks. It then checks that only the table and the secret are left, with their contents.
func (r *rehearsal) delete(ctx context.Context) string {
	for _, kind := range []string{"alarms", "people"} {
		r.in(beside(r.environment, kind), func() { r.sam(ctx, "delete", "--no-prompts") })
	}
	r.sam(ctx, "delete", "--no-prompts")
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
	r.in(beside(r.environment, "alarms"), func() {
		for _, change := range r.changes(ctx, nil) {
			if strings.HasSuffix(change, "Alarm") {
				failf("dev has alarms: %s", change)
			}
		}
	})
	check(r.register(ctx, "developer").Login(ctx))
	return "all at once, version 1 of each function, and a player registers"
}

// left returns the names of resources that are still in the account. It leaves out the table, the secret and SAM's own
// bucket, which belongs to another stack.
func (r *rehearsal) left(ctx context.Context) (names []string) {
	for _, f := range must(r.lambda.ListFunctions(ctx, &lambda.ListFunctionsInput{})).Functions {
		names = append(names, "function "+aws.ToString(f.FunctionName))
	}
	for _, role := range must(r.iam.ListRoles(ctx, &iam.ListRolesInput{})).Roles {
		names = append(names, "role "+aws.ToString(role.RoleName))
	}
	for _, name := range must(r.dynamoDB.ListTables(ctx, &dynamodb.ListTablesInput{})).TableNames {
		if name != r.stack.outputs["TableName"] {
			names = append(names, "table "+name)
		}
	}
	for _, s := range must(r.secrets.ListSecrets(ctx, &secretsmanager.ListSecretsInput{})).SecretList {
		if aws.ToString(s.ARN) != r.stack.outputs["SigningKeysSecret"] {
			names = append(names, "secret "+aws.ToString(s.Name))
		}
	}
	return names
}
