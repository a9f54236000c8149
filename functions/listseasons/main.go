// Listseasons is GET /events/seasons (docs/rules.md, R-beyond-12).
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
