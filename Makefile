# One way to run everything. `make` alone says what there is.
.DEFAULT_GOAL := help
VENV := .venv
PYTHON := $(VENV)/bin/python
REQUIREMENTS := requirements/development.txt
# A worker whose tests are done takes some of another. Each reads all tests first: four are enough,
# also where two cores do, as the engine's tests wait half of the time.
WORKERS := --dist worksteal --maxprocesses 4 --numprocesses

.PHONY: help
help: ## Say what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

.PHONY: venv
venv: $(VENV)/ready ## Make .venv from the pinned requirements

$(VENV)/ready: $(REQUIREMENTS) pyproject.toml
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --require-hashes --requirement $(REQUIREMENTS)
	$(VENV)/bin/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

.PHONY: lab
lab: venv ## Build and run the whole mesh on this Linux machine (root)
	$(VENV)/bin/lab up

.PHONY: check
check: venv ## Everything that is quick: style, types, unit tests
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/pyright
	$(VENV)/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*
	$(VENV)/bin/zizmor --offline --persona=auditor --quiet .github/workflows
	$(VENV)/bin/pytest $(WORKERS) logical

.PHONY: preview
preview: venv ## What a stack would be, and what changes: make preview STACK=east [BASE=main]
	$(if $(STACK),,$(error which stack? write STACK=east))
	$(VENV)/bin/mesh preview '$(STACK)' $(if $(BASE),--base '$(BASE)')

.PHONY: test
test: venv policy ## Everything: what is quick, then the real engine, then the whole lab (root)
	$(VENV)/bin/lab build
	$(MAKE) check
	$(VENV)/bin/pytest $(WORKERS) 4 -m engine
	$(VENV)/bin/pytest -m dns
	$(VENV)/bin/pytest -m lab

.PHONY: policy
policy: policy/.venv/ready ## Make policy/.venv, which `pulumi --policy-pack policy` needs

policy/.venv/ready: policy/requirements.txt
	python3 -m venv policy/.venv
	policy/.venv/bin/pip install --quiet --require-hashes --requirement $<
	touch $@

.PHONY: requirements
requirements: venv ## Pin what requirements/*.in ask for, with hashes
	for name in program lab development; do \
	  $(VENV)/bin/uv pip compile --quiet --generate-hashes --no-emit-index-url --python-version 3.11 \
	    --custom-compile-command "make requirements" \
	    requirements/$$name.in --output-file requirements/$$name.txt || exit; \
	done
	$(VENV)/bin/uv pip compile --quiet --generate-hashes --no-emit-index-url --python-version 3.11 \
	  --custom-compile-command "make requirements" policy/requirements.in \
	  --output-file policy/requirements.txt

.PHONY: drills
drills: venv ## Long failure drills in the lab: killed engines, failing nodes (root)
	$(VENV)/bin/pytest -m drill -s
