#!/usr/bin/env bash
# Resolves the dependencies of server and client into lock files that hold hashes and no address of any index.
set -euo pipefail
cd "$(dirname "$0")/.."
UV="${UV:-uv}"

compile() {
    local project="$1"; shift
    "$UV" pip compile "$project" --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
        --no-header --no-emit-index-url --no-emit-find-links --no-annotate "$@"
}

compile pyproject.toml --output-file requirements.lock
compile clients/python/pyproject.toml --constraints requirements.lock --output-file clients/python/requirements.lock
compile pyproject.toml --group dev --extra otel --constraints requirements.lock --output-file requirements-dev.lock

# Clients and frameworks for the tests, servers for the benchmark and a tool, each in an environment of its own.
for wanted in tests/restarts/*.in tests/recipes/locks/*.in benchmarks/*.in scripts/*.in; do
    "$UV" pip compile "$wanted" --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
        --no-header --no-emit-index-url --no-emit-find-links --no-annotate --output-file "${wanted%.in}.lock"
done

if grep -nE '://|--(extra-)?index|--find-links' requirements.lock requirements-dev.lock clients/python/*.lock tests/restarts/*.lock tests/recipes/locks/*.lock benchmarks/*.lock scripts/*.lock; then
    echo "A lock file names an index." >&2
    exit 1
fi

FOLDERS="tests/conformance tests/gateway tests/restarts web"
for folder in $FOLDERS; do
    if command -v npm >/dev/null; then
        # From nothing: npm leaves out the packages of other platforms when it starts from an installed tree.
        scratch="$(mktemp -d)"
        cp "$folder/package.json" "$folder/.npmrc" "$scratch/"
        (cd "$scratch" && npm install --package-lock-only --ignore-scripts --loglevel=error)
        cp "$scratch/package-lock.json" "$folder/"
        rm -r "$scratch"
    fi
    if grep -n '"resolved"' "$folder/package-lock.json"; then
        echo "A lock file of npm names a registry." >&2
        exit 1
    fi
done
