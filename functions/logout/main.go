// Logout is POST /auth/logout. It needs no keys: whatever token it is given, it deletes the record of its digest.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Serve(endpoint(boot.Store()))
}
