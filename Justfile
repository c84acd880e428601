# Everything a person or CI does here. `just` alone lists it.
set positional-arguments

python := ".venv/bin/python"

# List what there is.
default:
    @just --list --unsorted

# Measure the reference daemon, debug build: quality, latency, a report in reports/.
eval *args: _setup
    @{{ python }} -m harness eval "$@"

# The same with the release build: the only source of a latency worth quoting.
eval-release *args: _setup
    @{{ python }} -m harness eval --build release "$@"

# Compare two reports, worst change first; fails on a regression beyond 0.02.
compare base new *args: _setup
    @{{ python }} -m harness compare "$@"

# Accept what retrieval does today as the baseline: deliberate, reviewed like code.
baseline *args: _setup
    @{{ python }} -m harness baseline "$@"

# Run the tests: harness, then the daemon's own against an embedded Postgres.
test *args: _setup-dev
    {{ python }} -m pytest -m "not slow" "$@"
    {{ python }} -m harness postgres -- images/palace/.venv/bin/python -m pytest images/palace

# The gate on baselines/core.json, and every planted fault that must turn it red.
test-slow *args: _setup-dev
    {{ python }} -m harness gate
    {{ python }} -m pytest -m slow "$@"

# Format check, lint, strict types on harness, daemon and tests, import directions.
check: _setup-dev
    {{ python }} -m ruff format --check . images/palace
    {{ python }} -m ruff check . images/palace
    {{ python }} -m mypy harness tests benchmarks
    cd images/palace && .venv/bin/python -m mypy palace tests benchmarks ../../tests/mutants/plant.py
    {{ python }} -m pytest -q tests/unit/test_architecture.py

# Format everything in place.
fmt: _setup-dev
    {{ python }} -m ruff format . images/palace
    {{ python }} -m ruff check --fix . images/palace

# Print speed as ratios measured within this one run (a few minutes).
bench *args: _setup-dev
    {{ python }} -m benchmarks "$@"

# Write the committed schemas again: the report's and the daemon's OpenAPI.
schemas: _setup-dev
    {{ python }} -m harness schema --write
    cd images/palace && .venv/bin/python -m palace openapi > openapi.json

# Resolve both lock files anew (hashes, no index addresses); review the change.
lock:
    python3 -m pip install --quiet --target .cache/uv uv==0.13.9
    .cache/uv/bin/uv pip compile {{ lockflags }} --group build pyproject.toml -o requirements.lock
    .cache/uv/bin/uv pip compile {{ lockflags }} --group build --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock
    cd images/palace && ../../.cache/uv/bin/uv pip compile {{ lockflags }} --group build pyproject.toml -o requirements.lock
    cd images/palace && ../../.cache/uv/bin/uv pip compile {{ lockflags }} --group build --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

lockflags := "--quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate"

# Remove the environments, caches and reports this clone made.
clean:
    rm -rf .venv images/palace/.venv .cache reports
    find . -name __pycache__ -prune -exec rm -rf {} +

_setup:
    @python3 harness/bootstrap.py

_setup-dev:
    @python3 harness/bootstrap.py --dev
