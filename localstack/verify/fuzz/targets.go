package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// target is a fuzz target: a function of testing.F.
type target struct {
	folder string // of its package, from the root, with slashes
	name   string
}

func (t target) String() string { return t.folder + "." + t.name }

// find returns the targets whose names match, by folder and name. Which targets a package has, `go test -list` says;
// packages whose tests know no testing.F are not compiled for that. It is an error if there are none.
func find(ctx context.Context, root string, chosen *regexp.Regexp) ([]target, error) {
	folders, err := foldersWithTargets(root)
	if err != nil {
		return nil, err
	}
	var targets []target
	for _, folder := range folders {
		listed, err := runGo(ctx, root, "test", "-list", "^Fuzz", "./"+folder)
		if err != nil {
			return nil, fmt.Errorf("listing the targets of %s: %w\n%s", folder, err, listed)
		}
		for line := range strings.Lines(listed) {
			t := target{folder, strings.TrimSpace(line)}
			if strings.HasPrefix(line, "Fuzz") && chosen.MatchString(t.String()) {
				targets = append(targets, t)
			}
		}
	}
	if len(targets) == 0 {
		return nil, errors.New("there is no such target")
	}
	return targets, nil
}

// foldersWithTargets are those whose tests speak of testing.F. Folders that Go leaves out are left out.
func foldersWithTargets(root string) (folders []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (name == "node_modules" || name == "testdata" || name[0] == '.' || name[0] == '_'):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("*testing.F)")) {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		folders = append(folders, filepath.ToSlash(folder))
		return err
	})
	slices.Sort(folders)
	return slices.Compact(folders), err
}
