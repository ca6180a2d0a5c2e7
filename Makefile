.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
PYTHON := $(VENV)/bin/python
LOCAL := $(PYTHON) -m deploy.local
TEST_ROOT := .local/test
# The whole suite runs on two stacks at once.
SECOND_TEST_ROOT := .local/test-2
# Newer than the requirements once everything in them is installed.
INSTALLED := $(VENV)/.installed

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: $(INSTALLED) ## start everything and show its log; PORT=8000, DEMO_PRODUCTS=20000; Ctrl-C stops
	@$(LOCAL) run

.PHONY: test
test: $(INSTALLED) ## all tests; T=path for some, with servers and a database that stay; ARGS for pytest
ifdef T
	@$(LOCAL) exec --root $(TEST_ROOT) --keep -- $(PYTHON) -m pytest --reuse-db $(T) $(ARGS)
else
	@$(LOCAL) lanes --root $(TEST_ROOT) --beside $(SECOND_TEST_ROOT) -- $(PYTHON) -m pytest $(ARGS)
endif

.PHONY: bench
bench: $(INSTALLED) ## B=checkout: sales per second; B=sync: lag of the copies; B=purchase: what a purchase costs each server; B=attack: what buyers notice; B=desk: support's pages; B=merchandise: pages and bulk changes of the catalog; B=sheets: import and export; B=drivers: ways to MongoDB; B=peers: the servers of Node; B=load: times at a rate, and the highest rate; B=search: how good the search is, and what it costs; ARGS for options
	@$(LOCAL) exec --root $(TEST_ROOT) --keep -- $(PYTHON) -m bench.$(or $(B),checkout) $(ARGS)

.PHONY: screenshots
screenshots: $(INSTALLED) ## the admin's main pages as PNG into .local/screenshots; SCREENSHOTS=folder for another
	@$(LOCAL) exec --root $(TEST_ROOT) --keep -- $(PYTHON) -m pytest -q --no-header admin_ext/tests/browser/screenshots.py $(ARGS)

.PHONY: lint
lint: $(INSTALLED) ## formatting, types, imports, migrations, settings, known vulnerabilities
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy .
	$(VENV)/bin/lint-imports
	$(PYTHON) manage.py makemigrations --check --dry-run --settings deploy.local.offline_settings
	$(PYTHON) manage.py check
	$(PYTHON) -m deploy.audit requirements-dev.txt

.PHONY: format
format: $(INSTALLED) ## format the code and repair what can be repaired
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

.PHONY: schema
schema: $(INSTALLED) ## write gateway/schema.graphql and docs/reference.md from the code
	$(PYTHON) manage.py export_schema gateway.graphql.schema --path gateway/schema.graphql
	$(PYTHON) manage.py reference

.PHONY: stop
stop: ## stop all servers, those of the tests too; data stays
	@if [ -e $(INSTALLED) ]; then \
		$(LOCAL) stop && $(LOCAL) stop --root $(TEST_ROOT) && $(LOCAL) stop --root $(SECOND_TEST_ROOT); \
	fi

.PHONY: status
status: $(INSTALLED) ## show every server
	@$(LOCAL) status; status=$$?; \
	for root in $(TEST_ROOT) $(SECOND_TEST_ROOT); do \
		if [ -e $$root/run/stack.json ]; then echo; echo "$$root:"; $(LOCAL) status --root $$root; fi; \
	done; \
	exit $$status

.PHONY: clean
clean: ## stop all servers and remove their data and logs
	@if [ -e $(INSTALLED) ]; then \
		$(LOCAL) clean && $(LOCAL) clean --root $(TEST_ROOT) && $(LOCAL) clean --root $(SECOND_TEST_ROOT); \
	fi

# One set of pins for every Python that pyproject.toml names: the oldest decides, markers tell where a newer one differs.
LOCK := $(VENV)/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--no-emit-index-url --no-emit-find-links --generate-hashes --no-header $(if $(UPGRADE),--upgrade)

.PHONY: lock
lock: $(INSTALLED) ## pin the packages of pyproject.toml; UPGRADE=1 takes newer ones
	$(LOCK) --output-file requirements.txt
	@# The second file adds only what development needs beyond the first.
	grep -v '^-r ' requirements-dev.txt > $(VENV)/requirements-dev.txt
	$(LOCK) --extra dev --constraint requirements.txt --output-file $(VENV)/requirements-dev.txt \
		$$(sed -n 's/^\([a-z0-9._-]*\)==.*/--no-emit-package \1/p' requirements.txt)
	{ echo "-r requirements.txt"; sed '/^# The following packages were excluded/,$$d' $(VENV)/requirements-dev.txt; } > requirements-dev.txt

# Interrupted at any point, it is taken up again: a half-made virtualenv is made anew, pip completes a half-done install.
$(INSTALLED): requirements.txt requirements-dev.txt
	@if ! $(PYTHON) -m pip --version > /dev/null 2>&1; then \
		python=$$(sh deploy/local/python.sh) || exit 1; \
		echo "virtualenv $(VENV) with $$("$$python" --version)"; \
		"$$python" -m venv --clear $(VENV); \
	fi
	@echo "packages   installing requirements-dev.txt into $(VENV)"
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@
