// Logout is POST /auth/logout. It needs no keys of tokens, because it only deletes the record with the token's digest.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Serve(endpoint(boot.Store()))
}
