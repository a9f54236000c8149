// Vulndb keeps a copy of those reports in Go's vulnerability database that can concern this repository. With the copy,
// `make vulncheck` works on machines that cannot reach vuln.go.dev.
//
//	go run ./infra/vulndb              prints the copy's age; exit code 1: it does not cover every module
//	go run ./infra/vulndb CLONE        makes the copy again from a clone of github.com/golang/vulndb
//
// The copy covers the modules of the functions and of the operators' tools, and the standard library. It leaves out
// reports about bugs that are fixed in the versions in use.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

const (
	folder      = "infra/vulndb"
	reports     = folder + "/reports"
	coverFile   = folder + "/covers.json"
	standard    = "stdlib" // the database's name of the standard library; the go command is "toolchain"
	goCommand   = "toolchain"
	listModules = "{{with .Module}}{{if .Main}}" + standard + " v{{.GoVersion}}{{else if not .Replace}}{{.Path}} {{.Version}}{{end}}{{end}}"
)

// cover is the content of coverFile: the commit of the database, and the module versions that the copied reports cover.
type cover struct {
	Commit  string            `json:"commit"` // of the database
	Date    time.Time         `json:"date"`   // of that commit
	Modules map[string]string `json:"modules"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	modules, err := modules()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return check(modules)
	}
	return take(args[0], modules)
}

// modules returns the versions of the checked modules, by path: those that the functions and the tools use, the
// standard library and the go command.
func modules() (map[string]string, error) {
	list, err := exec.Command("go", "list", "-deps", "-f", listModules, "./functions/...", "./infra/...").Output()
	if err != nil {
		var printed []byte
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			printed = exit.Stderr
		}
		return nil, fmt.Errorf("cannot list the modules in this folder, which should be the root of the repository: go list: %w\n%s", err, printed)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(list)) {
		if path, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			all[path] = version
		}
	}
	all[goCommand] = all[standard]
	return all, nil
}

// check prints the age of the copy. It returns an error if the copy covers not all modules, or only later versions.
func check(modules map[string]string) error {
	text, err := os.ReadFile(coverFile)
	if err != nil {
		return err
	}
	var covered cover
	if err := json.Unmarshal(text, &covered); err != nil {
		return err
	}
	if missing := covered.missing(modules); len(missing) > 0 {
		return fmt.Errorf("%s does not cover %s: run make vulndb where github.com can be reached", folder, strings.Join(missing, ", "))
	}
	days := int(time.Since(covered.Date).Hours() / 24)
	fmt.Printf("The committed part of the vulnerability database is of %s: %d days old.\n", covered.Date.Format(time.DateOnly), days)
	return nil
}

func (c cover) missing(modules map[string]string) (missing []string) {
	for path, version := range modules {
		if from, ok := c.Modules[path]; !ok || semver.Compare(version, from) < 0 {
			missing = append(missing, path+" "+version)
		}
	}
	slices.Sort(missing)
	return missing
}

// take replaces the copy with the reports in the clone that concern the modules.
func take(clone string, modules map[string]string) error {
	head, err := exec.Command("git", "-C", clone, "log", "-1", `--format={"commit": "%H", "date": "%cI"}`).Output()
	if err != nil {
		return fmt.Errorf("cannot read the last commit of %s: give the folder of a clone of github.com/golang/vulndb: %w", clone, err)
	}
	covered := cover{Modules: modules}
	if err := json.Unmarshal(head, &covered); err != nil {
		return err
	}
	covered.Date = covered.Date.UTC()
	files, err := filepath.Glob(filepath.Join(clone, "data/osv/*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s has no reports in data/osv: give the folder of a clone of github.com/golang/vulndb (%v)", clone, err)
	}
	if err := os.RemoveAll(reports); err != nil {
		return err
	}
	if err := os.Mkdir(reports, 0o755); err != nil {
		return err
	}
	kept := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil {
			return fmt.Errorf("the report %s cannot be read as OSV JSON: %w", file, err)
		}
		if !r.concerns(modules) {
			continue
		}
		kept++
		if err := os.WriteFile(filepath.Join(reports, filepath.Base(file)), text, 0o644); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(covered, "", "  ")
	if err != nil {
		return err
	}
	fmt.Printf("%d of %d reports concern this repository.\n", kept, len(files))
	return os.WriteFile(coverFile, append(text, '\n'), 0o644)
}

// report holds the fields of a report in the OSV format that this program uses.
type report struct {
	Affected []struct {
		Package struct{ Name string }
		Ranges  []struct {
			Events []struct{ Introduced, Fixed string }
		}
	}
}

// concerns reports whether the report is about one of the modules, and its last fix is missing or after our version.
func (r report) concerns(modules map[string]string) bool {
	for _, affected := range r.Affected {
		used, ok := modules[affected.Package.Name]
		if !ok {
			continue
		}
		for _, of := range affected.Ranges {
			if last := of.Events[len(of.Events)-1].Fixed; last == "" || semver.Compare("v"+last, used) > 0 {
				return true
			}
		}
	}
	return false
}
