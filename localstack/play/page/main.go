// Page writes the reference game for a static host (make page).
package main

import (
	"fmt"
	"os"

	"github.com/ranch-game/ranch/localstack/play"
)

func main() {
	const folder = ".build/page"
	api := os.Getenv("API")
	if api == "" {
		fmt.Fprintln(os.Stderr, "API is not set: make page API=https://api.example.com")
		os.Exit(1)
	}
	if err := play.Write(".", folder, api); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("The page is in %s. It plays with %s.\n", folder, api)
}
