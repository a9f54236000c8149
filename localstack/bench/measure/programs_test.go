package main

import (
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/bench/figures"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

var update = flag.Bool("update", false, "rewrite the sizes in docs/processor.md")

// sizeTolerated is the percentage by which a program's size may differ from docs/processor.md. A program grows in steps
// of 64 KiB, the size of arm64's pages, which is about 0.8 % of a program.
const sizeTolerated = 1

var sizesBlock = figures.Block{Page: "docs/processor.md", Name: "sizes", Tolerance: fmt.Sprintf("%d %% (`TestSizes`)", sizeTolerated)}

// TestSizes compiles the programs as they are deployed, and compares their sizes with docs/processor.md. With the flag
// -update it writes the sizes there.
func TestSizes(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	template.Functions = append(template.Functions, emptyFunction)
	dir := t.TempDir()
	if err := compile(t.Context(), template, dir, "GOOS=linux", "GOARCH=arm64"); err != nil {
		t.Fatal(err)
	}
	measured, table := map[string]int64{}, "| Function | arm64 bytes |\n|---|---:|\n"
	for _, f := range template.Functions {
		name := path.Base(f.Folder)
		info, err := os.Stat(program(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		measured[name] = info.Size()
		table += fmt.Sprintf("| %s | %d |\n", name, info.Size())
	}
	if *update {
		if err := sizesBlock.Write(template.Root, table); err != nil {
			t.Fatal(err)
		}
	}
	documented, err := sizesBlock.Read(template.Root)
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| ([a-z]+) \| (\d+) \|$`).FindAllStringSubmatch(documented, -1)
	for _, row := range rows {
		got := measured[row[1]]
		was, _ := strconv.ParseInt(row[2], 10, 64) // digits
		if 100*got > (100+sizeTolerated)*was || 100*got < (100-sizeTolerated)*was {
			t.Errorf("%s has %d bytes, docs/processor.md says %d; go test ./localstack/bench/measure -run TestSizes -update writes it", row[1], got, was)
		}
	}
	if len(rows) != len(measured) {
		t.Errorf("%d programs, and docs/processor.md has %d:\n%s", len(measured), len(rows), strings.TrimSpace(table))
	}
}
