package samtemplate

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// CORS has the HTTP API's settings for browsers' cross-origin requests.
type CORS struct {
	AllowOrigins  []string
	AllowMethods  []string
	AllowHeaders  []string
	ExposeHeaders []string
	// MaxAge is how long a browser may cache the answer to a preflight request. 0 means that the answer names no time.
	MaxAge time.Duration
}

// Throttle limits the requests of one route from all clients together.
type Throttle struct {
	Rate  float64 // requests a second
	Burst int     // requests at once
}

// Throttle returns the limit on requests to a route, such as "POST /cats", or the zero Throttle if there is no limit.
func (t *Template) Throttle(route string) Throttle {
	if own, ok := t.throttles[route]; ok {
		return own
	}
	return t.throttles[anyOther]
}

// anyOther is the key of the limit for the routes without settings of their own.
const anyOther = "DefaultRouteSettings"

// routeSettings are the limits of a route, numbers or parameters.
type routeSettings struct {
	Rate  Value `json:"ThrottlingRateLimit"`
	Burst Value `json:"ThrottlingBurstLimit"`
}

// throttle returns the limits with the parameters' defaults.
func (t *Template) throttle(s routeSettings) (Throttle, error) {
	texts, err := t.Resolve(map[string]Value{"the rate": s.Rate, "the burst": s.Burst}, nil)
	if err != nil {
		return Throttle{}, err
	}
	rate, err1 := strconv.ParseFloat(texts["the rate"], 64)
	burst, err2 := strconv.Atoi(texts["the burst"])
	if err1 != nil || err2 != nil || !(rate > 0) || burst <= 0 {
		return Throttle{}, fmt.Errorf("want both limits, not %q", texts)
	}
	return Throttle{rate, burst}, nil
}

func (t *Template) readAPI(properties json.RawMessage) error {
	if len(t.throttles) > 0 || t.CORS != nil {
		return errors.New("there is another HttpApi already")
	}
	var read struct {
		AccessLogSettings, DisableExecuteApiEndpoint, StageVariables any // no effect in a local set-up

		CorsConfiguration    *CORS
		DefaultRouteSettings *routeSettings
		RouteSettings        map[string]routeSettings
	}
	if err := decode(properties, &read); err != nil {
		return err
	}
	t.CORS = read.CorsConfiguration
	if t.CORS != nil {
		t.CORS.MaxAge *= time.Second
	}
	all := map[string]routeSettings{}
	maps.Copy(all, read.RouteSettings)
	if d := read.DefaultRouteSettings; d != nil {
		all[anyOther] = *d
	}
	for route, settings := range all {
		limit, err := t.throttle(settings)
		if err != nil {
			return fmt.Errorf("%s: %w", route, err)
		}
		t.throttles[route] = limit
	}
	return nil
}

// Statement is a statement of an IAM policy.
type Statement struct {
	Effect    string
	Actions   []string
	Resources []Value
	// LeadingKeys are patterns of partition keys. An allowing statement allows a request if each of its keys matches a
	// pattern. A denying statement denies a request if any of its keys matches. A request without a key never matches.
	// nil sets no such condition.
	LeadingKeys []string
	// Except are patterns that no partition key of a request may match. If there are any, a request must name a key.
	Except []string
	// Attributes are names of attributes. A denying statement denies a request that names one of them.
	Attributes []string
	// Whole says that a denying statement denies a request that does not say which attributes it reads.
	Whole bool
	// Other has the conditions of a statement on another service than DynamoDB.
	Other map[string]map[string]any
}

// policy is the document of a policy.
type policy struct {
	Version   any
	Statement []Statement
}

// UnmarshalJSON reads a statement. A statement on DynamoDB has at most one condition, on keys or attributes. An allowing
// statement with such a condition also needs the condition Null, since ForAllValues alone holds for a request without
// any key.
func (s *Statement) UnmarshalJSON(text []byte) error {
	var read struct {
		Effect              string
		Action              []string
		Resource, Condition json.RawMessage
	}
	if err := decode(text, &read); err != nil {
		return err
	}
	*s = Statement{Effect: read.Effect, Actions: read.Action}
	ofTable := func(action string) bool { return strings.HasPrefix(action, "dynamodb:") }
	switch {
	case slices.ContainsFunc(s.Actions, ofTable):
		if err := s.readCondition(read.Condition); err != nil {
			return err
		}
	case read.Condition != nil:
		if err := json.Unmarshal(read.Condition, &s.Other); err != nil {
			return err
		}
	}
	if len(read.Resource) > 0 && read.Resource[0] == '[' {
		return decode(read.Resource, &s.Resources)
	}
	s.Resources = make([]Value, 1)
	return decode(read.Resource, &s.Resources[0])
}

// readCondition reads the condition of a statement on DynamoDB, if there is one.
func (s *Statement) readCondition(text json.RawMessage) error {
	type keys struct {
		Keys       []string `json:"dynamodb:LeadingKeys"`
		Attributes []string `json:"dynamodb:Attributes"`
	}
	var c struct {
		ForAll  keys `json:"ForAllValues:StringLike"`
		Except  keys `json:"ForAllValues:StringNotLike"`
		Any     keys `json:"ForAnyValue:StringLike"`
		AnyName keys `json:"ForAnyValue:StringEquals"`
		Selects struct {
			Select string `json:"dynamodb:Select"`
		} `json:"StringNotEquals"`
		Null struct {
			Keys Value `json:"dynamodb:LeadingKeys"`
		}
	}
	if err := decode(text, &c); err != nil || text == nil {
		return err
	}
	s.Attributes, s.Whole = c.AnyName.Attributes, c.Selects.Select == "SPECIFIC_ATTRIBUTES"
	s.LeadingKeys, s.Except = slices.Concat(c.ForAll.Keys, c.Any.Keys), c.Except.Keys
	conditions := 0
	for _, set := range []bool{c.ForAll.Keys != nil, c.Except.Keys != nil, c.Any.Keys != nil, s.Attributes != nil, s.Whole} {
		if set {
			conditions++
		}
	}
	denies := s.Effect == "Deny"
	toDeny := c.Any.Keys != nil || s.Attributes != nil || s.Whole
	if conditions != 1 || denies != toDeny || denies == (c.Null.Keys.Literal == "false") {
		return errors.New("want a condition on dynamodb:LeadingKeys: to allow, ForAllValues and Null: false; to deny, ForAnyValue:StringLike; " +
			"or, to deny, ForAnyValue:StringEquals on dynamodb:Attributes, or StringNotEquals on dynamodb:Select")
	}
	return nil
}

// table has the properties of a DynamoDB table, under CloudFormation's names.
type table struct {
	AttributeDefinitions []types.AttributeDefinition
	KeySchema            []types.KeySchemaElement
	BillingMode          types.BillingMode

	// These have no effect in a local set-up.
	DeletionProtectionEnabled, OnDemandThroughput, PointInTimeRecoverySpecification, SSESpecification, StreamSpecification, TableName, Tags,
	TimeToLiveSpecification any
}

// CreateTable returns the request that creates the template's table logicalID under the name tableName, with its keys,
// attributes and billing. The request sets no deletion protection, since local tables are temporary.
func (t *Template) CreateTable(logicalID, tableName string) (*dynamodb.CreateTableInput, error) {
	found, ok := t.tables[logicalID]
	if !ok {
		return nil, fmt.Errorf("the template has no table %q", logicalID)
	}
	return &dynamodb.CreateTableInput{
		TableName:            aws.String(tableName),
		AttributeDefinitions: slices.Clone(found.AttributeDefinitions),
		KeySchema:            slices.Clone(found.KeySchema),
		BillingMode:          found.BillingMode,
	}, nil
}
