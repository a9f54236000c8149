// Listownentries is GET /me/entries (docs/rules.md, R-beyond-8a).
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
