# Everything a person or CI does here. `just` alone lists what most people need;
# eval-matrix, fmt and lock are there too.
set positional-arguments

python := ".venv/bin/python"

# On every processor; those that count what an engine holds run alone, after them.
spread := "--numprocesses logical --dist loadfile"

# List what there is.
[private]
default:
    @just --list --unsorted

# Measure the reference daemon, debug build: quality, latency, a report in reports/.
eval *args: _setup
    @{{ python }} -m harness eval "$@"

# The same with the release build: the only source of a latency worth quoting.
eval-release *args: _setup
    @{{ python }} -m harness eval --build release "$@"

# Postgres 17 and 18 times debug and release: quality the same to the bit, speed as ratios.
[private]
eval-matrix *args: _setup
    @{{ python }} -m harness matrix "$@"

# Documents at scale, every mode proven to run, every embedder fault seen: smoke, 1k, 10k.
recall tier *args: _setup
    @{{ python }} -m harness recall "$@"

# LongMemEval from a downloaded file: is the session that holds the answer found?
longmemeval path *args: _setup
    @{{ python }} -m harness longmemeval "$@"

# Two builds at once, queries interleaved: is the candidate worse, or slower, for sure?
ab base candidate *args: _setup
    @{{ python }} -m harness ab "$@"

# List the container images; `--lock` writes what they resolve to, reviewed like code.
images *args: _setup
    @{{ python }} -m harness images "$@"

# Compare two reports, worst change first; fails on a regression beyond 0.02.
compare base new *args: _setup
    @{{ python }} -m harness compare "$@"

# Accept what retrieval does today as the baseline: deliberate, reviewed like code.
baseline *args: _setup
    @{{ python }} -m harness baseline "$@"

# Any other command: gate, reproduce, show, validate, sweep; `just harness --help` has all.
harness *args: _setup
    @{{ python }} -m harness "$@"

# Run the tests: harness, the daemon's own against an embedded Postgres, the embedder's.
test *args: _setup-dev
    {{ python }} -m pytest -m "not slow" {{ spread }} --ignore tests/docker --ignore tests/browser "$@"
    {{ python }} -m pytest -m "not slow" tests/docker tests/browser
    {{ python }} -m harness postgres -- images/palace/.venv/bin/python -m pytest images/palace
    images/palace/.venv/bin/python -m pytest images/embedder

# What takes minutes: every planted fault, killed and resumed runs, builds side by side.
test-slow *args: _setup-dev
    {{ python }} -m pytest -m slow {{ spread }} --ignore tests/docker "$@"
    {{ python }} -m pytest -m slow tests/docker

# Plant every fault, say which gate caught it and how, and count false alarms (minutes).
mutants *args: _setup-dev
    {{ python }} -m tests.mutants "$@"

# Format check, lint, strict types on harness, daemon and tests, import directions.
check: _setup-dev
    {{ python }} -m ruff format --check . images/palace
    {{ python }} -m ruff check . images/palace
    {{ python }} -m mypy harness tests benchmarks
    cd images/palace && MYPYPATH=../../tests/mutants .venv/bin/python -m mypy palace tests benchmarks ../../tests/mutants/plant*.py ../../tests/mutants/faults
    cd images/embedder && ../palace/.venv/bin/python -m mypy embedder tests
    {{ python }} -m pytest -q tests/unit/test_architecture.py

# Format everything in place, and write the committed schemas again.
[private]
fmt: _setup-dev
    {{ python }} -m ruff format . images/palace
    {{ python }} -m ruff check --fix . images/palace
    {{ python }} -m harness schema --write
    cd images/palace && .venv/bin/python -m palace openapi > openapi.json

# Print speed as ratios measured within this one run (a few minutes).
bench *args: _setup-dev
    {{ python }} -m benchmarks "$@"

# Resolve both lock files anew (hashes, no index addresses); review the change.
[private]
lock:
    python3 -m pip install --quiet --target .cache/uv uv==0.13.9
    .cache/uv/bin/uv pip compile {{ lockflags }} --group build pyproject.toml -o requirements.lock
    .cache/uv/bin/uv pip compile {{ lockflags }} --group build --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock
    cd images/palace && ../../.cache/uv/bin/uv pip compile {{ lockflags }} --group build pyproject.toml -o requirements.lock
    cd images/palace && ../../.cache/uv/bin/uv pip compile {{ lockflags }} --group build --group dev -c requirements.lock pyproject.toml -o requirements-dev.lock

lockflags := "--quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate"

# Remove what killed runs left in the engine, and all that this clone made but images.
clean:
    -@[ ! -x {{ python }} ] || {{ python }} -m harness sweep
    rm -rf .venv images/palace/.venv .cache reports
    find . -name __pycache__ -prune -exec rm -rf {} +

_setup:
    @python3 harness/bootstrap.py

_setup-dev:
    @python3 harness/bootstrap.py --dev
