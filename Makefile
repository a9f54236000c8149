# `make help` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# How every function is compiled, in the cloud and locally: no symbols, no paths of the builder, no RPC mode of the Lambda library.
GO_BUILD := CGO_ENABLED=0 go build -trimpath -tags lambda.norpc -ldflags='-s -w'

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 24

# sam build calls build-<LogicalId>; a function's code is in functions/<logical id in lower case>.
build-%:
	GOOS=linux GOARCH=arm64 $(GO_BUILD) -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)
