package samtemplate

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// FuzzTemplate: a template is read, or refused with the file's name; what is read has functions of one route or
// schedule each, and is the same once package yaml has written it anew; and none with a property that is not known is
// read.
func FuzzTemplate(f *testing.F) {
	f.Add(small)
	for _, change := range [][2]string{
		{"[GET]", "GET"}, {"Timeout: 20", "Timeout: -1"}, {"MemorySize: 512", "MemorySize: 5e2"}, {"!Ref Table", "!Ref Nothing"}, {"MaxAge: 60", "MaxAge: x"}, {"&variables", "&v"},
		{"!Equals [!Ref Level, info]", "&a !Not [*a]"}, {"!Not [!Equals [!Ref Level, info]]", "!Not info"}, {"!If [Plain, own, other]", "&b !If [Plain, *b, *b]"}, {"Type: String, Default: info", "Type: String"}, {"/cats", "cats"}, {"Resources:", "Resources: {}\nOther:"},
		{"provided.al2023", "go1.x"}, {"Origins:", "Origins: &o [*o]\n  Others:"}, {"Timeout: 10", "Timeout: 9223372036854775807"}, {"ThrottlingRateLimit: 7", "ThrottlingRateLimit: .inf"},
	} {
		f.Add(strings.Replace(small, change[0], change[1], 1))
	}
	for _, s := range []string{"", "a: &a [*a]", "[]", "Resources: {A: {Type: AWS::Serverless::Function}}", "Resources: {A: {Type: AWS::DynamoDB::Table}}", "Resources: 7", "Conditions: {C: 7}", "Conditions: {C: !Not []}"} {
		f.Add(s)
	}
	const schedule = "Resources:\n  A:\n    Type: AWS::Serverless::Function\n    Metadata: {BuildMethod: makefile}\n    Properties:\n      Events: {E: {Type: ScheduleV2, Properties: {OmitName: true, ScheduleExpression: rate(5 minutes), State: ENABLED}}}\n"
	f.Add(schedule)
	f.Add(strings.Replace(schedule, "5 minutes", "99999999999 days", 1))
	f.Fuzz(func(t *testing.T, text string) {
		read, err := parse("template.yaml", "/root", []byte(text))
		if err != nil {
			if read != nil || !strings.Contains(err.Error(), "template.yaml") {
				t.Errorf("%q: %v, %v", text, read, err)
			}
			return
		}
		routes := map[string]bool{}
		for _, function := range read.Functions {
			switch {
			case function.LogicalID == "" || function.Timeout < 0 || function.MemoryMB < 0:
				t.Errorf("%q has the function %+v", text, function)
			case function.Schedule != nil:
				if every := function.Schedule.Every; every < time.Minute {
					t.Errorf("%q has a function that runs every %v", text, every)
				}
			case function.Path != "" && (!strings.HasPrefix(function.Path, "/") || routes[function.Route()]):
				t.Errorf("%q has the route %q, twice: %t", text, function.Route(), routes[function.Route()])
			}
			if function.Schedule == nil {
				routes[function.Route()] = true
			}
		}
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			t.Fatal(err)
		}
		if written, err := yaml.Marshal(&document); err == nil {
			again, err := parse("template.yaml", "/root", written)
			if err != nil {
				return // of what package yaml cannot write, such as some comments and tags, nothing is to be learnt
			}
			if diff := cmp.Diff(read.Functions, again.Functions); diff != "" {
				t.Errorf("%q is written %q (-read +read again):\n%s", text, written, diff)
			}
		}
		if len(read.Functions) > 0 {
			withUnknown := strings.Replace(text, "    Properties:\n", "    Properties:\n      NobodyKnowsThis: 1\n", 1)
			if unknown, err := parse("template.yaml", "/root", []byte(withUnknown)); withUnknown != text && strings.Count(text, "Properties:") == 1 && err == nil {
				t.Errorf("%q is read: %+v", withUnknown, unknown)
			}
		}
	})
}
