// Getseason is GET /events/season.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Serve(endpoint(boot.Store(), boot.Keys()))
}
