// Listanimals is GET /animals, which is beyond the specification: without it no client could know what to enter in a show.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Serve(endpoint(boot.Store(), boot.Keys()))
}
