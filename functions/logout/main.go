// Logout is POST /auth/logout. It does not verify the token, and so needs no keys: it only deletes the record with the
// token's digest.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Serve(endpoint(boot.Store()))
}
