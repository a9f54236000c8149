// Entershow is POST /events/shows/{id}/enter.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Serve(endpoint(boot.Store(), boot.Keys()))
}
