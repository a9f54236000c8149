// Deleteaccount is DELETE /me (docs/rules.md, R-beyond-14c).
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() {
	s := boot.Store()
	boot.Serve(endpoint(s, boot.PublicKeys(s)))
}
