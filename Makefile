# Every target sets up what it needs: `make demo` or `make test` is all that a fresh machine takes.
SHELL := /bin/sh
.DEFAULT_GOAL := help

BIN := .venv/bin
READY := .venv/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq -c constraints.txt

# The first Python of a supported version that can make a virtual environment.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import ensurepip, sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' \
	2>/dev/null && echo $$p && break; done)

# Tests run two at a time, so that each keeps to one thread.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/python -m pytest -q -n 2 --dist=worksteal

.PHONY: help setup demo test test-slow check format bench papers clean distclean

help: ## print this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

setup: $(READY) ## make .venv with the pinned versions (all other targets do it themselves)
	@:

$(READY): pyproject.toml constraints.txt
	@if ! $(BIN)/python -c '' 2>/dev/null; then \
	  test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 with venv is needed: make PYTHON=/path/to/python" >&2; exit 1; }; \
	  echo "Setting up .venv (once, about a minute)"; \
	  $(PYTHON) -m venv --clear .venv; fi
	@$(PIP) hatchling editables
	@$(PIP) --no-build-isolation -e '.[dev]'
	@touch $@

demo: $(READY) ## train on owls named by six doubtful readers; write a report to open
	@$(ONE_THREAD) $(BIN)/python examples/demo.py

test: $(READY) ## all tests but the slow ones, doctests included
	@$(PYTEST)

test-slow: $(READY) ## the longer proofs
	@HYPOTHESIS_PROFILE=thorough $(PYTEST) -m slow

check: $(READY) ## format, lint, types, import directions
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

format: $(READY) ## bring every file into the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY) ## time the library against its rivals (some minutes, quiet machine)
	@$(PIP) --no-deps scikit-multilearn-ng
	@$(BIN)/python benchmarks/run.py

papers: $(READY) ## run the papers' experiments (two hours; QUICK=1: minutes, pages go to /tmp)
	@$(PIP) --no-deps scikit-multilearn-ng
	@$(ONE_THREAD) $(BIN)/python -m papers $(if $(QUICK),--quick) $(NAMES)

clean: ## remove caches and what the demo wrote
	@rm -rf demo dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find src tests examples benchmarks papers -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove .venv as well
	@rm -rf .venv
