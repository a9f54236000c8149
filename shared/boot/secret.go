package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/tally"
	"github.com/ranch-game/ranch/shared/token"
)

// The two versions of the secret that functions use, by Secrets Manager's labels.
const (
	currentVersion  = "AWSCURRENT"
	previousVersion = "AWSPREVIOUS"
)

// The keys that a function uses if it cannot read its own, as complaints name them.
const (
	inMemory = "the keys in memory"
	previous = "the previous version"
	nothing  = "none"
)

// secret is the secret with the signing keys. Its methods are called one after the other.
type secret struct {
	client    *secretsmanager.Client
	id        string
	hs256     token.HS256
	record    record
	published string // the version whose public keys this process has published last
	complaints
}

func (env environment) secret(id string, log *slog.Logger, hs256 token.HS256, published record) (*secret, error) {
	s, err := env.settings("SECRETS_MANAGER")
	if err != nil {
		return nil, fmt.Errorf("read the signing keys: %w", err)
	}
	// Minutes pass between two reads, and Lambda may have stopped the process meanwhile. No connection lasts so long,
	// and a dead one would use up the next read's time.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	return &secret{id: id, hs256: hs256, record: published, complaints: complaints{log, env.metrics()}, client: secretsmanager.New(secretsmanager.Options{
		Region: s.region, Credentials: s.credentials, BaseEndpoint: s.endpoint, HTTPClient: &http.Client{Timeout: attemptTimeout, Transport: transport},
	})}, nil
}

// atStart returns the keys of the current version, or if that cannot be parsed, of the previous one. If it reports
// false, the next request reads them again.
func (s *secret) atStart(ctx context.Context) (keys *token.Keys, well bool, err error) {
	keys, err = s.keys(ctx, currentVersion, startPatience)
	switch {
	case errors.As(err, new(unpublished)):
		s.add(err, inMemory)
		return keys, false, nil
	case !errors.As(err, new(unparsable)):
		return keys, err == nil, err
	}
	keys, previousErr := s.keys(ctx, previousVersion, startPatience)
	if previousErr != nil && !errors.As(previousErr, new(unpublished)) {
		s.add(err, nothing)
		return nil, false, fmt.Errorf("%w; its previous version: %w", err, previousErr)
	}
	s.add(err, previous)
	return keys, false, nil
}

// again returns the keys of the current version after they were published. Errors have been logged: callers that get
// one keep their keys.
func (s *secret) again() (*token.Keys, error) {
	keys, err := s.keys(context.Background(), currentVersion, readPatience)
	if err != nil {
		s.add(err, inMemory)
		return nil, err
	}
	return keys, nil
}

// complaints writes log lines about keys.
type complaints struct {
	log     *slog.Logger
	metrics emf.Source
}

// add logs a problem of the keys, and the keys that the function uses. "unparsable" is a metric: an operator must
// repair the secret. "unreadable" and "unpublished" are tried again, and may pass.
func (c complaints) add(err error, goingBy string) {
	level, problem := slog.LevelWarn, "unreadable"
	var values []emf.Value
	switch {
	case errors.As(err, new(unparsable)):
		level, problem = slog.LevelError, "unparsable"
		values = []emf.Value{{Figure: tally.KeysUnparsable, N: 1}}
	case errors.As(err, new(unpublished)):
		problem = "unpublished"
	}
	line := []slog.Attr{slog.String("signing_keys", problem), slog.String("going_by", goingBy), slog.String("error", err.Error())}
	c.log.LogAttrs(context.Background(), level, "signing keys", c.metrics.Append(line, time.Now(), "", values...)...)
}

type (
	// unparsable is the error of a version that was read and has no valid keys.
	unparsable struct{ error }
	// unpublished is the error of keys that were read, and whose public keys could not be published.
	unpublished struct{ error }
)

// keys returns the keys of a version after their public keys were published: before that they must not sign. With an
// unpublished error it returns keys, too, for callers without others.
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
	keys = keys.With(s.hs256)
	if id := aws.ToString(out.VersionId); id == "" || id != s.published {
		if err := publish(ctx, s.record, store.PublicKeys{
			Secret: aws.ToString(out.ARN), Written: game.InstantOf(aws.ToTime(out.CreatedDate)), Keys: keys.Public(),
		}); err != nil {
			return keys, unpublished{err}
		}
		s.published = id
	}
	return keys, nil
}
