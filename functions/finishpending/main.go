// Finishpending runs every minute. It finishes changes that operators have begun and that take long: refunds of
// cancelled shows, and renamings and deletions of users.
package main

import "github.com/ranch-game/ranch/shared/boot"

func main() { boot.Run(job(boot.Store())) }
