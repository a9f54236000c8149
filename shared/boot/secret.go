package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/tally"
	"github.com/ranch-game/ranch/shared/token"
)

// The two versions of the secret that functions go by, as Secrets Manager labels them.
const (
	currentVersion  = "AWSCURRENT"
	previousVersion = "AWSPREVIOUS"
)

// secret is the secret with the signing keys.
type secret struct {
	client  *secretsmanager.Client
	id      string
	log     *slog.Logger
	metrics emf.Source
}

func (env environment) secret(id string, log *slog.Logger) (*secret, error) {
	s, err := env.settings("SECRETS_MANAGER")
	if err != nil {
		return nil, fmt.Errorf("read the signing keys: %w", err)
	}
	// Minutes lie between two reads, and Lambda may have stopped the process meanwhile: no connection lasts so long,
	// and one that is dead would take up the next read's patience.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	return &secret{id: id, log: log, metrics: env.metrics(), client: secretsmanager.New(secretsmanager.Options{
		Region: s.region, Credentials: s.credentials, BaseEndpoint: s.endpoint, HTTPClient: &http.Client{Timeout: attemptTimeout, Transport: transport},
	})}, nil
}

// atStart returns the keys of the current version, or where that cannot be parsed, of the previous one.
func (s *secret) atStart(ctx context.Context) (keys *token.Keys, current bool, err error) {
	keys, err = s.keys(ctx, currentVersion, startPatience)
	if !errors.As(err, new(unparsable)) {
		return keys, err == nil, err
	}
	keys, previousErr := s.keys(ctx, previousVersion, startPatience)
	if previousErr != nil {
		s.complain(err, "none")
		return nil, false, fmt.Errorf("%w; its previous version: %w", err, previousErr)
	}
	s.complain(err, "the previous version")
	return keys, false, nil
}

// again returns the keys of the current version. An error has been logged: those who get it go on with what they have.
func (s *secret) again() (*token.Keys, error) {
	keys, err := s.keys(context.Background(), currentVersion, readPatience)
	if err != nil {
		s.complain(err, "the keys in memory")
	}
	return keys, err
}

// complain logs what is wrong with the secret, and which keys the function goes by: "unparsable" needs somebody to
// repair the secret, and is a metric; "unreadable" is tried again, and may pass.
func (s *secret) complain(err error, goingBy string) {
	level, problem := slog.LevelWarn, "unreadable"
	var values []emf.Value
	if errors.As(err, new(unparsable)) {
		level, problem = slog.LevelError, "unparsable"
		values = []emf.Value{{Figure: tally.KeysUnparsable, N: 1}}
	}
	line := []slog.Attr{slog.String("signing_keys", problem), slog.String("going_by", goingBy), slog.String("error", err.Error())}
	s.log.LogAttrs(context.Background(), level, "signing keys", s.metrics.Append(line, time.Now(), "", values...)...)
}

// unparsable is the error of a version that was read and has no good keys.
type unparsable struct{ error }

func (s *secret) keys(ctx context.Context, version string, patience time.Duration) (*token.Keys, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := s.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &s.id, VersionStage: &version})
	if err != nil {
		return nil, fmt.Errorf("read the signing keys: %w", err)
	}
	if out.SecretString == nil {
		return nil, unparsable{errors.New("the secret has no text")}
	}
	keys, err := token.ParseSecret(*out.SecretString)
	if err != nil {
		return nil, unparsable{err}
	}
	return keys, nil
}
