package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
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
