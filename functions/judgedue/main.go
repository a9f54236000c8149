// Judgedue is run every minute, where it is switched on, and judges the shows whose closing time is over.
package main

import (
	"github.com/ranch-game/ranch/shared/boot"
)

func main() {
	boot.Run(job(boot.Store()))
}
