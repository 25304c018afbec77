# Two commands for a fresh machine: `make demo` and `make test`.
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,$(shell \
	$(name) -c 'import sys; print("$(name)" if sys.version_info >= (3, 11) else "")' 2>/dev/null)))
VENV ?= .venv
BIN := $(VENV)/bin
WORKSPACE ?= .
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check readme wheel clean

# Index WORKSPACE (this repository by default) and ask it.
demo: $(VENV)/.installed
	@$(BIN)/python docs/demo.py $(BIN)/postil "$(WORKSPACE)"

test: check
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(VENV)/.complete
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The demo's output, into the README and its picture.
readme: $(VENV)/.installed
	$(BIN)/python docs/demo.py $(BIN)/postil . --svg docs/demo.svg --readme README.md

wheel: $(VENV)/.complete
	$(BIN)/python -m build --wheel

$(VENV)/.installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Postil needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11; set PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) can't make virtual environments; on Debian: apt install python3-venv"; exit 1; }
	@echo "installing Postil into $(VENV), once"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install -e .
	@touch $@

$(VENV)/.complete: $(VENV)/.installed
	@echo "installing the tools for the checks and tests, once"
	@$(PIP) install -e '.[dev,ollama,openai]'
	@touch $@

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
