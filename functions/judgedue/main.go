// Judgedue judges the shows whose closing time has passed. It runs every minute, unless the deployment switches it off.
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() { boot.Run(job(boot.Store())) }
