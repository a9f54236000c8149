module github.com/ranch-game/ranch/shared/client

go 1.26.0
