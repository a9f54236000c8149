// Changepassword is PUT /me/password (docs/rules.md, R-beyond-14a).
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.SigningKeys(s)))
}
