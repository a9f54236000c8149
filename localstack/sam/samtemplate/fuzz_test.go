package samtemplate

import (
	"strings"
	"testing"
	"time"
)

// FuzzTemplate checks that Load accepts a template, or refuses it with the name of its file. Each function of an
// accepted template has a route or a schedule. Load refuses a template with an unknown property.
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
		for _, f := range read.Functions {
			if f.LogicalID == "" || f.Timeout < 0 || f.MemoryMB < 0 || (f.Schedule == nil) != strings.HasPrefix(f.Path, "/") || f.Schedule != nil && f.Schedule.Every < time.Minute {
				t.Errorf("%q has the function %+v", text, f)
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
