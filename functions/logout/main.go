// Logout is POST /auth/logout. It deletes the record with the token's digest, and needs no keys to verify the token.
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() { boot.Serve(endpoint(boot.Store())) }
