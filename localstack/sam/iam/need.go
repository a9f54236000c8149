package iam

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const dynamoDB = "dynamodb:"

// need is an action that a request needs a permission for, with the partition keys of the affected records.
type need struct {
	action string
	keys   []string // without duplicates; empty if the action names no key, such as a Scan
}

// String names the action and the kinds of records, for logs. It leaves out the rest of the keys, since keys contain
// e-mail addresses.
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

type record map[string]struct{ S string }

// operation holds the parts of a request that permissions depend on. It also describes each operation of a transaction.
type operation struct {
	Key, Item                 record
	RequestItems              map[string]struct{ Keys []record } // of BatchGetItem, by table
	KeyConditionExpression    string                             // of Query
	ExpressionAttributeValues record

	TransactItems []map[string]operation // by kind
}

// partitionKey is the attribute's name in all tables.
const partitionKey = "PK"

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
	var o operation
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, err
	}
	keys := map[string][]string{}
	if name != "TransactWriteItems" && name != "TransactGetItems" {
		found, err := o.keys()
		if err != nil {
			return nil, err
		}
		keys[dynamoDB+name] = found
	}
	kinds := map[string]string{"Get": "GetItem", "Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
	for _, item := range o.TransactItems {
		for kind, part := range item {
			found, err := part.keys()
			if err != nil {
				return nil, err
			}
			action := dynamoDB + kinds[kind]
			keys[action] = append(keys[action], found...)
		}
	}
	var all []need
	for _, action := range slices.Sorted(maps.Keys(keys)) {
		slices.Sort(keys[action])
		all = append(all, need{action, slices.Compact(keys[action])})
	}
	return all, nil
}

// byKey matches the condition of a Query on its partition key.
var byKey = regexp.MustCompile(`\b` + partitionKey + `\s*=\s*(:\w+)`)

func (o operation) keys() (keys []string, err error) {
	records := []record{o.Key, o.Item}
	for _, request := range o.RequestItems {
		records = append(records, request.Keys...)
	}
	for _, r := range records {
		if value, ok := r[partitionKey]; ok {
			keys = append(keys, value.S)
		}
	}
	if o.KeyConditionExpression != "" {
		found := byKey.FindStringSubmatch(o.KeyConditionExpression)
		if found == nil {
			return nil, fmt.Errorf("the condition %q names no %s", o.KeyConditionExpression, partitionKey)
		}
		keys = append(keys, o.ExpressionAttributeValues[found[1]].S)
	}
	return keys, nil
}
