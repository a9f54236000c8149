package template

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// environments returns the deployed environments of samconfig.toml by name, three for each environment of the service
// (section). Each has settings such as deploy.tags. The section local, which is for `sam local`, deploys nothing.
func environments(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(ranch(t).Root, "samconfig.toml"))
	require.NoError(t, err)
	deployed, _, _ := strings.Cut(string(text), "\n[local.")
	section := regexp.MustCompile(`^\[([\w-]+)\.(\w+)\.parameters\]$`)
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

// section returns the name in samconfig.toml of an environment's stack that has this template.
func section(environment, file string) string {
	switch {
	case file != samtemplate.FileName:
		return environment + "-" + strings.TrimSuffix(filepath.Base(file), ".yaml")
	case environment == "dev":
		return "default"
	}
	return environment
}

// TestEnvironments checks that each environment has every setting and parameter that any environment has, because
// environments inherit nothing. Each stack has its own name, and prod's changes are confirmed. The parameters that the
// stacks of an environment share have the same value.
func TestEnvironments(t *testing.T) {
	all := environments(t)
	seen := map[string]string{} // the section with a stack's name
	for _, file := range []string{samtemplate.FileName, samtemplate.AlarmsFile, samtemplate.PeopleFile} {
		known, prod := loaded(t, file, nil).Parameters, all[section("prod", file)]
		for _, environment := range []string{"dev", "staging", "prod"} {
			name := section(environment, file)
			e := all[name]
			delete(all, name)
			assert.Equal(t, slices.Sorted(maps.Keys(prod)), slices.Sorted(maps.Keys(e)), "the settings of %s", name)
			const overrides = "deploy.parameter_overrides"
			given := pairs(t, e[overrides])
			service := pairs(t, environments(t)[section(environment, samtemplate.FileName)][overrides])
			assert.Equal(t, slices.Sorted(maps.Keys(pairs(t, prod[overrides]))), slices.Sorted(maps.Keys(given)), "the parameters of %s", name)
			for parameter, value := range given {
				p, exists := known[parameter]
				assert.True(t, exists && allows(p, value), "%s has %s=%q, and %s %+v", name, parameter, value, file, p)
				stack := "ranch-" + environment
				want := map[string]string{
					"Environment": environment, "Service": stack, "ApiId": "/" + stack + "/ApiId", "TableName": "/" + stack + "/TableName",
				}[parameter]
				assert.True(t, want == "" || value == want, "%s has %s=%s", name, parameter, value)
			}
			for parameter, p := range known {
				if of, shared := ranch(t).Parameters[parameter]; shared {
					assert.Equal(t, cmp.Or(service[parameter], of.Default.Literal), cmp.Or(given[parameter], p.Default.Literal), "%s of %s", parameter, name)
				}
			}
			assert.Equal(t, map[string]string{"project": "ranch", "environment": environment}, pairs(t, e["deploy.tags"]), name)
			assert.Equal(t, file, cmp.Or(e["deploy.template_file"], samtemplate.FileName), name)
			stack := e["global.stack_name"]
			assert.Empty(t, seen[stack], "%s and %s have both %s", name, seen[stack], stack)
			// The rights of deployers go by the beginning of names. CloudFormation cuts the names of stacks with longer ones.
			assert.True(t, len(stack) <= 30 && !regexp.MustCompile("^ranch-(dev|staging|prod)-").MatchString(stack), stack)
			seen[stack] = name
		}
		assert.Equal(t, "true", prod["deploy.confirm_changeset"], "a change of prod is not confirmed")
	}
	assert.Empty(t, all, "environments without a test")
}

// TestSamLocalChangesNoDeployment checks that each environment deploys for arm64, and that no deployed function has the
// variable by which sam local's functions find LocalStack.
func TestSamLocalChangesNoDeployment(t *testing.T) {
	assert.Equal(t, "arm64", ranch(t).Parameters["Architecture"].Default.Literal)
	for name, e := range environments(t) {
		assert.NotContains(t, pairs(t, e["deploy.parameter_overrides"]), "Architecture", name)
	}
	for id, resource := range at(golden(t), "Resources").(object) {
		if variables := at(resource, "Properties", "Environment", "Variables"); variables != nil {
			assert.Equal(t, object{"Ref": "AWS::NoValue"}, at(variables, "AWS_ENDPOINT_URL"), id)
		}
	}
}

// TestParameters checks that every parameter has a description, allowed values, and a default. cfn-lint checks that the
// default is allowed (`make validate`).
func TestParameters(t *testing.T) {
	for _, file := range []string{samtemplate.FileName, samtemplate.AlarmsFile, samtemplate.PeopleFile} {
		for name, p := range loaded(t, file, nil).Parameters {
			bounded := p.AllowedValues != nil || p.AllowedPattern != "" || p.MinValue != nil && p.MaxValue != nil
			assert.True(t, p.Description != "" && bounded && p.Default != nil, "%s of %s: %+v", name, file, p)
		}
	}
}

// TestBackupVault checks that the vault in the other account is locked, that the game's account may only copy into it,
// and that it accepts every value of BackupDays.
func TestBackupVault(t *testing.T) {
	vault := loaded(t, "infra/backupvault.yaml", nil)
	properties := at(written(t, "infra/backupvault.yaml"), "Resources", "Vault", "Properties")
	lock := object{"MinRetentionDays": "MinDays", "MaxRetentionDays": "MaxDays", "ChangeableForDays": "GraceDays"}
	assert.Equal(t, lock, at(properties, "LockConfiguration"))
	assert.Equal(t, []any{object{
		"Effect": "Allow", "Principal": object{"AWS": "arn:${AWS::Partition}:iam::${SourceAccount}:root"},
		"Action": "backup:CopyIntoBackupVault", "Resource": "*",
	}}, at(properties, "AccessPolicy", "Statement"))
	days := ranch(t).Parameters["BackupDays"]
	least, err1 := strconv.ParseFloat(vault.Parameters["MinDays"].Default.Literal, 64)
	most, err2 := strconv.ParseFloat(vault.Parameters["MaxDays"].Default.Literal, 64)
	require.NoError(t, errors.Join(err1, err2))
	assert.True(t, *days.MinValue >= least && *days.MaxValue <= most, "BackupDays %+v; the vault takes %v to %v", days, least, most)
}
