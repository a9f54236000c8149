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
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/tally"
	"github.com/ranch-game/ranch/shared/token"
)

// Functions use the two versions of the secret that have these labels in Secrets Manager.
const (
	currentVersion  = "AWSCURRENT"
	previousVersion = "AWSPREVIOUS"
)

// If a function has a problem with its keys, its log line says with one of these texts which keys it uses.
const (
	inMemory = "the keys in memory"
	previous = "the previous version"
	nothing  = "none"
)

// secret is the secret with the signing keys in Secrets Manager. It is not safe for concurrent use.
type secret struct {
	client    *secretsmanager.Client
	id        string
	hs256     token.HS256
	record    record
	published string // the id of the version whose public keys this process published last
	complaints
}

func (env environment) secret(id string, log *slog.Logger, hs256 token.HS256, published record) (*secret, error) {
	s, err := env.settings("SECRETS_MANAGER")
	if err != nil {
		return nil, fmt.Errorf("cannot prepare to read the signing keys of SIGNING_KEYS_SECRET: %w", err)
	}
	// Minutes pass between two reads, and Lambda may freeze the process for that time. A connection does not last so
	// long, and a read over a dead connection would last until its time limit.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true
	return &secret{id: id, hs256: hs256, record: published, complaints: complaints{log, env.metrics()}, client: secretsmanager.New(secretsmanager.Options{
		Region: s.region, Credentials: s.credentials, BaseEndpoint: s.endpoint,
		HTTPClient: &table.Line{Silence: attemptTimeout, Transport: transport},
	})}, nil
}

// atStart returns the keys of the secret's current version. If that version has no valid keys, atStart returns those of
// the previous version. If well is false and err is nil, the keys are usable, but the next request must read again.
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
		return nil, false, fmt.Errorf("%w; and the secret's previous version cannot be used either: %w", err, previousErr)
	}
	s.add(err, previous)
	return keys, false, nil
}

// again reads the keys of the secret's current version, and publishes their public keys. It logs each error that it
// returns. After an error, the caller keeps its old keys.
func (s *secret) again() (*token.Keys, error) {
	keys, err := s.keys(context.Background(), currentVersion, readPatience)
	if err != nil {
		s.add(err, inMemory)
		return nil, err
	}
	return keys, nil
}

// complaints writes log lines about problems with keys.
type complaints struct {
	log     *slog.Logger
	metrics emf.Source
}

// add logs a problem with the keys. goingBy names the keys that the function uses. An error of type unparsable also
// counts as a metric, because an operator must repair the secret or the published keys. Other failed reads and
// publications are repeated, and may succeed later.
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
	line := []slog.Attr{slog.String("signing_keys", problem), slog.String("going_by", goingBy)}
	c.log.LogAttrs(context.Background(), level, "signing keys", c.metrics.Append(line, time.Now(), "", err, values...)...)
}

type (
	// unparsable means that a version of the secret, or the table, has no valid keys.
	unparsable struct{ error }
	// unpublished means that the function has read keys, but could not publish their public keys.
	unpublished struct{ error }
)

// keys reads the keys of a version of the secret, and publishes their public keys unless this process has published
// them last. Unpublished keys should not sign, because verifiers do not know them. With an error of type unpublished,
// keys also returns the keys, for a caller that has no others.
func (s *secret) keys(ctx context.Context, version string, patience time.Duration) (*token.Keys, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := s.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &s.id, VersionStage: &version})
	if err != nil {
		return nil, fmt.Errorf("cannot read the signing keys of SIGNING_KEYS_SECRET: %w", err)
	}
	if out.SecretString == nil {
		return nil, unparsable{errors.New("the secret of SIGNING_KEYS_SECRET has no text, perhaps binary data: write the keys as text")}
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
