// Logout is POST /auth/logout. It deletes the record with the token's digest. It does not verify the token: it has no
// keys.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Serve(endpoint(boot.Store()))
}
