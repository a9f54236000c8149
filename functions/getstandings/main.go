// Getstandings is GET /events/season/standings (docs/rules.md, R-beyond-13a).
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
