module github.com/ranch-game/ranch/shared/client

go 1.26.0

toolchain go1.26.11
