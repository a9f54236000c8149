// Listanimals is GET /animals, an addition of ours (docs/rules.md, R-beyond-1a). A client needs it to know which
// animals it can enter.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
