# Regate: every task by name. `make help` lists them.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

NODE_DEPS := node_modules/.package-lock.json
DIST := dist/.built
OPA_VERSION := v1.22.4
OPA := .tools/bin/opa

.PHONY: help
help: ## list the tasks
	@grep -E '^[a-zA-Z_-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-18s %s\n", $$1, $$2}'

$(NODE_DEPS): package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

$(DIST): $(NODE_DEPS) $(shell find src -type f 2>/dev/null) tsconfig.json tsconfig.build.json
	npm run --silent build
	@touch $@

.PHONY: build demo demo-identity demo-worker demo-approval test fmt fmt-check lint types knip schema wasm wasm-check toolchain toolchain-check starlark starlark-check policy-test policy-check cases bench ci clean
build: $(DIST) ## compile src/ to dist/

demo: $(DIST) ## a real MCP client drives the real server through every stage of the gate
	node bin/regate.js demo

demo-identity: $(DIST) ## a real client plays the Erik/Erika hazard against a server that embeds the gate
	node examples/tax-desk/demo.mjs

demo-worker: $(DIST) ## the tools service over a real Redis: forged calls, a killed worker, the users of the ACL file (needs redis-server)
	node examples/tools-service/demo.mjs

demo-approval: $(DIST) ## an agent asks, a human approves on the page in a real browser, the call runs once (needs chromium)
	node examples/approval/demo.mjs

test: $(DIST) ## every test that needs Node alone (system parts are installed where that is allowed, else named and skipped)
	node scripts/system-parts.mjs
	node scripts/policy-tests.mjs
	npm test
	npm run --silent cases:shell

fmt: $(NODE_DEPS) ## format TypeScript, JSON and Rego
	npx oxfmt .
	node bin/regate.js policy fmt --write policy examples toolchain/house

fmt-check: $(DIST) ## fail when a file is not formatted
	npx oxfmt --check .
	node bin/regate.js policy fmt --fail policy examples toolchain/house

lint: $(NODE_DEPS) ## lint with types; the doors between the rooms are lint rules
	npx oxlint --type-aware --deny-warnings

types: $(NODE_DEPS) ## check the types of src, test and examples
	npx tsc -p tsconfig.json --noEmit

knip: $(NODE_DEPS) ## find dead files, exports and dependencies
	npx knip

schema: $(DIST) ## regenerate the input schema and the pages made from schema and annotations
	node scripts/generate-schema.mjs
	node scripts/generate-policy-docs.mjs

wasm: $(DIST) ## build every bundle into wasm/
	node bin/regate.js policy build

wasm-check: schema wasm ## rebuild all generated files and fail on any difference
	git diff --exit-code -- wasm policy/schemas docs || { echo "generated files are stale: run \`make schema wasm\` and commit"; exit 1; }

policy-check: $(DIST) ## strict check of policies and house rules
	node bin/regate.js policy check --strict --schema policy/schemas --capabilities policy/capabilities.json policy bundles

policy-test: $(DIST) ## test the policies at 100 % coverage
	node bin/regate.js policy test --coverage --threshold 100 policy bundles

toolchain: $(DIST) ## rebuild OPA's toolchain module (needs Go 1.26.8)
	node toolchain/build.mjs

toolchain-check: $(DIST) ## rebuild the toolchain module and compare its digest (needs Go)
	node toolchain/build.mjs --check

starlark: $(DIST) ## rebuild the Starlark engine's module (needs Go 1.26.8)
	node starlark/build.mjs

starlark-check: $(DIST) ## rebuild the Starlark engine's module and compare its digest (needs Go)
	node starlark/build.mjs --check

$(OPA):
	GOBIN=$(CURDIR)/.tools/bin go install github.com/open-policy-agent/opa@$(OPA_VERSION)

native-check: $(OPA) $(DIST) ## prove equality with native OPA: module bytes, test results, coverage (needs Go)
	node scripts/native-cross-check.mjs --opa $(OPA)
.PHONY: native-check

bench: $(DIST) ## benchmarks beside peers, one run; writes bench/results/
	npm run --silent bench

ci: ## what CI runs, in order
	node scripts/ci.mjs

clean: ## remove what was built
	rm -rf dist coverage test/.reports
