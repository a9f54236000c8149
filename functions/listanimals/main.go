// Listanimals is GET /animals (docs/rules.md, R-beyond-1). Clients need the list to enter an animal.
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
