// Listshowentries is GET /events/shows/{id}/entries (docs/rules.md, R-beyond-9a).
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
