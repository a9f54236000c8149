package boot

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/shared/token"
)

const (
	developmentSecret = "local:development"
	developmentKey    = "the development key that everybody knows, and nobody uses in earnest"

	// secretPatience is for all attempts to read the secret: Lambda allows ten seconds for the start.
	secretPatience       = 8 * time.Second
	secretAttemptTimeout = 2 * time.Second
)

func (env environment) keys(ctx context.Context) (*token.Keys, error) {
	secret, err := env.required("SIGNING_KEYS_SECRET")
	if err != nil {
		return nil, err
	}
	if secret == developmentSecret {
		return env.developmentKeys()
	}
	text, err := env.secret(ctx, secret)
	if err != nil {
		return nil, fmt.Errorf("read the signing keys: %w", err)
	}
	return token.ParseSecret(text)
}

// developmentKeys stay on this machine: with them anybody can pass for any user.
func (env environment) developmentKeys() (*token.Keys, error) {
	if !isLoopback(env.endpoint("DYNAMODB")) {
		return nil, fmt.Errorf("SIGNING_KEYS_SECRET=%s needs AWS_ENDPOINT_URL_DYNAMODB or AWS_ENDPOINT_URL to be on this machine", developmentSecret)
	}
	return DevelopmentKeys()
}

// DevelopmentKeys returns what functions sign with that have SIGNING_KEYS_SECRET=local:development, for tools on this
// machine that play many users and cannot log each of them in.
func DevelopmentKeys() (*token.Keys, error) {
	return token.NewKeys("development", map[string][]byte{"development": []byte(developmentKey)})
}

func isLoopback(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return err == nil && address.IsLoopback() || strings.EqualFold(u.Hostname(), "localhost")
}

// secret returns the text of a secret in Secrets Manager.
func (env environment) secret(ctx context.Context, id string) (string, error) {
	s, err := env.settings("SECRETS_MANAGER")
	if err != nil {
		return "", err
	}
	client := secretsmanager.New(secretsmanager.Options{
		Region: s.region, Credentials: s.credentials, BaseEndpoint: s.endpoint, HTTPClient: &http.Client{Timeout: secretAttemptTimeout},
	})
	ctx, cancel := context.WithTimeout(ctx, secretPatience)
	defer cancel()
	out, err := client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &id})
	if err != nil {
		return "", err
	}
	if out.SecretString == nil {
		return "", errors.New("the secret has no text")
	}
	return *out.SecretString, nil
}
