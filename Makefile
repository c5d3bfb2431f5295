# Everything runs with Node 24 from node_modules, whatever version the machine has.
SHELL := bash
.DEFAULT_GOAL := help
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
NODE := $(CURDIR)/node_modules/.bin/node
# Files of tests run side by side, those that take long first. A process runs one after the other and keeps its control plane for the next.
MOCHA := mocha --parallel --jobs $(shell expr 2 '*' $$(nproc))
SPECS := 'test/{soak,trio,model,fleet-model}/*.spec.ts' 'test/e2e/*.spec.ts' 'test/!(soak|trio|model|fleet-model|e2e|node|kueue)/**/*.spec.ts'

.PHONY: help demo test test-quick test-rest test-all test-titles test-models mutate test-node test-kueue test-karpenter verify lint build bench soak trio clean generate control-plane helm old-nodes prometheus judges executable image image-docker release sbom

help: ## Show what there is to run
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

node_modules/.installed: package.json package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: install version 10 or newer, with any Node.js; make runs everything with its own Node.js 24"; exit 3; }
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

demo: build ## Partition four simulated GPU nodes on an embedded Kubernetes (KEEP=1 leaves it running)
	@exec $(NODE) src/simulator/demo/main.ts $(if $(KEEP),--keep)

# The tag of a test says where it runs last: @all in test-all, @slow in test.
test: build control-plane helm ## Run each behaviour once, on Kubernetes' own control plane: before a pull request
	@exec $(MOCHA) --invert --grep @all $(SPECS)

test-quick: node_modules/.installed lint ## Check types, lint, and run the tests that need neither a control plane nor a build: a minute
	@tsc
	@exec $(MOCHA) --invert --grep '@(slow|all)' 'test/{controller,core,kubelet,process}/**/*.spec.ts'

test-rest: build executable control-plane helm old-nodes prometheus judges ## Run what test leaves to test-all: all seeds, planted bugs, soak, faults at every step
	@$(MAKE) --no-print-directory image || echo "no image, which takes Debian 12's apt: its tests skip themselves"
	@exec $(MOCHA) --grep @all $(SPECS)

test-all: test test-rest test-node ## Run all tests: 40 minutes

test-titles: node_modules/.installed ## List the titles of all tests, without their tags, to compare two versions
	@mocha --dry-run --reporter json $(SPECS) 'test/node/*.spec.ts' | \
	  $(NODE) -p 'JSON.parse(fs.readFileSync(0)).tests.map((test) => `$${path.relative(".", test.file)}: $${test.fullTitle.replaceAll(/ @(?:all|slow)\b/g, "")}`).sort().join("\n")'

test-models: node_modules/.installed ## Play more stories in the models of a node and of a fleet (SEEDS=5000, FIRST_SEED=N for others)
	@MODEL_SEEDS=$(or $(SEEDS),5000) $(if $(FIRST_SEED),MODEL_FIRST_SEED=$(FIRST_SEED)) mocha --parallel --jobs 2 test/{model/model,fleet-model/fleet-model}.spec.ts

mutate: node_modules/.installed ## Change src/core in small ways and list what no test notices (FILES=src/core/rollout, SAMPLE=400, SEED=2, STORIES=20, AGAIN=log, SPECS=glob); hours
	@$(if $(FILES),FILES='$(FILES)') $(if $(SAMPLE),SAMPLE=$(SAMPLE)) $(if $(SEED),SEED=$(SEED)) $(if $(STORIES),STORIES=$(STORIES)) $(if $(AGAIN),AGAIN='$(AGAIN)') $(if $(SPECS),SPECS='$(SPECS)') nice $(NODE) test/mutation/main.ts

test-node: build control-plane helm ## Run the tests on a real kubelet and containerd (root and namespaces; else says why not)
	@$(MAKE) --no-print-directory release dist/previous/.released || echo "no image, which takes Debian 12's apt"
	@exec $(NODE) test/node/main.ts mocha 'test/node/*.spec.ts'

test-kueue: build control-plane ## Run a demand from Kueue with Kueue itself (root, Go; 5 minutes to build it the first time)
	@exec mocha 'test/kueue/*.spec.ts'

test-karpenter: build control-plane ## Give Karpenter's own scheduler what export karpenter writes (Go; 3 minutes to build it the first time)
	@$(NODE) build/go-tools.mjs karpenter >/dev/null
	@exec mocha test/cli/commands/export-nodes.spec.ts --grep Karpenter

verify: node_modules/.installed generate lint ## Check types, lint, format, structure, prose and generated files
	@tsc
	@oxfmt --check src test build
	@$(NODE) build/check-rooms.mjs
	@$(NODE) build/check-types.mjs
	@$(NODE) build/check-prose.mjs
	@knip --no-progress && knip --no-progress --production || { echo "nobody uses these (after --production: nobody but tests): delete them, or do not export them; see knip.jsonc"; exit 1; }
	@$(NODE) build/check-reproducible.mjs
	@git diff --exit-code --stat -- src/api/generated charts docs/{api,configuration,metrics}.md docs/internal/{api,messages,benchmark-rows,fault-catalogue}.md || { echo "generated files are stale: commit what make generate wrote"; exit 1; }

lint: node_modules/.installed ## Lint with type-aware rules and import rules per folder
	@oxlint --type-aware --deny-warnings src test build

generate: node_modules/.installed ## Make types, validators and the chart's copies from crds/ and config/
	@$(NODE) build/generate.mjs

build: dist/.built ## Bundle the programs into dist/

dist/.built: node_modules/.installed package.json docs/errors.md $(shell find src build -type f)
	@$(NODE) build/bundle.mjs
	@touch $@

control-plane: node_modules/.installed ## Build Kubernetes' control plane into the cache (7 minutes the first time)
	@$(NODE) src/simulator/control-plane/main.ts build >/dev/null

helm: node_modules/.installed ## Build Helm into the cache, for the tests of the chart (2 minutes the first time)
	@$(NODE) test/support/helm.ts >/dev/null

old-nodes: node_modules/.installed ## Install the oldest promised Node.js and an outdated one into the cache, for the tests of the bundles
	@$(NODE) test/support/old-nodes.ts >/dev/null

prometheus: node_modules/.installed ## Build Prometheus and promtool into the cache, for the tests of alerts and dashboard (6 minutes the first time)
	@$(NODE) build/go-tools.mjs prometheus >/dev/null

judges: node_modules/.installed ## Build kubeconform, operator-verify, krew and Ignition's validator into the cache, for the tests of a release (2 minutes the first time)
	@$(NODE) build/go-tools.mjs judges ignition >/dev/null

bench: build ## Measure speed, writes and memory; prints JSON lines
	@$(NODE) test/bench/main.ts

soak: build control-plane ## Let people and faults act on 100 nodes for hours, and judge (HOURS=1, NODES=100, SEED=N, SOAK_MINUTES=5)
	@$(if $(HOURS),HOURS=$(HOURS)) $(if $(SOAK_MINUTES),SOAK_MINUTES=$(SOAK_MINUTES)) $(if $(NODES),NODES=$(NODES)) $(if $(SEED),SEED=$(SEED)) $(NODE) test/soak/main.ts

trio: build control-plane ## Kill, delay and blind a program at every write of a change, one after the other; hours
	@TRIO=all exec mocha test/trio/trio.spec.ts

executable: dist/.executable ## Write the command as one file that needs no Node.js, for amd64 and arm64, to dist/

dist/.executable: dist/.built
	@$(NODE) build/executable.mjs
	@touch $@

image: dist/.image ## Write the container image of amd64 and arm64 as OCI archives to dist/, without Docker (Debian 12's apt; or DEBIAN_SOURCES=folder)

dist/.image: dist/.built dist/.commit build/debian-packages.json
	@$(NODE) build/image.mjs
	@touch $@

# Which commit an image is of is written on it.
.PHONY: FORCE
dist/.commit: FORCE
	@mkdir -p dist && git rev-parse HEAD | cmp -s - $@ || git rev-parse HEAD >$@

image-docker: build ## Build the image of the Dockerfile instead (PLATFORMS=linux/amd64,linux/arm64 needs buildx and a registry: PUSH=1)
	docker buildx build --platform $(or $(PLATFORMS),linux/amd64) $(if $(PUSH),--push,--load) --provenance=$(if $(PUSH),mode=max,false) \
	  --build-arg VERSION=$$($(NODE) -p "require('./package.json').version") --build-arg REVISION=$$(git rev-parse HEAD) \
	  -t $(or $(IMAGE),gpu-partition-operator:dev) .

release: executable image $(if $(KUBECTL),,control-plane) ## Write all files of a release to release/ (IMAGE=…, RELEASE_URL=…, SOURCE_URL=… as they will be; KUBECTL=kubectl instead of our own)
	@$(if $(IMAGE),IMAGE='$(IMAGE)') $(if $(RELEASE_URL),RELEASE_URL='$(RELEASE_URL)') $(if $(SOURCE_URL),SOURCE_URL='$(SOURCE_URL)') $(if $(KUBECTL),KUBECTL='$(KUBECTL)') $(NODE) build/release.mjs

# The release before this one, for tests of an upgrade: the same source under an earlier number.
dist/previous/.released: dist/.built
	@rm -rf dist/previous && mkdir -p dist/previous
	@git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --create | tar --extract --directory dist/previous
	@ln -s ../../node_modules dist/previous/node_modules
	@now=$$($(NODE) -p "require('./package.json').version"); \
	  before=$$($(NODE) -p "const [a, b, c] = '$$now'.split('.').map(Number); c > 0 ? [a, b, c - 1].join('.') : [a, b - 1, 99].join('.')"); \
	  cd dist/previous && sed -i "s/^\(  \"version\": \"\|version: \|appVersion: \|## \)$$now\b/\1$$before/" package.json charts/gpu-partition/Chart.yaml CHANGELOG.md
	@$(MAKE) --no-print-directory --directory dist/previous --old-file node_modules/.installed IMAGE= release
	@touch $@

sbom: node_modules/.installed ## Write the list of what the bundles are made of to dist/sbom.cdx.json (CycloneDX)
	@mkdir -p dist && $(NODE) build/sbom.mjs > dist/sbom.cdx.json

clean: ## Remove what was built and installed here (the control plane's cache stays)
	rm -rf dist release node_modules coverage .demo
