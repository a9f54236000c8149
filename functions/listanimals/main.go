// Listanimals is GET /animals (docs/rules.md, R-beyond-1). A client needs the list to know which animals its player
// can enter.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
