package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
)

// write puts what a scene has shown on docs/scale.md. A scene at another scale than its own is only printed.
func (r result) write(root string) error {
	if r.scaled != r.scale {
		return nil
	}
	file := filepath.Join(root, "docs", "scale.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	page := string(text)
	for place, text := range r.places() {
		if page, err = report.Replace(page, place, text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return os.WriteFile(file, []byte(page), 0o644)
}

// places returns the texts of a scene by their places on the page: its goals stand before its own table.
func (r result) places() map[string]string {
	texts := map[string]string{}
	for place, table := range r.tables {
		texts[place] = table.Markdown()
	}
	if len(r.goals) > 0 {
		goals := report.Table{Header: []string{"Goal", "Wanted", "Measured", "Reached"}}
		for _, g := range r.goals {
			goals.Add(g.what, g.wanted, g.measured, reached(g.reached))
		}
		texts[r.name] = goals.Markdown() + "\n" + texts[r.name]
	}
	return texts
}
