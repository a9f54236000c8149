package template

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// environments returns the deployed environments of samconfig.toml by name. Each has settings such as deploy.tags. The
// section local, which is for `sam local`, deploys nothing.
func environments(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, "samconfig.toml"))
	require.NoError(t, err)
	deployed, _, _ := strings.Cut(string(text), "\n[local.")
	section := regexp.MustCompile(`^\[(\w+)\.(\w+)\.parameters\]$`)
	setting := regexp.MustCompile(`^(\w+) = (true|false|"([^"\\]*)")$`)
	all := map[string]map[string]string{}
	environment, command := "", ""
	for i, line := range strings.Split(deployed, "\n") {
		switch found, set := section.FindStringSubmatch(line), setting.FindStringSubmatch(line); {
		case found != nil:
			environment, command = found[1], found[2]
			if all[environment] == nil {
				all[environment] = map[string]string{}
			}
		case set != nil && environment != "":
			all[environment][command+"."+set[1]] = strings.Trim(set[2], `"`)
		case line != "" && !strings.HasPrefix(line, "#") && line != "version = 0.1":
			t.Errorf("samconfig.toml:%d: %q is not understood", i+1, line)
		}
	}
	return all
}

// bounded reports whether the template limits the values of the parameter.
func bounded(p samtemplate.Parameter) bool {
	return p.AllowedValues != nil || p.AllowedPattern != "" || p.MinValue != nil && p.MaxValue != nil
}

// allows reports whether CloudFormation accepts the value for the parameter.
func allows(p samtemplate.Parameter, value string) bool {
	n, err := strconv.ParseFloat(value, 64)
	return (p.AllowedValues == nil || slices.Contains(p.AllowedValues, samtemplate.Value{Literal: value})) &&
		(p.AllowedPattern == "" || regexp.MustCompile("^(?:"+p.AllowedPattern+")$").MatchString(value)) &&
		(p.Type != "Number" || err == nil) && (p.MinValue == nil || n >= *p.MinValue) && (p.MaxValue == nil || n <= *p.MaxValue)
}

// pairs reads "A=b C=d".
func pairs(t *testing.T, text string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pair := range strings.Fields(text) {
		name, value, ok := strings.Cut(pair, "=")
		_, twice := all[name]
		assert.True(t, ok && !twice, "%q is no list of NAME=VALUE", text)
		all[name] = value
	}
	return all
}

// TestEnvironments checks that each environment has every setting and parameter that any environment has, because
// environments inherit nothing. Only a parameter with an empty default, such as the table or the domain, may be missing
// in some. The settings that identify an environment must differ.
func TestEnvironments(t *testing.T) {
	all, known := environments(t), ranch(t).Parameters
	got := slices.Sorted(maps.Keys(all))
	require.True(t, slices.Equal(got, []string{"default", "prod", "staging"}), "environments %v", got)
	settings, parameters := map[string]bool{}, map[string]bool{}
	for _, e := range all {
		for setting := range e {
			settings[setting] = true
		}
		for name := range pairs(t, e["deploy.parameter_overrides"]) {
			parameters[name] = true
		}
	}
	for name, e := range all {
		for setting := range settings {
			assert.True(t, e[setting] != "", "%s has no %s", name, setting)
		}
		given := pairs(t, e["deploy.parameter_overrides"])
		for parameter := range parameters {
			value, ok := given[parameter]
			p, exists := known[parameter]
			if !ok && p.Default != nil && p.Default.Literal == "" {
				continue
			}
			assert.True(t, ok && exists && allows(p, value), "%s has %s=%q, and template.yaml %+v", name, parameter, value, p)
		}
		broken := ranch(t).Broken(given)
		assert.Empty(t, broken, "%s: %q", name, broken)
		tags := pairs(t, e["deploy.tags"])
		assert.True(t, tags["project"] == "ranch" && tags["environment"] == given["Environment"],
			"%s has the tags %v, and the parameter Environment=%s", name, tags, given["Environment"])
		for other, o := range all {
			for _, setting := range []string{"global.stack_name", "deploy.tags"} {
				assert.True(t, other == name || o[setting] != e[setting], "%s and %s have the same %s", name, other, setting)
			}
		}
	}
	assert.Equal(t, "true", all["prod"]["deploy.confirm_changeset"], "a change of prod is not confirmed")
	for name, e := range all {
		gradual := pairs(t, e["deploy.parameter_overrides"])["Rollout"] != "AllAtOnce"
		assert.Equal(t, (name == "prod"), gradual, "%s is deployed gradually: %t", name, gradual)
	}
	for parameter := range parameters {
		values := map[string]bool{}
		for _, e := range all {
			values[pairs(t, e["deploy.parameter_overrides"])[parameter]] = true
		}
		assert.True(t, len(values) != 1, "%s is the same in all environments: its place is the default in template.yaml", parameter)
	}
}

// TestParameters checks that every parameter has a description, allowed values, and a default that is allowed.
func TestParameters(t *testing.T) {
	for name, p := range ranch(t).Parameters {
		if p.Description == "" || !bounded(p) || p.Default == nil {
			t.Errorf("%s has the description %q, the default %v, and is bounded: %t", name, p.Description, p.Default, bounded(p))
			continue
		}
		for value := range strings.SplitSeq(p.Default.Literal, ",") {
			assert.True(t, allows(p, value), "%s may not be its default, %q", name, value)
		}
	}
}

// TestParametersTogether checks which parameters need each other: a domain a certificate, and the reverse.
func TestParametersTogether(t *testing.T) {
	const name, certificate = "api.example.com", "arn:aws:acm:eu-central-1:123456789012:certificate/1b2c3d4e-1111-2222-3333-444455556666"
	for _, c := range []struct{ name, certificate, want string }{
		{"", "", ""}, {name, certificate, ""}, {name, "", "DomainName is given without CertificateArn"}, {"", certificate, "CertificateArn is given without DomainName"},
	} {
		got := ranch(t).Broken(map[string]string{"DomainName": c.name, "CertificateArn": c.certificate})
		assert.Equal(t, c.want, strings.Join(got, "; "), "%q with %q: %q", c.name, c.certificate, got)
	}
	// Client certificates need a domain and a closed address of the API: an open one would bypass them.
	for _, c := range []struct{ name, address, truststore, want string }{
		{"", "closed", "", "ApiAddress is closed without DomainName. Nothing would answer"}, {name, "closed", "", ""},
		{name, "open", "s3://b/ca.pem", "TruststoreUri is given while ApiAddress is open. Requests could bypass it"}, {name, "closed", "s3://b/ca.pem", ""},
	} {
		given := map[string]string{"DomainName": c.name, "ApiAddress": c.address, "TruststoreUri": c.truststore}
		if c.name != "" {
			given["CertificateArn"] = certificate
		}
		got := ranch(t).Broken(given)
		assert.Equal(t, c.want, strings.Join(got, "; "), "%v: %q", given, got)
	}
}

func TestRulesOfParameters(t *testing.T) {
	for name, values := range map[string]map[string]bool{
		"Environment":    {"dev": true, "default": false, "": false},
		"AllowedOrigins": {"*": true, "https://game.example": true, "http://localhost:5173": true, "game.example": false, "https://*": false},
		"DomainName":     {"": true, "api.example.com": true, "example": false, "https://api.example.com": false, "API.example.com": false},
		"Rollout":        {"AllAtOnce": true, "Canary10Percent5Minutes": true, "": false, "Canary50Percent5Minutes": false},
		"ExistingTable":  {"": true, "ranch-prod-Table-1ABC": true, "arn:aws:dynamodb:x": false},
		"ExistingSigningKeys": {
			"": true, "arn:aws:secretsmanager:eu-central-1:123456789012:secret:SigningKeys-AbC/d_1-AbCdEf": true, "SigningKeys": false,
		},
		"Doors":         {"open": true, "closed": true, "": false},
		"ApiAddress":    {"open": true, "closed": true, "": false},
		"TruststoreUri": {"": true, "s3://bucket/ca.pem": true, "https://bucket/ca.pem": false, "s3://bucket/": false},
		"BackupCopyVault": {
			"": true, "arn:aws:backup:eu-west-1:210987654321:backup-vault:ranch-copies": true, "ranch-copies": false, "arn:aws:backup:eu-west-1:1:backup-vault:x": false,
		},
		"HS256Tokens":         {"refused": true, "accepted": true, "issued": true, "": false},
		"LoginRate":           {"1": true, "1000": true, "0": false, "1001": false},
		"SignUpsAMinute":      {"1": true, "1000000": true, "0": false},
		"PasswordConcurrency": {"0": true, "1000": true, "-1": false, "many": false},
		"CertificateArn": {
			"": true, "arn:aws:acm:eu-central-1:123456789012:certificate/1b2c3d4e-1111-2222-3333-444455556666": true,
			"arn:aws:iam::123456789012:server-certificate/x": false,
		},
	} {
		p, ok := ranch(t).Parameters[name]
		if !ok {
			t.Errorf("there is no parameter %s", name)
			continue
		}
		for value, want := range values {
			assert.Equal(t, want, allows(p, value), "%s may be %q: %t", name, value, !want)
		}
	}
}

// TestRanchSchedules checks the schedule of each function. The parameter JudgeDueShows switches the one of JudgeDue,
// which must be off in the environment default and on in the others.
func TestRanchSchedules(t *testing.T) {
	minute := samtemplate.Schedule{Name: "Minute", Every: time.Minute, Enabled: true}
	want := map[string]samtemplate.Schedule{"JudgeDue": minute, "FinishPending": minute, "PlaySynthetic": minute, "AuditLedgers": {Name: "Day", Every: 24 * time.Hour, Enabled: true}}
	got := map[string]samtemplate.Schedule{}
	for _, f := range ranch(t).Functions {
		if f.Schedule != nil {
			got[f.LogicalID] = *f.Schedule
		}
	}
	assert.Empty(t, gocmp.Diff(want, got), "(-want +got)")
	for name, e := range environments(t) {
		value := cmp.Or(pairs(t, e["deploy.parameter_overrides"])["JudgeDueShows"], "on")
		assert.Equal(t, map[bool]string{true: "off", false: "on"}[name == "default"], value, "%s has JudgeDueShows=%s", name, value)
	}
	for _, value := range []string{"on", "off"} {
		f, _ := withDefaults(t, map[string]string{"JudgeDueShows": strconv.Quote(value)}).Function("JudgeDue")
		assert.Equal(t, (value == "on"), f.Schedule.Enabled, "with JudgeDueShows=%s: %+v", value, f.Schedule)
	}
}
