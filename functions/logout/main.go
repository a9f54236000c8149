// Logout is POST /auth/logout. It needs no keys: it deletes the record with the digest of any token.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Serve(endpoint(boot.Store()))
}
