// Month prints the price of a month for MAU active players, who play 20 sessions each. `make cost MAU=100000` runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ranch-game/ranch/localstack/bench/costs"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	if err := print(os.Getenv("MAU")); err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func print(mau string) error {
	players, err := strconv.Atoi(mau)
	if err != nil || players < 1 || players > 1e9 {
		return fmt.Errorf("MAU=%s is no number of players from 1 to 1000000000", mau)
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
