package samtemplate

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math/big"
)

// SecretTemplate is how Secrets Manager makes a secret's first value: a JSON object to which a random text is added.
type SecretTemplate struct {
	JSON               string // the object, SecretStringTemplate
	Key                string // the field that gets the random text, GenerateStringKey
	Length             int    // of the random text
	ExcludePunctuation bool
}

const (
	defaultSecretLength = 32 // Secrets Manager's
	alphanumerics       = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	punctuation         = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
)

func readSecret(properties property) SecretTemplate {
	p := properties.get("GenerateSecretString")
	if !p.required() {
		return SecretTemplate{}
	}
	p.only("SecretStringTemplate", "GenerateStringKey", "PasswordLength", "ExcludePunctuation")
	s := SecretTemplate{
		JSON:               p.get("SecretStringTemplate").text(),
		Key:                p.get("GenerateStringKey").text(),
		Length:             p.get("PasswordLength").integer(),
		ExcludePunctuation: p.get("ExcludePunctuation").boolean(),
	}
	if s.Length == 0 {
		s.Length = defaultSecretLength
	}
	if p.get("GenerateStringKey").required() && json.Unmarshal([]byte(s.JSON), &map[string]any{}) != nil {
		p.get("SecretStringTemplate").fail("want a JSON object")
	}
	return s
}

// SecretTemplate gives the shape of the secret of that logical id.
func (t *Template) SecretTemplate(logicalID string) (SecretTemplate, error) {
	s, ok := t.secrets[logicalID]
	if !ok {
		return SecretTemplate{}, fmt.Errorf("the template has no secret %q", logicalID)
	}
	return s, nil
}

// Generate makes a new value of that shape, of cryptographic randomness, as Secrets Manager does when the stack is
// created.
func (s SecretTemplate) Generate() (string, error) {
	alphabet := alphanumerics
	if !s.ExcludePunctuation {
		alphabet += punctuation
	}
	text := make([]byte, s.Length)
	for i := range text {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(alphabet))))
		if err != nil {
			return "", err
		}
		text[i] = alphabet[n.Int64()]
	}
	object := map[string]any{}
	if err := json.Unmarshal([]byte(s.JSON), &object); err != nil {
		return "", fmt.Errorf("the secret's template: %w", err)
	}
	object[s.Key] = string(text)
	value, err := json.Marshal(object)
	return string(value), err
}
