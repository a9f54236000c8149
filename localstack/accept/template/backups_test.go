package template

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// TestTransformedBackups checks that AWS Backup copies the table each day if BackupCopyVault is set. It uses a separate
// role, and copies to the vault in the other account and region. BackupDays says how long the vault keeps a copy.
func TestTransformedBackups(t *testing.T) {
	const vault = "arn:aws:backup:eu-west-1:210987654321:backup-vault:ranch-copies"
	given, c := withDefaults(t, map[string]string{"BackupCopyVault": vault}), transformed(t)
	made := 0
	for id, r := range c.Resources {
		with, without := given.OfType(id, r.Type), ranch(t).OfType(id, r.Type)
		assert.True(t, strings.HasPrefix(id, "Backup") == (with && !without) && strings.HasPrefix(id, "Backup") == (r.Condition == "CopiesBackups"),
			"%s is there with a vault: %t, without: %t, on the condition %q", id, with, without, r.Condition)
		if with != without {
			made++
		}
	}
	assert.Equal(t, 4, made, "a vault makes %d resources more", made)
	c.check(t, "BackupPlan", "AWS::Backup::BackupPlan", object{"BackupPlan": object{
		"BackupPlanName": ref("AWS::StackName"), "BackupPlanRule": []any{object{
			"RuleName": "daily", "TargetBackupVault": ref("BackupVault"), "ScheduleExpression": "cron(0 4 * * ? *)", "Lifecycle": object{"DeleteAfterDays": 7.0},
			"CopyActions": []any{object{"DestinationBackupVaultArn": ref("BackupCopyVault"), "Lifecycle": object{"DeleteAfterDays": ref("BackupDays")}}},
		}},
	}})
	c.check(t, "BackupSelection", "AWS::Backup::BackupSelection", object{"BackupPlanId": ref("BackupPlan"), "BackupSelection": object{
		"SelectionName": "table", "IamRoleArn": getAtt("BackupRole", "Arn"), "Resources": []any{getAtt("Table", "Arn")},
	}})
	c.check(t, "BackupRole", "AWS::IAM::Role", object{
		"ManagedPolicyArns": []any{object{"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup"}},
		"AssumeRolePolicyDocument": object{"Version": "2012-10-17", "Statement": []any{object{
			"Effect": "Allow", "Principal": object{"Service": "backup.amazonaws.com"}, "Action": "sts:AssumeRole",
			"Condition": object{"StringEquals": object{"aws:SourceAccount": ref("AWS::AccountId")}},
		}}},
	})
}

// TestBackupVault checks that the vault in the other account is locked, that the game's account may only copy into it,
// and that it accepts every value of BackupDays.
func TestBackupVault(t *testing.T) {
	path := filepath.Join(ranch(t).Root, "infra", "backupvault.yaml")
	loaded, err := samtemplate.Load(path)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var template struct {
		Resources map[string]any `yaml:"Resources"`
	}
	require.NoError(t, yaml.Unmarshal(text, &template))
	lock := object{"MinRetentionDays": "MinDays", "MaxRetentionDays": "MaxDays", "ChangeableForDays": "GraceDays"}
	copies := []any{object{"Effect": "Allow", "Principal": object{"AWS": "arn:${AWS::Partition}:iam::${SourceAccount}:root"}, "Action": "backup:CopyIntoBackupVault", "Resource": "*"}}
	vault := template.Resources["Vault"]
	assert.Empty(t, cmp.Diff([]any{"Retain", "Key.Arn", lock, copies}, []any{
		at(vault, "DeletionPolicy"), at(vault, "Properties", "EncryptionKeyArn"), at(vault, "Properties", "LockConfiguration"), at(vault, "Properties", "AccessPolicy", "Statement"),
	}), "(-want +got)")
	least, err1 := strconv.ParseFloat(loaded.Parameters["MinDays"].Default.Literal, 64)
	most, err2 := strconv.ParseFloat(loaded.Parameters["MaxDays"].Default.Literal, 64)
	require.NoError(t, errors.Join(err1, err2))
	for _, days := range []string{"35", "7", "365"} { // BackupDays' default and bounds
		n, _ := strconv.ParseFloat(days, 64)
		assert.True(t, n >= least && n <= most && allows(ranch(t).Parameters["BackupDays"], days),
			"the vault refuses copies that live %s days", days)
	}
}
