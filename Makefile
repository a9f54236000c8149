# `make help` lists the targets.
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
GO_TOOL := go tool -modfile=$(CURDIR)/infra/tools/go.mod

# $(call need,program,what to do) prints one line and fails if the program is missing.
need = command -v $(1) >/dev/null || { echo "$(1) is missing: $(2)" >&2; exit 1; }

# $(call start,name,package) compiles a program and becomes it, so that signals reach the program itself.
start = $(call need,go,install Go 1.26 or newer) && go build -o bin/$(1) $(2) && exec bin/$(1)

# $(call once,folder,file) makes a file that tests of several packages may need at the same time.
once = $$(command -v flock >/dev/null && echo flock $(1)/package-lock.json) $(MAKE) -s $(2)

# npm writes this file when it has installed the packages of a folder.
INSTALLED := node_modules/.package-lock.json

# A target's help is "## GROUP: text".
help: ## start: List the commands
	@for group in "start First steps" "work Working on the code" "search Searching for faults" "deploy Deploying"; do \
		echo "$${group#* }"; \
		sed -nE "s/^([a-z0-9-]+):.*## $${group%% *}: (.*)/  \1\t\2/p" $(MAKEFILE_LIST) | expand -t 24; \
	done
	@echo "docs/local.md lists the variables of make run, docs/searching.md those of the searches."

# The game's page needs the client, and the API's page needs Swagger UI. With PLAY_PORT=none, no page is served.
run: $(if $(filter none,$(PLAY_PORT)),,client reference) ## start: Run the service and the game on this machine
	@$(call start,ranch-local,./localstack/run)
tour: ## start: Play the whole loop in a terminal; API=URL for another service
	@$(call start,ranch-tour,./localstack/run/tour)

# gotestsum prints go test's lines, then the failures and the number of tests. Go's cache of results is off, because it
# does not know the programs that tests build and run.
GOTEST := $(GO_TOOL) gotestsum --format standard-quiet -- -count=1

# The store has the longest tests. It is first, so that it does not run alone at the end: its tests mostly wait.
test: engine client ## start: Run the tests of Go and of the TypeScript client; RACE=1
	$(GOTEST) $(if $(RACE),-race) ./shared/store ./...
	cd $(CLIENT) && npm test --silent
	@test -x .tools/sam/bin/python || echo "NOT TESTED: what AWS makes of template.yaml. 'make validate' installs what it takes; CI has it."
	@test -x .tools/aws/bin/aws || echo "NOT TESTED: the checks of a deployed stack. 'make aws' installs what it takes; CI has it."
	@command -v java >/dev/null || echo "NOT TESTED: the start of DynamoDB Local, for which java is missing. CI has it."
	@echo "NOT TESTED: the game in a browser ('make test-browser'), the contract by its fuzzer ('make schemathesis'), and the GDScript client ('make gdscript'). CI has them."

page: client ## deploy: Write the game for a static host to .build/page; API=https://...
	@go run ./localstack/play/page

# The test has its own service and browser. Its first prerequisite looks for the browser, before anything is built.
BROWSER := localstack/play/browser
test-browser: chromium client reference build engine $(BROWSER)/$(INSTALLED) ## work: Play the game in chromium; TEST=loop, HEADED=1
	@exec node $(BROWSER)/run.mjs

chromium:
	@$(call need,node,install Node.js 20.11 or newer)
	@node $(BROWSER)/chromium.mjs

# The page of the API at /reference/ is Swagger UI.
reference: localstack/play/reference/$(INSTALLED)

# Only these tests can find a difference between the engines: all others send the store's requests.
test-dynamodb-local: ## work: Run the tests of the engine on DynamoDB Local (Java 17)
	@$(call need,java,install Java 17 or newer)
	ENGINE=dynamodb-local $(GOTEST) -parallel 2 ./shared/store ./localstack/engine ./localstack/dynamo/...

# The deployed programs are for arm64. This target runs the unit tests of computations, and one judging whose golden file
# comes from another processor. deploy-rehearsal and test-sam-local play on the deployed programs themselves. The embedded
# engine exists only for x86-64: an arm64 machine uses DynamoDB Local.
ARM64 := $(filter aarch64,$(shell uname -m))
need-emulator = $(if $(ARM64),:,$(call need,qemu-aarch64-static,install qemu-user-static))
test-arm64: private export ENGINE ?= $(if $(ARM64),dynamodb-local)
test-arm64: private export DYNOXIDE ?= $(if $(ARM64),,$(CURDIR)/localstack/engine/node_modules/@dynoxide/linux-x64/dynoxide)
test-arm64: engine ## work: Run the tests of computations as arm64 binaries
	@$(need-emulator)
	GOARCH=arm64 CGO_ENABLED=0 go test $(if $(ARM64),,-exec qemu-aarch64-static) ./shared/game ./shared/token ./shared/httpapi
	GOARCH=arm64 CGO_ENABLED=0 go test $(if $(ARM64),,-exec qemu-aarch64-static) -run 'TestJudge$$' ./functions/judgeshow

# Tests set FUNCTIONS_DIR to get programs of their own.
FUNCTIONS_DIR := .build/functions
# Within one file system, go build renames a complete program. Otherwise it copies, and a function could start half of it.
REPLACE := mkdir -p $(FUNCTIONS_DIR) && GOTMPDIR=$(abspath $(FUNCTIONS_DIR))
functions: ## work: Compile the functions; a running make run uses them at once
	$(REPLACE) $(GO_BUILD) -o $(FUNCTIONS_DIR)/ ./functions/...

functions-debug: GO_BUILD = CGO_ENABLED=0 go build -buildvcs=false -tags $(FUNCTION_TAGS) -gcflags='all=-N -l'
functions-debug: functions ## work: Compile the functions for a debugger

# Each cold start reads every byte of a function.
size-check: ## work: Check that no deployed function exceeds 8.5 MB
	@rm -rf .build/deployed
	@GOOS=linux GOARCH=arm64 $(GO_BUILD) -o .build/deployed/ ./functions/...
	@large=$$(find .build/deployed -type f -size +8500000c); \
		test -z "$$large" || { echo "Larger than 8500000 bytes:" >&2; ls -l $$large >&2; exit 1; }

# If a list (SBOM, in CycloneDX's format) lacks the standard library or one of the program's modules, the target fails.
sbom: size-check ## work: List the components of each deployed function in .build/sbom
	@mkdir -p .build/sbom
	@for program in .build/deployed/*; do \
		list=.build/sbom/$${program##*/}.cdx.json; \
		$(GO_TOOL) cyclonedx-gomod bin -std -json -output $$list $$program 2>/dev/null || { echo "There is no list of $$program" >&2; exit 1; }; \
		test "$$(grep -c '"type": "library"' $$list)" = $$((1 + $$(go version -m $$program | grep -c '^	dep'))) || \
			{ echo "$$list has not all that $$program says" >&2; exit 1; }; \
	done

measure: ## work: Measure start times and processor time for docs/processor.md
	@$(call start,ranch-measure,./localstack/bench/measure)
cost: ## work: Print the price of a month for MAU=100000 players
	@$(call start,ranch-cost,./localstack/bench/costs/month)

bench-crowd: engine ## search: Load popular shows and write docs/scale.md
	@$(call start,ranch-crowd,./localstack/bench/loadtest)
mutants: engine ## search: Remove writes and terms of conditions, one at a time; NAME=, TESTS=
	@$(call start,ranch-mutants,./localstack/verify/mutants)
stress: engine ## search: Play OPS calls with faults and kills, then check all data
	@$(call start,ranch-stress,./localstack/verify/stress)
schemathesis: .tools/schemathesis/pyvenv.cfg ## search: Fuzz the running service with the contract
	@$(call start,ranch-schemathesis,./localstack/accept/schemathesis)
generated-clients: .tools/generated/pyvenv.cfg engine ## search: Play with clients that generators make for Python and Go
	@$(call need,java,install Java 17 or newer)
	@$(call start,ranch-generated,./localstack/accept/generated)

# A process plays one history at a time, so there is one for each processor, each with an engine.
explore: engine ## search: Try every order of concurrent calls (two hours); PLANT= for a planted bug
ifdef PLANT
	@go test -count=1 -timeout=0 -v -run='^TestPlants$$' ./localstack/verify/explore
else
	@go test -c -o bin/ranch-explore ./localstack/verify/explore
	@cd localstack/verify/explore && n=$$(getconf _NPROCESSORS_ONLN) && seq 0 $$((n - 1)) | GOMAXPROCS=1 GOGC=800 \
		xargs -P $$n -I % env SHARE=%/$$n ../../../bin/ranch-explore -test.run='^TestExplore$$' -test.timeout=0
endif

# gremlins copies the whole folder of its module, so it gets one without what make has installed. On a busy machine a
# mutant's tests need more time. Tests must notice 95 % of the mutants in covered code.
mutants-code: ## search: Change conditions and arithmetic in game, token and password
	@rm -rf .build/gremlins && mkdir -p .build/gremlins
	@git ls-files -co --exclude-standard go.mod go.sum shared | tar -c -T - | tar -x -C .build/gremlins
	@cd .build/gremlins && for package in game token password; do \
		$(GO_TOOL) gremlins unleash --invert-logical --timeout-coefficient 20 --threshold-efficacy 95 -E tokentest/ ./shared/$$package || exit 1; \
	done

build: functions ## work: Compile the functions, ranch-local and ranchctl
	go build -o bin/ranch-local ./localstack/run
	go build -o bin/ranchctl ./infra/ranchctl

CLIENT := shared/client/typescript
client: ## work: Build the TypeScript client
	+@$(call once,$(CLIENT),$(CLIENT)/dist/index.js)

$(CLIENT)/dist/index.js: $(CLIENT)/$(INSTALLED) docs/openapi.yaml $(CLIENT)/package.json $(CLIENT)/tsconfig.json \
		$(filter-out %/contract.ts,$(wildcard $(CLIENT)/src/*.ts))
	@rm -rf $(CLIENT)/dist
	@cd $(CLIENT) && npm run --silent build
	@touch $@

# Unity and dotnet compile the C# client's sources. This target compiles its driver, for .NET and, if installed, for Mono.
CSHARP := $(wildcard shared/client/csharp/Runtime/*.cs shared/client/csharp/Runtime/Unity/*.cs localstack/accept/conformance/driver/csharp/*.cs)
csharp: ## work: Compile the C# client and its driver, with Roslyn (Linux x86-64)
	+@$(call once,infra/csharp,.build/csharp/Driver.dll $(shell command -v mono >/dev/null && echo .build/csharp/mono/Driver.exe))

.build/csharp/Driver.dll .build/csharp/mono/Driver.exe: .tools/dotnet/pyvenv.cfg infra/csharp/$(INSTALLED) infra/csharp/dotnet.py $(CSHARP)
	@mkdir -p $(@D)
	@.tools/dotnet/bin/python infra/csharp/dotnet.py compile --exe $(if $(findstring mono,$@),--mono) --out $@ $(CSHARP)

lint: contract-lint client ## work: Check format, vet, staticcheck, the page's types, the contract
	@test -z "$$(gofmt -l .)" || { echo "Not formatted by gofmt:"; gofmt -l .; exit 1; }
	go vet ./...
	$(GO_TOOL) staticcheck ./...
	cd $(CLIENT) && node_modules/.bin/tsc --project ../../../localstack/play/web

# Redocly's notices and statistics would use the network. Its output is shown only if it fails.
contract-lint: infra/openapi/$(INSTALLED)
	@cd infra/openapi && said=$$(REDOCLY_SUPPRESS_UPDATE_NOTICE=true REDOCLY_TELEMETRY=off node_modules/.bin/redocly lint ../../docs/openapi.yaml 2>&1) \
		|| { echo "$$said" >&2; exit 1; }

# Godot's engine for browsers plays the scenarios. The six that a browser cannot play use Node.js's network.
GODOT := localstack/accept/conformance/driver/gdscript
GDSCRIPT := node $(CURDIR)/$(GODOT)/driver.mjs
BY_NODE := cancel-a-read|cancel-a-sent-change|cancel-before-sending|enter-offline|redirected|refresh-once-for-ten-refused
gdscript: chromium $(GODOT)/$(INSTALLED) engine ## search: Play the scenarios with the GDScript client, in chromium
	@$(GDSCRIPT) units
	$(GOTEST) ./localstack/accept/conformance -run TestConformance -driver "$(GDSCRIPT)" -skip 'TestConformance/driver/(file-|processes-|($(BY_NODE))$$)'
	$(GOTEST) ./localstack/accept/conformance -run 'TestConformance/driver/($(BY_NODE))$$' -driver "$(GDSCRIPT) node"

# The newest version of Go's vulnerability database comes through the module proxy, so this target may fail without a
# change here. If that version is older than 60 days, the proxy does not get new versions any more.
VULNDB := golang.org/x/vulndb
vulncheck: ## work: Look for known vulnerabilities in called code
	@newest=$$(go list -m -f '{{.Version}} {{.Time.Unix}} {{.Time.Format "2006-01-02"}}' $(VULNDB)@latest) \
		&& read -r version seconds date <<<"$$newest" \
		&& echo "The newest vulnerability database is of $$date ($(VULNDB)@$$version)." \
		&& { test $$(($$(date +%s) - seconds)) -lt $$((60 * 24 * 3600)) || { echo "It is older than 60 days: use a proxy with newer versions (GOPROXY)." >&2; exit 1; }; } \
		&& go mod download $(VULNDB)@$$version && rm -rf .tools/vulndb \
		&& go run $(VULNDB)/cmd/indexdb@$$version -vulns "$$(go list -m -f '{{.Dir}}' $(VULNDB)@$$version)/data/osv" -out .tools/vulndb \
		&& $(GO_TOOL) govulncheck -db file://$(CURDIR)/.tools/vulndb ./functions/... ./infra/...

tidy-check:
	for module in . infra/tools shared/client; do go mod tidy -C $$module -diff || exit 1; done

# With a gradual rollout, the template that SAM makes has deployment groups, which refer to alarms. cfn-lint finds a
# circle (E3004). The SAM CLI's own linter sees only the template of the defaults.
validate: sam ## deploy: Check template.yaml and infra/*.yaml
	.tools/sam/bin/sam validate --lint
	@mkdir -p .build
	AWS_DEFAULT_REGION=us-east-1 .tools/sam/bin/python localstack/accept/template/transform.py template.yaml Rollout=Canary10Percent5Minutes >.build/gradual.json
	.tools/sam/bin/cfn-lint --regions us-east-1 --ignore-checks W2001 W7001 -- .build/gradual.json
	.tools/sam/bin/sam validate --lint --template-file infra/front.yaml --region us-east-1
	for stack in alarms people auditcopy backupvault; do .tools/sam/bin/sam validate --lint --template-file infra/$$stack.yaml || exit 1; done

# Tools of others, on the templates as AWS makes them. infra/checkov.yaml and audit.py have the excuses.
OTHERS := infra/front.yaml infra/auditcopy.yaml infra/backupvault.yaml
audit: validate .tools/audit/pyvenv.cfg ## deploy: Look for risks in the templates with checkov, parliament and cloudsplaining
	for stack in alarms people; do .tools/sam/bin/python localstack/accept/template/transform.py infra/$$stack.yaml >.build/$$stack.json || exit 1; done
	.tools/audit/bin/checkov --config-file infra/checkov.yaml -f .build/gradual.json .build/alarms.json .build/people.json $(OTHERS)
	.tools/audit/bin/python localstack/accept/template/audit.py .build/gradual.json .build/people.json

sam-build: sam ## deploy: Build what sam deploy deploys
	.tools/sam/bin/sam build
	@commit=$$(git describe --always --dirty --abbrev=40 --exclude='*') && cd .aws-sam/build && \
	sed -i.bak "s/not-built-by-make-sam-build/$$commit/; s/not-built/arm64/" template.yaml && rm template.yaml.bak

localstack-init: ## start: Create the table, the secret and the demo in a running LocalStack
	@export ENGINE=localstack; $(call start,ranch-local,./localstack/run) init
event: ## start: Print an event for sam local invoke; FUNCTION=GetSeason
	@export ENGINE=localstack; $(call start,ranch-local,./localstack/run) event "$(FUNCTION)"

sam-local: sam ## start: Serve the API with sam local and LocalStack (Docker); PORT=3000
	@exec localstack/run/sam-local
test-sam-local: sam dynamodb-local localstack ## work: Play through make sam-local, with podman in Docker's place
	@exec localstack/accept/samlocal/run

deploy-rehearsal: sam aws localstack engine ## deploy: Deploy to a LocalStack, play, rotate keys, delete
	@$(need-emulator)
	@$(call need,jq,install jq)
	@$(call start,rehearsal,./localstack/deploy/rehearsal)

accept: aws ## deploy: Check a deployed stack in its account; STACK=ranch-staging
	@go build -o bin/ranch-tour ./localstack/run/tour
	@PATH="$(CURDIR)/bin:$(CURDIR)/.tools/aws/bin:$$PATH" exec localstack/deploy/accept/run

clean: ## start: Remove what make has built and installed, but not the data of make run
	rm -rf bin .build .aws-sam .tools $(CLIENT)/dist $(CLIENT)/src/contract.ts
	find . -name node_modules -prune -exec rm -rf {} +
	@test ! -e .data || echo "Kept: .data, the data of make run. To start afresh, delete it."

# sam build calls build-<LogicalId>. FUNCTION_ARCH=x86_64 is only for sam local: what is deployed runs on arm64.
build-%:
	GOOS=linux GOARCH=$(if $(filter x86_64,$(FUNCTION_ARCH)),amd64,arm64) $(GO_BUILD) -o "$(ARTIFACTS_DIR)/bootstrap" ./functions/$(shell echo $* | tr A-Z a-z)

# If the engine is missing, tests run this target. Targets with tests run it first, so that no test waits for a download.
engine: ; +@$(if $(DYNOXIDE),:,$(call once,localstack/engine,localstack/engine/$(INSTALLED)))
dynamodb-local: ; +@$(call once,localstack/engine/$@,localstack/engine/$@/$(INSTALLED))

%/$(INSTALLED): %/package-lock.json
	@$(call need,npm,install Node.js 20.11 or newer)
	@echo "Installing $*, once"
	@cd $* && npm ci --ignore-scripts --loglevel=error >/dev/null
	@touch $@

# Tools written in Python, each in an environment of its own. infra/python lists all dependencies with their hashes.
sam: .tools/sam/pyvenv.cfg
aws: .tools/aws/pyvenv.cfg
localstack: .tools/localstack/pyvenv.cfg

# LocalStack needs Python 3.13, which may have another name than python3, or be outside the path.
PYTHON := python3
.tools/localstack/pyvenv.cfg: PYTHON = $(shell python3.13 -c '' 2>/dev/null && echo python3.13 || ls "$$(pyenv prefix 3.13 2>/dev/null)/bin/python3.13" 2>/dev/null || echo python3.13)
.tools/%/pyvenv.cfg: infra/python/requirements-%.txt
	@$(PYTHON) -c '' 2>/dev/null || { echo "$(PYTHON) is missing: install Python 3.13 for LocalStack, 3.11 or newer for other tools" >&2; exit 1; }
	@echo "Installing $(@D)"
	@rm -rf $(@D)
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	@$(@D)/bin/pip check --disable-pip-version-check
	@touch $@
