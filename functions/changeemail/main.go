// Changeemail is PUT /me/email (docs/rules.md, R-beyond-14b).
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
