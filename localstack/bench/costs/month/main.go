// Command month prints the price of a month for MAU active players, who play 20 sessions each. `make cost MAU=100000`
// runs it. The default of MAU is 100,000.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ranch-game/ranch/localstack/bench/costs"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() { batch.Main("cost", "", print) }

func print(context.Context) error {
	from := batch.NewSettings(os.Getenv)
	players := from.Number("MAU", 100_000, 1)
	if err := from.Err(); err != nil {
		return err
	}
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(template.Root, "docs", "costs.md"))
	if err != nil {
		return err
	}
	operations, err := costs.Read(string(page))
	if err != nil {
		return err
	}
	lines, err := costs.Month(operations, template, players)
	if err != nil {
		return err
	}
	fmt.Print(costs.Page(lines))
	fmt.Println("\nPrices and assumptions: docs/costs.md")
	return nil
}
