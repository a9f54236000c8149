package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
)

func TestSetUp_seedsAnEmptyTableOnce(t *testing.T) {
	e, template := startEngine(t), loadTemplate(t)
	var counts [3]int32
	for i, c := range []struct {
		seed bool
		says string
	}{{false, ""}, {true, "Created a demo season with 12 shows (SEED=none leaves them out)\n"}, {true, "The table holds data already: no demo is added\n"}} {
		var output bytes.Buffer
		if err := setUp(t.Context(), config{seed: c.seed}, template, e, &output); err != nil || output.String() != c.says {
			t.Errorf("set-up %d says %q, %v, not %q", i, output.String(), err, c.says)
		}
		out, err := e.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(stack.TableName), Select: types.SelectCount})
		if err != nil {
			t.Fatal(err)
		}
		counts[i] = out.Count
	}
	if counts[0] != 0 || counts[1] < 12 || counts[2] != counts[1] {
		t.Errorf("after SEED=none, a seeding and another one there are %v items", counts)
	}
}

// The demo has something for every rule of entering, and for the whole loop, also a week later.
func TestDemo(t *testing.T) {
	names, has := map[string]bool{}, map[string]int{}
	for _, s := range demoShows {
		names[s.name] = true
		for what, is := range map[string]bool{
			game.TierRookie:        s.tier == game.TierRookie,
			game.TierPro:           s.tier == game.TierPro,
			game.TierElite:         s.tier == game.TierElite,
			"no prizes":            !game.HasPrizes(s.tier),
			"affordable fee":       s.fee > 0 && s.fee <= game.StartingGold,
			"unaffordable fee":     s.fee > game.StartingGold,
			"closes in minutes":    s.closes > time.Minute && s.closes < time.Hour,
			"closes in hours":      s.closes > time.Hour && s.closes < day,
			"free rookie for days": s.fee == 0 && s.tier == game.TierRookie && s.closes > day,
			"rookie after a week":  s.fee <= game.StartingGold && s.tier == game.TierRookie && s.closes > 7*day,
			"closes in a few days": s.closes > day && s.closes < 4*day,
		} {
			has[what] += map[bool]int{true: 1}[is]
		}
	}
	for what, count := range has {
		if count == 0 || what == "rookie after a week" && count < 3 {
			t.Errorf("%d shows with: %s", count, what)
		}
	}
	if len(names) != len(demoShows) {
		t.Errorf("%d shows have %d names", len(demoShows), len(names))
	}
}

// TestInitialise: the first set-up of a LocalStack makes the secret as the template has it, a second one keeps it.
func TestInitialise(t *testing.T) {
	server := startLocalStack(t)
	var first string
	for i, want := range []string{"Created a demo season", "The secret ranch-signing-keys exists already and is kept\nThe table holds data already"} {
		var output bytes.Buffer
		if err := initialise(t.Context(), config{engine: engine.LocalStack, seed: true}, &output); err != nil {
			t.Fatal(err)
		}
		read, err := server.Secrets.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: aws.String(stack.SecretName)})
		if err != nil {
			t.Fatal(err)
		}
		secret := aws.ToString(read.SecretString)
		if i == 0 {
			first = secret
		}
		var keys map[string]string
		if err := json.Unmarshal([]byte(secret), &keys); err != nil || keys["current"] != "k1" || len(keys["k1"]) != 64 || secret != first {
			t.Errorf("set-up %d: the secret is another one or has %d fields, %v", i, len(keys), err)
		}
		if !strings.Contains(output.String(), want) {
			t.Errorf("set-up %d says %q, without %q", i, output.String(), want)
		}
	}
}
