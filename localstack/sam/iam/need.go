package iam

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

const dynamoDB = "dynamodb:"

// need is an action for which a request needs a permission, with the partition keys of the affected records.
type need struct {
	action string
	keys   []string // without duplicates; empty if the action names no key, such as a Scan
	// attributes are the attributes of items that a Scan names in its expressions.
	attributes []string
	selects    bool // whether a Scan says that it reads only some attributes
}

// String returns the action and the kinds of records, for logs. Whole keys would contain e-mail addresses.
func (n need) String() string {
	if len(n.keys) == 0 {
		return n.action
	}
	var kinds []string
	for _, key := range n.keys {
		kind, _, more := strings.Cut(key, "#")
		if more {
			kind += "#*"
		}
		kinds = append(kinds, kind)
	}
	return n.action + " on " + strings.Join(slices.Compact(kinds), ", ")
}

// kinds maps the kinds of a transaction's operations to the actions that they need.
var kinds = map[string]string{"Get": "GetItem", "Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}

// needsOf returns the rights that a request needs, sorted by action. target is the header X-Amz-Target. IAM can
// restrict all actions except Scan by partition key (dynamodb:LeadingKeys; see "Actions, resources, and condition keys
// for Amazon DynamoDB" in the Service Authorization Reference). A transaction needs the rights of all its operations
// ("Using IAM with DynamoDB transactions" in the Developer Guide).
func needsOf(target string, body []byte) ([]need, error) {
	service, name, ok := strings.Cut(target, ".")
	if !ok {
		return nil, fmt.Errorf("%q is no operation", target)
	}
	if service == "secretsmanager" {
		return []need{{action: "secretsmanager:" + name}}, nil
	}
	if !gjson.ValidBytes(body) {
		return nil, fmt.Errorf("the request of %s is no JSON", name)
	}
	keys, request := map[string][]string{}, gjson.ParseBytes(body)
	var err error
	add := func(action string, operation gjson.Result) {
		found, wrong := keysOf(operation)
		keys[dynamoDB+action] = append(keys[dynamoDB+action], found...)
		err = errors.Join(err, wrong)
	}
	if items := request.Get("TransactItems"); items.Exists() {
		for _, item := range items.Array() {
			for kind, operation := range item.Map() {
				add(kinds[kind], operation)
			}
		}
	} else {
		add(name, request)
	}
	var all []need
	for _, action := range slices.Sorted(maps.Keys(keys)) {
		slices.Sort(keys[action])
		n := need{action: action, keys: slices.Compact(keys[action]), selects: request.Get("Select").String() == "SPECIFIC_ATTRIBUTES"}
		if action == dynamoDB+"Scan" {
			n.attributes = attributesOf(request)
		}
		all = append(all, n)
	}
	return all, err
}

// word matches a word of an expression: an attribute, a placeholder of one, or a function.
var word = regexp.MustCompile(`[#\w]+`)

// attributesOf returns the words in the expressions of a Scan, with placeholders of attributes replaced.
func attributesOf(request gjson.Result) (all []string) {
	names := request.Get("ExpressionAttributeNames").Map()
	for _, expression := range []string{"ProjectionExpression", "FilterExpression"} {
		for _, found := range word.FindAllString(request.Get(expression).String(), -1) {
			if name, ok := names[found]; ok {
				found = name.String()
			}
			all = append(all, found)
		}
	}
	return all
}

// byKey matches the condition of a Query on its partition key PK, which all tables have.
var byKey = regexp.MustCompile(`\bPK\s*=\s*(:\w+)`)

// keysOf returns the partition keys that a request, or an operation of a transaction, names.
func keysOf(operation gjson.Result) (keys []string, err error) {
	if !operation.IsObject() {
		return nil, fmt.Errorf("%s is no operation", operation)
	}
	named := []gjson.Result{operation.Get("Key.PK.S"), operation.Get("Item.PK.S")}
	for _, table := range operation.Get("RequestItems").Map() {
		named = append(named, table.Get("Keys.#.PK.S").Array()...)
	}
	if condition := operation.Get("KeyConditionExpression").String(); condition != "" {
		found := byKey.FindStringSubmatch(condition)
		if found == nil {
			return nil, fmt.Errorf("the condition %q names no partition key", condition)
		}
		named = append(named, operation.Get("ExpressionAttributeValues."+found[1]+".S"))
	}
	for _, key := range named {
		if key.Exists() {
			keys = append(keys, key.String())
		}
	}
	return keys, nil
}
