# `make run` and `make test` need Python 3.11 or later, git and make; the rest is put into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

# Choose your own: make run PROJECT=~/my/repository, or make run WORKSPACE=~/notes/agents (or both).
WORKSPACE ?=
PROJECT ?=

.PHONY: run test slow e2e lint bench docs clean

run: $(STAMP)
ifeq ($(WORKSPACE)$(PROJECT),)
	@$(BIN)/nanoctx demo
else
	@set -eu; nanoctx="$(CURDIR)/$(BIN)/nanoctx"; workspace="$(patsubst ~/%,$(HOME)/%,$(WORKSPACE))"; \
	case "$$workspace" in ""|/*) ;; *) workspace="$(CURDIR)/$$workspace" ;; esac; \
	if [ -n "$$workspace" ]; then export NANOCTX_WORKSPACE="$$workspace"; fi; \
	cd "$(or $(patsubst ~/%,$(HOME)/%,$(PROJECT)),.)"; \
	"$$nanoctx" init $${workspace:+"$$workspace"}; \
	"$$nanoctx" observe || true; echo; "$$nanoctx" show context
endif

test: $(STAMP)
	$(BIN)/python -m pytest -m "not slow and not e2e" -n 2

slow: $(STAMP)
	$(BIN)/python -m pytest -m slow

# With the real Claude Code: npm gets it, no account is needed, and nothing leaves the machine.
e2e: $(STAMP)
	$(BIN)/python tests/e2e

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python bench/secrets.py
	$(BIN)/python bench/ingest.py
	$(BIN)/python bench/hook.py --peers
	$(BIN)/python bench/external.py

docs: $(STAMP)
	$(BIN)/python docs/make.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

# Installed in place, so only a change of the dependencies asks for another install.
$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "nanoctx needs Python 3.11 or later: make PYTHON=/path/to/python3.11 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,semantic]'
	@touch $@
