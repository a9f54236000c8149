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

// ErrChanged says that the secret has got another version than the one that was to be replaced.
var ErrChanged = errors.New("somebody else has changed the secret meanwhile: nothing was changed, look at it again")

const (
	currentLabel = "AWSCURRENT"
	// writtenLabel is on the version that was written last, whether it has become the current one or not: a new version
	// without any label would be the current one at once.
	writtenLabel = "RANCHCTL"
)

// Secret is the secret in Secrets Manager.
type Secret struct {
	client *secretsmanager.Client
	id     string
}

// NewSecret returns the secret of that name or ARN.
func NewSecret(client *secretsmanager.Client, id string) Secret { return Secret{client, id} }

// Version returns the current version, if functions can go by it. Errors say nothing of what is in it.
func (s Secret) Version(ctx context.Context) (Version, error) {
	out, err := s.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &s.id, VersionStage: aws.String(currentLabel)})
	if err != nil {
		return Version{}, fmt.Errorf("reading the secret %s: %w", s.id, err)
	}
	if out.SecretString == nil || out.CreatedDate == nil {
		return Version{}, fmt.Errorf("the secret %s has no text, or no date", s.id)
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

// Replace makes another secret the current version in the place of v, or returns ErrChanged and changes nothing where v
// is the current version no more. Secrets Manager writes versions unconditionally, but moves a label only from the
// version that the caller names. So the new version is written without the label that functions use, and gets it from
// v.
func (s Secret) Replace(ctx context.Context, v Version, by token.Secret) error {
	id := ours + uuid.NewString()
	_, err := s.client.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId: &s.id, ClientRequestToken: &id, SecretString: aws.String(by.Text()), VersionStages: []string{writtenLabel},
	})
	if err != nil {
		return fmt.Errorf("writing the secret %s: %w", s.id, err)
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
		return fmt.Errorf("changing the secret %s: %w; and then %w: look at it again", s.id, err, readErr)
	case now.ID == id: // the answer to an earlier attempt was lost
		return nil
	case now.ID != v.ID:
		return ErrChanged
	}
	return fmt.Errorf("changing the secret %s: %w", s.id, err)
}
