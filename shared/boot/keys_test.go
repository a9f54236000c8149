package boot

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

func TestDevelopmentKeyStaysOnThisMachine(t *testing.T) {
	for endpoint, want := range map[string]bool{
		"http://127.0.0.1:8000":  true,
		"http://127.8.9.1":       true,
		"http://[::1]:8000":      true,
		"http://localhost:8000/": true,
		"http://LOCALHOST":       true,
		"":                       false,
		"http://":                false,
		"localhost:8000":         false, // no URL with a host
		"127.0.0.1":              false,
		"http://dynamodb.eu-west-1.amazonaws.com":         false,
		"http://localhost.example.com":                    false,
		"http://127.0.0.1.example.com":                    false,
		"http://localhost@example.com":                    false,
		"http://example.com/127.0.0.1":                    false,
		"http://example.com?http://localhost":             false,
		"http://10.0.0.1:8000":                            false,
		"http://0.0.0.0:8000":                             false,
		"http://128.0.0.1":                                false,
		"http://[::2]:8000":                               false,
		"http://[fe80::1]":                                false,
		"://localhost":                                    false,
		"http://dynamodb.localhost.localstack.cloud:4566": false,
	} {
		for _, variable := range []string{"AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"} {
			env := variables{"SIGNING_KEYS_SECRET": "local:development", variable: endpoint}
			keys, err := env.environment().keys(t.Context())
			if (err == nil) != want || (keys != nil) != want {
				t.Errorf("%s=%s: %v", variable, endpoint, err)
			}
		}
	}
}

// The endpoint that decides is the one that the client uses: the service's own goes before the general one.
func TestDevelopmentKeyGoesByTheEndpointInUse(t *testing.T) {
	const here, elsewhere = "http://127.0.0.1:8000", "http://example.com"
	for _, test := range []struct {
		own, general string
		want         bool
	}{{here, elsewhere, true}, {elsewhere, here, false}} {
		env := variables{"SIGNING_KEYS_SECRET": "local:development", "AWS_ENDPOINT_URL_DYNAMODB": test.own, "AWS_ENDPOINT_URL": test.general}
		if _, err := env.environment().keys(t.Context()); (err == nil) != test.want {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// Every function of a local stack has the same development key.
func TestDevelopmentKeysAreTheSame(t *testing.T) {
	env := variables{"SIGNING_KEYS_SECRET": "local:development", "AWS_ENDPOINT_URL": "http://localhost"}
	issuer, err := env.environment().keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := env.environment().keys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	verifies(t, issuer, verifier)
}

func TestKeysFromSecretsManager(t *testing.T) {
	key := strings.Repeat("k", 64)
	for _, variable := range []string{"AWS_ENDPOINT_URL_SECRETS_MANAGER", "AWS_ENDPOINT_URL"} {
		server := newSecretsManager(t, http.StatusOK, `{"Name":"n","SecretString":"{\"current\":\"k1\",\"k1\":\"`+key+`\"}"}`)
		env := awsVariables()
		env["SIGNING_KEYS_SECRET"], env[variable] = "arn:the-secret", server.URL
		keys, err := env.environment().keys(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		same, err := token.NewKeys("k1", map[string][]byte{"k1": []byte(key)})
		if err != nil {
			t.Fatal(err)
		}
		verifies(t, keys, same)
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		answer string
		want   string
	}{
		"unknown secret": {400, `{"__type":"ResourceNotFoundException","message":"no such secret"}`, "ResourceNotFoundException"},
		"no permission":  {400, `{"__type":"AccessDeniedException","message":"not allowed"}`, "AccessDeniedException"},
		"binary secret":  {200, `{"Name":"n","SecretBinary":"AAAA"}`, "no text"},
		"short key":      {200, `{"SecretString":"{\"current\":\"k1\",\"k1\":\"SENSITIVE\"}"}`, "fewer than 32 bytes"},
		"no JSON":        {200, `{"SecretString":"SENSITIVE"}`, "no JSON object"},
	} {
		env := awsVariables()
		env["SIGNING_KEYS_SECRET"], env["AWS_ENDPOINT_URL"] = "arn:the-secret", newSecretsManager(t, test.status, test.answer).URL
		keys, err := env.environment().keys(t.Context())
		if keys != nil || err == nil || !strings.Contains(err.Error(), test.want) || strings.ContainsAny(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "SENSITIVE") {
			t.Errorf("%s: the error quotes the secret: %v", name, err)
		}
	}
}

func TestKeysNeedTheirVariables(t *testing.T) {
	for _, missing := range []string{"SIGNING_KEYS_SECRET", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		env := awsVariables()
		env["SIGNING_KEYS_SECRET"] = "arn:the-secret"
		delete(env, missing)
		if _, err := env.environment().keys(t.Context()); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}

// newSecretsManager answers GetSecretValue for the secret arn:the-secret.
func newSecretsManager(t *testing.T, status int, answer string) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ SecretId string }
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &request) != nil || request.SecretId != "arn:the-secret" {
			t.Errorf("asked for %s, %v", body, err)
		}
		if target := r.Header.Get("X-Amz-Target"); target != "secretsmanager.GetSecretValue" {
			t.Errorf("asked to %s", target)
		}
		checkSignature(t, r, "secretsmanager")
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server
}

func verifies(t *testing.T, issuer, verifier *token.Keys) {
	t.Helper()
	issued, err := issuer.IssueAccess(game.User{ID: game.NewID()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verifier.VerifyAccess(issued, 0); err != nil {
		t.Error(err)
	}
}
