package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func startEngine(t *testing.T, o engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func items(t *testing.T, e *engine.Engine) int32 {
	t.Helper()
	out, err := e.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(stack.TableName), Select: types.SelectCount})
	if err != nil {
		t.Fatal(err)
	}
	return out.Count
}

func loadTemplate(t *testing.T) *samtemplate.Template {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	return template
}

func TestSetUp_seedsAnEmptyTableOnce(t *testing.T) {
	e, template := startEngine(t, engine.Options{}), loadTemplate(t)
	var counts [3]int32
	var outputs [3]bytes.Buffer
	for i, seed := range []bool{false, true, true} {
		if err := setUp(t.Context(), config{seed: seed}, template, e, &outputs[i]); err != nil {
			t.Fatal(err)
		}
		counts[i] = items(t, e)
	}
	if counts[0] != 0 || counts[1] < 12 || counts[2] != counts[1] {
		t.Errorf("after SEED=none, a seeding and another one there are %v items", counts)
	}
	for i, want := range []string{"", "Created a demo season with 12 shows", "holds data already"} {
		if got := outputs[i].String(); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("set-up %d says %q, without %q", i, got, want)
		}
	}
}

// startMoto starts moto, which has a Secrets Manager, as the LocalStack of this test.
func startMoto(t *testing.T) {
	t.Helper()
	moto := filepath.Join(loadTemplate(t).Root, ".tools", "moto", "bin", "moto_server")
	if _, err := os.Stat(moto); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("`make moto` has not been run: %v", err)
		}
		t.Skip("NOT TESTED: `make moto` installs what this test needs: ", err)
	}
	port := strconv.Itoa(freePort(t))
	// The shell's input ends with this process, however that ends, and moto with it.
	cmd := exec.Command("sh", "-c", `"$0" "$@" & read -r _; kill -9 $!; wait`, moto, "-H", "127.0.0.1", "-p", port)
	input, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = cmd.Wait()
	})
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:"+port)
	eventually(t, "moto answers", func() bool {
		e, err := engine.Start(t.Context(), engine.Options{Kind: engine.LocalStack})
		if err == nil {
			e.Close()
		}
		return err == nil
	})
}

// secretsManager is a client of the LocalStack's.
func secretsManager() *secretsmanager.Client {
	return secretsmanager.New(secretsmanager.Options{
		Region: running.Region, BaseEndpoint: aws.String(engine.LocalStackEndpoint()), Credentials: running.Credentials(),
	})
}

// secret returns the value of the signing keys in the LocalStack.
func secret(t *testing.T) string {
	t.Helper()
	out, err := secretsManager().GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: aws.String(stack.SecretName)})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.SecretString)
}

func TestInitialise_createsTableAndSecretInLocalStack(t *testing.T) {
	startMoto(t)
	var values [2]string
	var outputs [2]bytes.Buffer
	for i := range values {
		if err := initialise(t.Context(), config{engine: engine.LocalStack, seed: true}, &outputs[i]); err != nil {
			t.Fatal(err)
		}
		values[i] = secret(t)
	}
	var keys map[string]string
	if err := json.Unmarshal([]byte(values[0]), &keys); err != nil || keys["current"] != "k1" || len(keys["k1"]) != 64 {
		t.Errorf("the secret is not as the template has it: %d fields, %v", len(keys), err)
	}
	if values[1] != values[0] {
		t.Error("a second set-up replaces the secret")
	}
	for i, want := range []string{"Created a demo season", "The secret ranch-signing-keys exists already and is kept\nThe table holds data already"} {
		if !strings.Contains(outputs[i].String(), want) {
			t.Errorf("set-up %d says %q, without %q", i, outputs[i].String(), want)
		}
	}
}

func TestStart_hasCommandsForLocalStackAlone(t *testing.T) {
	t.Setenv("ENGINE", "embedded")
	for command, want := range map[string]string{
		"init":      "init is for a LocalStack: call it with ENGINE=localstack",
		"sam-local": "sam-local is for a LocalStack: call it with ENGINE=localstack",
		"play":      `["play"] is no command of it: it takes none, init or sam-local`,
	} {
		if err := start(t.Context(), []string{command}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, not %q", command, err, want)
		}
	}
}

// eventually fails the test when the condition does not come true within a minute.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for deadline := time.Now().Add(time.Minute); !condition(); <-poll.C {
		if time.Now().After(deadline) {
			t.Fatalf("a minute later it is not so that %s", what)
		}
	}
}
