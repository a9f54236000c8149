// Finishpending runs every minute and finishes the changes that operators began: refunds of cancelled shows, and
// deletions of users.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Run(job(boot.Store()))
}
