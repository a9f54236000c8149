package signingkeys

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/google/uuid"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// ErrChanged means that the current version of the secret is not the one that Replace had to replace.
var ErrChanged = errors.New("the secret was changed meanwhile, so this command changed nothing: look at the keys (ranchctl keys list) and repeat it")

const (
	currentLabel = "AWSCURRENT"
	// writtenLabel is the label of the version that this package wrote last, even if that version did not become
	// current. If a new version had no label, Secrets Manager would make it current at once.
	writtenLabel = "RANCHCTL"
)

// Secret is the secret in Secrets Manager.
type Secret struct {
	client *secretsmanager.Client
	id     string
}

// NewSecret returns the secret with the name or ARN id.
func NewSecret(client *secretsmanager.Client, id string) Secret { return Secret{client, id} }

// Version returns the current version of the secret. If functions could not use the version, it returns an error. The
// error contains no part of the secret's text.
func (s Secret) Version(ctx context.Context) (Version, error) {
	out, err := s.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &s.id, VersionStage: aws.String(currentLabel)})
	if err != nil {
		return Version{}, fmt.Errorf("cannot read the secret %s: %w", s.id, err)
	}
	if out.SecretString == nil || out.CreatedDate == nil {
		return Version{}, fmt.Errorf("the secret %s has no text or no date, so it is not the secret with the signing keys: check --secret", s.id)
	}
	read, err := token.ReadSecret(*out.SecretString)
	if err == nil {
		_, err = read.Signing()
	}
	if err != nil {
		return Version{}, fmt.Errorf("the secret %s: %w", s.id, err)
	}
	return Version{ARN: aws.ToString(out.ARN), ID: aws.ToString(out.VersionId), Written: game.InstantOf(*out.CreatedDate), Secret: read}, nil
}

// Replace makes the secret by the current version, in place of v. If v is no longer the current version, it returns
// ErrChanged, and the current version stays.
//
// Secrets Manager writes versions unconditionally, but moves a label only from the version that the caller names. So
// Replace writes the new version without the label that functions use, and then moves that label from v.
func (s Secret) Replace(ctx context.Context, v Version, by token.Secret) error {
	id := ours + uuid.NewString()
	_, err := s.client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId: &s.id, ClientRequestToken: &id, SecretString: aws.String(by.Text()), VersionStages: []string{writtenLabel},
	})
	if err != nil {
		return fmt.Errorf("cannot write a new version of the secret %s, so the secret is unchanged: %w", s.id, err)
	}
	_, err = s.client.UpdateSecretVersionStage(ctx, &secretsmanager.UpdateSecretVersionStageInput{
		SecretId: &s.id, VersionStage: aws.String(currentLabel), RemoveFromVersionId: &v.ID, MoveToVersionId: &id,
	})
	if err == nil {
		return nil
	}
	now, readErr := s.Version(ctx)
	switch {
	case readErr != nil:
		return fmt.Errorf("it is unknown whether the secret %s was changed, so look at it (ranchctl keys list): %w; and then %w", s.id, err, readErr)
	case now.ID == id: // the answer to an earlier attempt was lost
		return nil
	case now.ID != v.ID:
		return ErrChanged
	}
	return fmt.Errorf("cannot make the new version of the secret %s the current one, so the version before stays current: %w", s.id, err)
}
