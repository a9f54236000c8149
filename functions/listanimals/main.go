// Listanimals is GET /animals, which is an addition of ours (docs/rules.md, R-beyond-1a): without it no client could
// know what to enter in a show.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
