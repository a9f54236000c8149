package samtemplate

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// CORS is what the HTTP API answers browsers with.
type CORS struct {
	AllowOrigins  []string
	AllowMethods  []string
	AllowHeaders  []string
	ExposeHeaders []string
	// MaxAge is how long a browser may remember the answer to a preflight request; zero: the API does not say.
	MaxAge           time.Duration
	AllowCredentials bool
}

// Throttle is how many requests one route takes from all clients together.
type Throttle struct {
	Rate  float64 `cfn:"ThrottlingRateLimit,required"`  // a second
	Burst int     `cfn:"ThrottlingBurstLimit,required"` // at once
}

// Throttle returns what a route takes, "POST /cats"; the zero value if the template sets no limit.
func (t *Template) Throttle(route string) Throttle {
	if own, ok := t.api.RouteSettings[route]; ok {
		return own
	}
	return t.api.DefaultRouteSettings
}

// httpAPI are the properties of the HTTP API.
type httpAPI struct {
	CorsConfiguration    *CORS
	DefaultRouteSettings Throttle
	RouteSettings        map[string]Throttle
	AccessLogSettings    struct {
		DestinationArn ignored
		Format         string
	}
}

// Statement is a statement of an IAM policy.
type Statement struct {
	Effect    string
	Actions   []string
	Resources []Value
	// LeadingKeys are patterns; each partition key that a request names must match one. Such a statement allows nothing
	// to a request without a key. nil: requests may name any, or none.
	LeadingKeys []string
}

// policy is a policy's document.
type policy struct {
	Version   ignored
	Statement []Statement
}

type leadingKeys[T any] struct {
	Of T `cfn:"dynamodb:LeadingKeys,required"`
}

// decode knows one condition, with both halves: ForAllValues alone also holds for a request without any key.
func (s *Statement) decode(p property) {
	var read struct {
		Sid       ignored
		Effect    string
		Action    []string
		Resource  []Value
		Condition *struct {
			ForAll leadingKeys[[]string] `cfn:"ForAllValues:StringLike,required"`
			Null   property              `cfn:"Null,required"`
		}
	}
	p.into(&read)
	s.Effect, s.Actions, s.Resources = read.Effect, read.Action, read.Resource
	if c := read.Condition; c != nil {
		s.LeadingKeys = c.ForAll.Of
		var absent leadingKeys[bool]
		if c.Null.reader != nil {
			c.Null.into(&absent)
		}
		if absent.Of {
			c.Null.get("dynamodb:LeadingKeys").fail("want false")
		}
	}
}

// Table is a table of DynamoDB.
type Table struct {
	Attributes          []types.AttributeDefinition
	Keys                []types.KeySchemaElement
	BillingMode         types.BillingMode
	TimeToLive          string // the attribute; "" if items never expire
	PointInTimeRecovery bool
	DeletionProtection  bool
	Tags                map[string]Value
}

func (t *Table) decode(p property) {
	var read struct {
		AttributeDefinitions    []struct{ AttributeName, AttributeType string }
		KeySchema               []struct{ AttributeName, KeyType string }
		BillingMode             string
		TimeToLiveSpecification struct {
			AttributeName string
			Enabled       bool
		}
		PointInTimeRecoverySpecification struct{ PointInTimeRecoveryEnabled bool }
		DeletionProtectionEnabled        bool
		SSESpecification, TableName      ignored
		Tags                             []struct {
			Key   string
			Value Value
		}
	}
	p.into(&read)
	for _, a := range read.AttributeDefinitions {
		t.Attributes = append(t.Attributes, types.AttributeDefinition{
			AttributeName: aws.String(a.AttributeName), AttributeType: types.ScalarAttributeType(a.AttributeType),
		})
	}
	for _, k := range read.KeySchema {
		t.Keys = append(t.Keys, types.KeySchemaElement{AttributeName: aws.String(k.AttributeName), KeyType: types.KeyType(k.KeyType)})
	}
	if len(t.Keys) == 0 {
		p.get("KeySchema").fail("want at least one key")
	}
	if t.BillingMode = types.BillingMode(read.BillingMode); t.BillingMode != types.BillingModePayPerRequest {
		p.get("BillingMode").fail("want %s", types.BillingModePayPerRequest)
	}
	if ttl := read.TimeToLiveSpecification; ttl.Enabled {
		t.TimeToLive = ttl.AttributeName
	}
	t.PointInTimeRecovery, t.DeletionProtection = read.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled, read.DeletionProtectionEnabled
	t.Tags = map[string]Value{}
	for _, tag := range read.Tags {
		t.Tags[tag.Key] = tag.Value
	}
}

func (t *Template) table(logicalID string) (Table, error) {
	found, ok := t.Tables[logicalID]
	if !ok {
		return Table{}, fmt.Errorf("the template has no table %q", logicalID)
	}
	return found, nil
}

// CreateTable returns the request that makes the table under that name: keys, attributes and billing as in the
// template. It has no deletion protection, since local tables are made to be thrown away.
func (t *Template) CreateTable(logicalID, tableName string) (*dynamodb.CreateTableInput, error) {
	found, err := t.table(logicalID)
	if err != nil {
		return nil, err
	}
	return &dynamodb.CreateTableInput{
		TableName:            aws.String(tableName),
		AttributeDefinitions: slices.Clone(found.Attributes),
		KeySchema:            slices.Clone(found.Keys),
		BillingMode:          found.BillingMode,
	}, nil
}

// TimeToLive returns the attribute that says when an item of the table expires; "" if items never do.
func (t *Template) TimeToLive(logicalID string) (attribute string, err error) {
	found, err := t.table(logicalID)
	return found.TimeToLive, err
}

// SecretTemplate is how Secrets Manager makes a secret's first value: a JSON object with a random text added.
type SecretTemplate struct {
	JSON               string `cfn:"SecretStringTemplate"`       // the object
	Key                string `cfn:"GenerateStringKey,required"` // the field that gets the random text
	Length             int    `cfn:"PasswordLength"`             // of the random text
	ExcludePunctuation bool
}

const (
	defaultSecretLength = 32 // Secrets Manager's
	alphanumerics       = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	punctuation         = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
)

func readSecret(p property) SecretTemplate {
	s := SecretTemplate{Length: defaultSecretLength}
	if p.required() {
		p.into(&s)
		if json.Unmarshal([]byte(s.JSON), &map[string]any{}) != nil {
			p.get("SecretStringTemplate").fail("want a JSON object")
		}
	}
	return s
}

// SecretTemplate returns how the secret of that logical id is made.
func (t *Template) SecretTemplate(logicalID string) (SecretTemplate, error) {
	s, ok := t.secrets[logicalID]
	if !ok {
		return SecretTemplate{}, fmt.Errorf("the template has no secret %q", logicalID)
	}
	return s, nil
}

// Generate makes a new value with cryptographic randomness, as Secrets Manager does when the stack is created.
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
