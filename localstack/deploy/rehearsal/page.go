package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
)

const (
	// awsPrograms is the folder in which the Makefile installs the AWS CLI, relative to the root of the working tree.
	awsPrograms = ".tools/aws/bin"
	// notes is the folder in which the commands of docs/restore.md run and leave files.
	notes = folder + "/restore"
)

// block is a block of commands in a page.
var block = regexp.MustCompile("(?s)\n```sh\n(.*?\n)```\n")

// onThePage runs the commands of one step in docs/restore.md and returns their output. step is the beginning of the
// step's bold text. The commands of the page's first block run first; values, such as "COPY=name", replace its
// variables.
func (r *rehearsal) onThePage(ctx context.Context, step string, values ...string) string {
	page := string(must(os.ReadFile(filepath.Join(r.template.Root, "docs", "restore.md"))))
	first := block.FindStringSubmatch(page)[1]
	at := regexp.MustCompile(`\*\*\d+\. ` + step).FindStringIndex(page)
	if at == nil {
		failf("docs/restore.md has no step %q", step)
	}
	script := strings.Join(append([]string{"set -euo pipefail", "cd " + notes, first}, append(values, block.FindStringSubmatch(page[at[0]:])[1])...), "\n")
	return must(r.run(ctx, r.withPrograms(awsPrograms), "bash", "-c", script))
}

// withPrograms returns the environment for a program that uses LocalStack. Its PATH begins with the given folders,
// relative to the root of the working tree.
func (r *rehearsal) withPrograms(folders ...string) []string {
	path := "PATH="
	for _, f := range folders {
		path += filepath.Join(r.template.Root, f) + string(os.PathListSeparator)
	}
	return append(r.cloud.Environ(), path+os.Getenv("PATH"))
}

// note returns a file that the page's commands have written.
func (r *rehearsal) note(name string) []byte {
	return must(os.ReadFile(filepath.Join(r.template.Root, notes, name)))
}

// deriveImport makes the template with which CloudFormation would import the copy of the table. It fails unless that
// template has the table without a condition, and all other resources. The import itself is not played, since
// LocalStack has none.
func (r *rehearsal) deriveImport(ctx context.Context) string {
	r.onThePage(ctx, "Derive the template", "COPY="+copyName)
	type template struct{ Resources map[string]map[string]any }
	var deployed, imported template
	check(json.Unmarshal(r.note("deployed.json"), &deployed))
	check(json.Unmarshal(r.note("import.json"), &imported))
	table := imported.Resources["Table"]
	if _, conditional := table["Condition"]; conditional || table["DeletionPolicy"] != "Retain" {
		failf("the table is imported as %v", table)
	}
	delete(deployed.Resources, "Table")
	delete(imported.Resources, "Table")
	if !reflect.DeepEqual(imported, deployed) {
		failf("the templates of the stack and of the import differ in more than the table")
	}
	return "the stack's template with its table, and nothing else"
}
