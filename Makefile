# `make help` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.DELETE_ON_ERROR:
# Every target with a help text is a command, and these.
.PHONY: chromium reference contract-lint tidy-check engine dynamodb-local sam aws localstack $(shell sed -nE 's/^([a-z0-9-]+):.*## .*/\1/p' $(firstword $(MAKEFILE_LIST)))
export SAM_CLI_TELEMETRY := 0
# The go command gets the toolchain that go.mod names, even if the environment forbids it, as Go's images for Docker do.
export GOTOOLCHAIN := auto

# How every function is compiled, in the cloud and locally: without symbols, the builder's paths, the Lambda library's
# RPC mode, and HTTP/2, which neither that library nor the table's client uses. It has no revision either, so that a
# commit that does not change a function does not deploy the function again.
FUNCTION_TAGS := lambda.norpc,nethttpomithttp2
# From Go 1.27 on, encoding/json uses a second JSON package, which adds 0.4 MB. As long as Go offers the old package by
# an experiment, functions use the old one. A Go version without that experiment would refuse its name.
FUNCTION_JSON = $(shell GOEXPERIMENT=nojsonv2 go version >/dev/null 2>&1 && echo GOEXPERIMENT=nojsonv2)
GO_BUILD = $(FUNCTION_JSON) CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags $(FUNCTION_TAGS) -ldflags='-s -w'
STATICCHECK := go tool -modfile=infra/tools/go.mod staticcheck
GOVULNCHECK := go tool -modfile=infra/tools/go.mod govulncheck
SBOM := go tool -modfile=infra/tools/go.mod cyclonedx-gomod
SAM := .tools/sam/bin/sam

# $(call need,program,what to do) prints one line and fails if the program is missing.
need = command -v $(1) >/dev/null || { echo "$(1) is missing: $(2)" >&2; exit 1; }

# Prints one line and fails if this machine cannot run the deployed programs, which are for arm64.
need-arm64 = test "$$(uname -sm)" = "Linux aarch64" || $(call need,qemu-aarch64-static,install qemu-user-static)

# A target's help is "## GROUP: text".
help: ## start: List the commands
	@for group in "start First steps" "work Working on the code" "search Searching for faults" "deploy Deploying"; do \
		echo "$${group#* }"; \
		sed -nE "s/^([a-z0-9-]+):.*## $${group%% *}: (.*)/  \1\t\2/p" $(MAKEFILE_LIST) | expand -t 24; \
	done
	@echo "docs/local.md lists the variables of make run, docs/searching.md those of the searches."

# The game's page needs the client, and the API's page needs Swagger UI. With PLAY_PORT=none, no page is served.
run: $(if $(filter none,$(PLAY_PORT)),,client reference) ## start: Run the service and the game on this machine
	@$(call need,go,install Go 1.26 or newer)
	@go build -o bin/ranch-local ./localstack/run
	@exec bin/ranch-local

tour: ## start: Play the whole loop in a terminal; API=URL for another service
	@$(call need,go,install Go 1.26 or newer)
	@go build -o bin/ranch-tour ./localstack/run/tour
	@exec bin/ranch-tour

# All packages. ./... would leave out shared/client, which is a separate module.
ALL := github.com/ranch-game/ranch/...

# The package with the longest tests is first, so that it does not run alone at the end: its tests mostly wait.
PACKAGES := ./shared/store $(ALL)

# gotestsum prints go test's lines, then the failures and the number of tests. Go's cache of results is off, because it
# does not know the programs that tests build and run.
GOTEST := go tool -modfile=infra/tools/go.mod gotestsum --format standard-quiet -- -count=1

test: engine client ## start: Run the tests of Go and of the TypeScript client; RACE=1
	$(GOTEST) $(if $(RACE),-race) $(PACKAGES)
	cd $(CLIENT) && npm test --silent
	@test -x .tools/sam/bin/python || echo "NOT TESTED: what AWS makes of template.yaml. 'make validate' installs what it takes; CI has it."
	@test -x .tools/aws/bin/aws || echo "NOT TESTED: the checks of a deployed stack. 'make aws' installs what it takes; CI has it."
	@command -v java >/dev/null || echo "NOT TESTED: the start of DynamoDB Local, for which java is missing. CI has it."
	@echo "NOT TESTED: the game in a browser ('make test-browser'), the contract by its fuzzer ('make schemathesis'), and the GDScript client ('make gdscript'). CI has them."

page: client ## deploy: Write the game for a static host to .build/page; API=https://...
	@go run ./localstack/play/page

# The test has its own service and browser. Its first prerequisite looks for the browser, before anything is built.
BROWSER := localstack/play/browser
test-browser: chromium client reference functions engine $(BROWSER)/node_modules/.package-lock.json ## work: Play the game in chromium; TEST=loop, HEADED=1
	@go build -o bin/ranch-local ./localstack/run
	@go build -o bin/ranchctl ./infra/ranchctl
	@exec node $(BROWSER)/run.mjs

chromium:
	@$(call need,node,install Node.js 20.11 or newer)
	@node $(BROWSER)/chromium.mjs

# The page of the API at /reference/ is Swagger UI.
REFERENCE := localstack/play/reference
reference: $(REFERENCE)/node_modules/.package-lock.json

# Only tests with requests of their own can find a difference between the engines. Functions, also those that blackbox
# starts, and ranchctl send the store's requests. explore and stress inject faults before the engine, so that their results
# are the same for both.
ON_BOTH_ENGINES := ./shared/store ./localstack/engine ./localstack/dynamo/...
test-dynamodb-local: ## work: Run the tests of the engine on DynamoDB Local (Java 17)
	@$(call need,java,install Java 17 or newer)
	ENGINE=dynamodb-local $(GOTEST) -parallel 2 $(ON_BOTH_ENGINES)

# The deployed programs are for arm64. This target runs the unit tests of computations, one judging whose golden file
# comes from another processor, and the tests from outside. It runs few processes at a time, because an emulator starts
# slowly.
ARM64_EXEC = $(shell test "$$(uname -sm)" = "Linux aarch64" || echo -exec qemu-aarch64-static)
# The embedded engine exists only for x86-64: an arm64 machine uses DynamoDB Local.
ifeq ($(shell uname -sm),Linux aarch64)
test-arm64: export ENGINE ?= dynamodb-local
else
test-arm64: export DYNOXIDE ?= $(CURDIR)/localstack/engine/node_modules/@dynoxide/linux-x64/dynoxide
endif
test-arm64: engine ## work: Run the tests on the deployed arm64 binaries
	@$(need-arm64)
	GOARCH=arm64 CGO_ENABLED=0 go test $(ARM64_EXEC) ./shared/game ./shared/token ./shared/httpapi
	GOARCH=arm64 CGO_ENABLED=0 go test $(ARM64_EXEC) -run 'TestJudge$$' ./functions/judgeshow
	ARCH=arm64 PROCESSES=3 $(GOTEST) -parallel 2 ./localstack/accept/blackbox

# Tests set FUNCTIONS_DIR to get programs of their own.
FUNCTIONS_DIR := .build/functions
functions: ## work: Compile the functions; a running make run uses them at once
	$(GO_BUILD) -o $(FUNCTIONS_DIR)/ ./functions/...

# With symbols and paths, and not optimised, so that a debugger shows the lines and variables of the code.
functions-debug: ## work: Compile the functions for a debugger
	CGO_ENABLED=0 go build -buildvcs=false -tags $(FUNCTION_TAGS) -gcflags='all=-N -l' -o $(FUNCTIONS_DIR)/ ./functions/...

measure: ## work: Measure start times and processor time for docs/processor.md
	@go run ./localstack/bench/measure

# Each cold start reads every byte of a function.
LARGEST_FUNCTION := 8500000
size-check: ## work: Check that no deployed function exceeds 8.5 MB
	@rm -rf .build/deployed
	@GOOS=linux GOARCH=arm64 $(GO_BUILD) -o .build/deployed/ ./functions/...
	@large=$$(find .build/deployed -type f -size +$(LARGEST_FUNCTION)c); \
		test -z "$$large" || { echo "Larger than $(LARGEST_FUNCTION) bytes:" >&2; ls -l $$large >&2; exit 1; }

# A list of components (SBOM) for each function, in CycloneDX's format, from the compiler's data in the program. If a
# list lacks the standard library or one of the program's modules, the target fails.
sbom: size-check ## work: List the components of each deployed function in .build/sbom
	@mkdir -p .build/sbom
	@for program in .build/deployed/*; do \
		list=.build/sbom/$${program##*/}.cdx.json; \
		$(SBOM) bin -std -json -output $$list $$program 2>/dev/null || { echo "There is no list of $$program" >&2; exit 1; }; \
		test "$$(grep -c '"type": "library"' $$list)" = $$((1 + $$(go version -m $$program | grep -c '^	dep'))) || \
			{ echo "$$list has not all that $$program says" >&2; exit 1; }; \
	done

MAU ?= 100000
cost: ## work: Print the price of a month for MAU=100000 players
	@MAU=$(MAU) go run ./localstack/bench/costs/month

# The search runs in processes of its own, each with an engine. The package's tests make only a part of the search.
explore: engine ## search: Try every order of concurrent calls (two hours); PLANT= for a planted bug
	@go test -c -o bin/ranch-explore ./localstack/verify/explore
	@cd localstack/verify/explore && EXPLORE=1 exec ../../../bin/ranch-explore

bench-crowd: engine ## search: Load popular shows and write docs/scale.md
	@go build -o bin/ranch-crowd ./localstack/bench/loadtest
	@exec bin/ranch-crowd

mutants: engine ## search: Remove writes and terms of conditions, one at a time; NAME=, CHANGED=, SAMPLE=
	@go build -o bin/ranch-mutants ./localstack/verify/mutants
	@exec bin/ranch-mutants

# gremlins copies the whole folder of its module, so it gets one without what make has installed. On a busy machine a
# mutant's tests need more time. Tests must notice 95 % of the mutants in covered code.
GREMLINS := go tool -modfile=$(CURDIR)/infra/tools/go.mod gremlins
mutants-code: ## search: Change conditions and arithmetic in game, token and password
	@rm -rf .build/gremlins && mkdir -p .build/gremlins
	@git ls-files -co --exclude-standard go.mod go.sum shared | tar -c -T - | tar -x -C .build/gremlins
	@cd .build/gremlins && for package in game token password; do \
		$(GREMLINS) unleash --invert-logical --timeout-coefficient 20 --threshold-efficacy 95 -E tokentest/ ./shared/$$package || exit 1; \
	done

stress: engine ## search: Play OPS calls with faults and kills, then check all data
	@go build -o bin/ranch-stress ./localstack/verify/stress
	@exec bin/ranch-stress

build: functions ## work: Compile the functions, ranch-local and ranchctl
	go build -o bin/ranch-local ./localstack/run
	go build -o bin/ranchctl ./infra/ranchctl

# The types of the client's calls come from the contract, so a change of the contract builds the client again. Tests of
# several packages may need the client at the same time: with flock, they wait for each other.
CLIENT := shared/client/typescript
client: ## work: Build the TypeScript client
	@$$(command -v flock >/dev/null && echo flock $(CLIENT)/package-lock.json) $(MAKE) -s $(CLIENT)/dist/index.js

$(CLIENT)/node_modules/.package-lock.json: $(CLIENT)/package-lock.json
	@$(call need,npm,install Node.js 20.11 or newer)
	@echo "Installing what builds the TypeScript client, once"
	@cd $(CLIENT) && npm ci --ignore-scripts --loglevel=error >/dev/null

$(CLIENT)/dist/index.js: $(CLIENT)/node_modules/.package-lock.json docs/openapi.yaml $(CLIENT)/package.json $(CLIENT)/tsconfig.json \
		$(filter-out %/contract.ts,$(wildcard $(CLIENT)/src/*.ts))
	@rm -rf $(CLIENT)/dist
	@cd $(CLIENT) && npm run --silent build
	@touch $@

# The C# client has no build of its own: Unity and dotnet compile its sources. This target compiles the client with its
# driver, for .NET and, if Mono is installed, for Mono.
CSHARP := shared/client/csharp
CSHARP_SOURCES := $(wildcard $(CSHARP)/Runtime/*.cs $(CSHARP)/Runtime/Unity/*.cs localstack/accept/conformance/driver/csharp/*.cs)
CSC := .tools/dotnet/bin/python infra/csharp/dotnet.py compile
csharp: ## work: Compile the C# client and its driver, with Roslyn (Linux x86-64)
	@$$(command -v flock >/dev/null && echo flock infra/csharp/package-lock.json) $(MAKE) -s .build/csharp/Driver.dll \
		$(shell command -v mono >/dev/null && echo .build/csharp/mono/Driver.exe)

.build/csharp/Driver.dll: FOR = --exe
.build/csharp/mono/Driver.exe: FOR = --exe --mono
.build/csharp/Driver.dll .build/csharp/mono/Driver.exe: .tools/dotnet/bin/distro infra/csharp/node_modules/.package-lock.json infra/csharp/dotnet.py $(CSHARP_SOURCES)
	@mkdir -p $(@D)
	@$(CSC) $(FOR) --out $@ $(CSHARP_SOURCES)

lint: contract-lint client ## work: Check format, vet, staticcheck, the page's types, the contract
	@test -z "$$(gofmt -l .)" || { echo "Not formatted by gofmt:"; gofmt -l .; exit 1; }
	go vet $(ALL)
	$(STATICCHECK) $(ALL)
	cd $(CLIENT) && node_modules/.bin/tsc --project ../../../localstack/play/web

# Redocly's notices and statistics would use the network. Its output is shown only if it fails.
contract-lint: infra/openapi/node_modules/.package-lock.json
	@cd infra/openapi && said=$$(REDOCLY_SUPPRESS_UPDATE_NOTICE=true REDOCLY_TELEMETRY=off node_modules/.bin/redocly lint ../../docs/openapi.yaml 2>&1) \
		|| { echo "$$said" >&2; exit 1; }

schemathesis: .tools/schemathesis/bin/schemathesis ## search: Fuzz the running service with the contract
	@go build -o bin/ranch-schemathesis ./localstack/accept/schemathesis
	@exec bin/ranch-schemathesis

generated-clients: .tools/generated/bin/openapi-generator-cli engine ## search: Play with clients that generators make for Python and Go
	@$(call need,java,install Java 17 or newer)
	@go build -o bin/ranch-generated ./localstack/accept/generated
	@exec bin/ranch-generated

# Godot's engine for browsers plays the scenarios. The six that a browser cannot play use Node.js's network.
GODOT := localstack/accept/conformance/driver/gdscript
GDSCRIPT := node $(CURDIR)/$(GODOT)/driver.mjs
BY_NODE := cancel-a-read|cancel-a-sent-change|cancel-before-sending|enter-offline|redirected|refresh-once-for-ten-refused
gdscript: chromium $(GODOT)/node_modules/.package-lock.json engine ## search: Play the scenarios with the GDScript client, in chromium
	@$(GDSCRIPT) units
	$(GOTEST) ./localstack/accept/conformance -run TestConformance -driver "$(GDSCRIPT)" -skip 'TestConformance/driver/(file-|processes-|($(BY_NODE))$$)'
	$(GOTEST) ./localstack/accept/conformance -run 'TestConformance/driver/($(BY_NODE))$$' -driver "$(GDSCRIPT) node"

# For the deployed programs and the operators' tools. The newest version of Go's vulnerability database comes through
# the module proxy, so this target may fail without a change here. The database changes daily: if its newest version is
# older than 60 days, the proxy does not get new versions any more.
VULNDB := golang.org/x/vulndb
vulncheck: ## work: Look for known vulnerabilities in called code
	@newest=$$(go list -m -f '{{.Version}} {{.Time.Unix}} {{.Time.Format "2006-01-02"}}' $(VULNDB)@latest) \
		&& read -r version seconds date <<<"$$newest" \
		&& echo "The newest vulnerability database is of $$date ($(VULNDB)@$$version)." \
		&& { test $$(($$(date +%s) - seconds)) -lt $$((60 * 24 * 3600)) || { echo "It is older than 60 days: use a proxy with newer versions (GOPROXY)." >&2; exit 1; }; } \
		&& go mod download $(VULNDB)@$$version \
		&& rm -rf .tools/vulndb \
		&& go run $(VULNDB)/cmd/indexdb@$$version -vulns "$$(go list -m -f '{{.Dir}}' $(VULNDB)@$$version)/data/osv" -out .tools/vulndb \
		&& $(GOVULNCHECK) -db file://$(CURDIR)/.tools/vulndb ./functions/... ./infra/...

tidy-check:
	go mod tidy -diff
	cd infra/tools && go mod tidy -diff
	cd shared/client && go mod tidy -diff

# The SAM CLI's linter checks the template that SAM makes of template.yaml with the defaults. With a gradual rollout,
# that template also has deployment groups, which refer to alarms. The references must not be circular (E3004).
validate: $(SAM) ## deploy: Check template.yaml and infra/*.yaml
	$(SAM) validate --lint
	@mkdir -p .build
	AWS_DEFAULT_REGION=us-east-1 .tools/sam/bin/python localstack/accept/template/transform.py template.yaml Rollout=Canary10Percent5Minutes >.build/gradual.json
	.tools/sam/bin/cfn-lint --regions us-east-1 --ignore-checks W2001 W7001 -- .build/gradual.json
	$(SAM) validate --lint --template-file infra/front.yaml --region us-east-1
	$(SAM) validate --lint --template-file infra/auditcopy.yaml
	$(SAM) validate --lint --template-file infra/backupvault.yaml

sam-build: $(SAM) ## deploy: Build what sam deploy deploys
	$(SAM) build
	@commit=$$(git describe --always --dirty --abbrev=40 --exclude='*') && cd .aws-sam/build && \
	sed -i.bak "s/not-built-by-make-sam-build/$$commit/" template.yaml && rm template.yaml.bak

localstack-init: ## start: Create the table, the secret and the demo in a running LocalStack
	@$(call need,go,install Go 1.26 or newer)
	@go build -o bin/ranch-local ./localstack/run
	@ENGINE=localstack bin/ranch-local init

sam-local: $(SAM) ## start: Serve the API with sam local and LocalStack (Docker); PORT=3000
	@exec localstack/run/sam-local

test-sam-local: $(SAM) dynamodb-local localstack ## work: Play through make sam-local, with podman in Docker's place
	@exec localstack/accept/samlocal/run

event: ## start: Print an event for sam local invoke; FUNCTION=GetSeason
	@$(call need,go,install Go 1.26 or newer)
	@go build -o bin/ranch-local ./localstack/run
	@ENGINE=localstack bin/ranch-local event "$(FUNCTION)"

deploy-rehearsal: $(SAM) aws .tools/localstack/bin/localstack-supervisor engine ## deploy: Deploy to a LocalStack, play, rotate keys, delete
	@$(need-arm64)
	@$(call need,jq,install jq)
	@go build -o bin/rehearsal ./localstack/deploy/rehearsal
	@exec bin/rehearsal

accept: aws ## deploy: Check a deployed stack in its account; STACK=ranch-staging
	@go build -o bin/ranch-tour ./localstack/run/tour
	@PATH="$(CURDIR)/bin:$(CURDIR)/.tools/aws/bin:$$PATH" exec localstack/deploy/accept/run

clean: ## start: Remove what make has built and installed, but not the data of make run
	rm -rf bin .build .aws-sam .tools $(addsuffix /node_modules,$(NODE_FOLDERS) $(CLIENT)) $(CLIENT)/dist $(CLIENT)/src/contract.ts
	@test ! -e .data || echo "Kept: .data, the data of make run. To start afresh, delete it."

# sam build calls build-<LogicalId>. A function's code is in functions/<logical id in lower case>.
# FUNCTION_ARCH=x86_64 is only for sam local: what is deployed runs on arm64.
build-%:
	GOOS=linux GOARCH=$(if $(filter x86_64,$(FUNCTION_ARCH)),amd64,arm64) $(GO_BUILD) -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)

# If the engine is missing, tests run this target. Targets with tests run it before, so that the download does not count
# as a test's time. If DYNOXIDE names an engine, it does nothing.
engine: ; +$(if $(DYNOXIDE),@:,$(call once,localstack/engine))

dynamodb-local: ; +$(call once,localstack/engine/dynamodb-local)

# $(call once,folder) installs the packages of a folder. Tests of several packages may need them at the same time.
once = @$$(command -v flock >/dev/null && echo flock $(1)/package-lock.json) $(MAKE) -s $(1)/node_modules/.package-lock.json

NODE_FOLDERS := localstack/engine localstack/engine/dynamodb-local infra/csharp infra/openapi $(BROWSER) $(REFERENCE) $(GODOT)
$(NODE_FOLDERS:=/node_modules/.package-lock.json): %/node_modules/.package-lock.json: %/package-lock.json
	@$(call need,npm,install Node.js 20.11 or newer)
	@echo "Installing $*, once"
	@cd $* && npm ci --loglevel=error >/dev/null
	@touch $@

# Tools written in Python, each in an environment of its own, at the versions and hashes of infra/python. Its files list
# all dependencies, so that pip chooses none.
sam: $(SAM)

aws: .tools/aws/bin/aws

localstack: .tools/localstack/bin/localstack-supervisor

# LocalStack needs Python 3.13, which may have another name than python3, or be outside the path.
PYTHON313 = $(shell python3.13 -c '' 2>/dev/null && echo python3.13 || ls "$$(pyenv prefix 3.13 2>/dev/null)/bin/python3.13" 2>/dev/null || echo python3.13)
PYTHON := python3
.tools/localstack/bin/localstack-supervisor: PYTHON = $(PYTHON313)
.tools/localstack/bin/localstack-supervisor: WANTED := 3.13

$(SAM): infra/python/requirements.txt
.tools/localstack/bin/localstack-supervisor: infra/python/requirements-localstack.txt
.tools/schemathesis/bin/schemathesis: infra/python/requirements-schemathesis.txt
.tools/dotnet/bin/distro: infra/python/requirements-csharp.txt
.tools/generated/bin/openapi-generator-cli: infra/python/requirements-generated.txt
.tools/aws/bin/aws: infra/python/requirements-aws.txt
$(SAM) .tools/aws/bin/aws .tools/localstack/bin/localstack-supervisor .tools/schemathesis/bin/schemathesis .tools/dotnet/bin/distro \
		.tools/generated/bin/openapi-generator-cli:
	@$(PYTHON) -c '' 2>/dev/null || { echo "$(PYTHON) is missing: install Python $(or $(WANTED),3.11 or newer)" >&2; exit 1; }
	@echo "Installing $(dir $(@D))"
	@rm -rf "$(dir $(@D))"
	@$(PYTHON) -m venv "$(dir $(@D))"
	@"$(@D)/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	@"$(@D)/pip" check --disable-pip-version-check
	@touch $@
