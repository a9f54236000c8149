package template

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// CloudFormation makes a resource after those that it refers to, which must not lead back to itself. The linter looks
// at the template with its defaults alone; an alias that CodeDeploy moves refers to more: the deployment group with its
// alarms.
func TestTransformedOrder(t *testing.T) {
	for name, c := range map[string]cloudFormation{"AllAtOnce": transformed(t), canary: parsed(t, transformGradual)} {
		refers := map[string][]string{}
		for id, r := range c.Resources {
			var properties any
			if err := json.Unmarshal(r.Properties, &properties); r.Properties != nil && err != nil {
				t.Fatal(err)
			}
			for other := range references(object{"properties": properties, "policy": r.UpdatePolicy}) {
				if _, there := c.Resources[other]; there {
					refers[id] = append(refers[id], other)
				}
			}
		}
		if len(refers["RegisterAliaslive"]) < 2 { // the function and its version
			t.Fatalf("%s: the alias of Register refers to %v", name, refers["RegisterAliaslive"])
		}
		done := map[string]bool{}
		for _, id := range slices.Sorted(maps.Keys(refers)) {
			if circle := follow(refers, id, nil, done); circle != nil {
				t.Errorf("%s: no resource of these can be the first: %s", name, strings.Join(circle, " → "))
			}
		}
	}
}

// follow returns a circle that the references from a resource lead into, nil if there is none.
func follow(refers map[string][]string, id string, way []string, done map[string]bool) []string {
	if i := slices.Index(way, id); i >= 0 {
		return append(way[i:], id)
	}
	if done[id] {
		return nil
	}
	for _, other := range refers[id] {
		if circle := follow(refers, other, append(slices.Clone(way), id), done); circle != nil {
			return circle
		}
	}
	done[id] = true
	return nil
}

// references are the names in Ref, Fn::GetAtt and Fn::Sub, whatever they are of.
func references(v any) map[string]bool {
	all := map[string]bool{}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			maps.Copy(all, references(element))
		}
	case object:
		if id, ok := v["Ref"].(string); ok {
			all[id] = true
		}
		if parts, ok := v["Fn::GetAtt"].([]any); ok {
			all[parts[0].(string)] = true
		}
		text, _ := v["Fn::Sub"].(string)
		if parts, ok := v["Fn::Sub"].([]any); ok {
			text = parts[0].(string)
		}
		for _, used := range placeholder.FindAllStringSubmatch(text, -1) {
			id, _, _ := strings.Cut(used[2], ".")
			all[id] = true
		}
		for _, member := range v {
			maps.Copy(all, references(member))
		}
	}
	return all
}
