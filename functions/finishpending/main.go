// Finishpending is run every minute and finishes what operators' changes have begun: refunds of cancelled shows, and
// deletions of users.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Run(job(boot.Store()))
}
