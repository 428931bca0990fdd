# Everyday commands; `just` lists them.

default:
    @just --list

# build both executables into bin/
build:
    go build -o bin/ ./cmd/...

# the quick suite
test:
    go test ./...

# everything CI runs, long suites included
ci:
    bash .ci/run

# measure; docs/performance.org says what the numbers mean
bench pattern=".":
    go test -run '^$' -bench '{{pattern}}' -benchmem ./...

# rewrite golden files after looking at the difference
golden:
    git grep -lE 'flag\.Bool\("update"' -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|' | xargs -I{} go test {} -update

# fuzz every parser for a while
fuzz seconds="20":
    #!/usr/bin/env bash
    set -euo pipefail
    grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u | while read -r dir; do
      for target in $(grep -ho '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go | sed 's/func //'); do
        echo "$dir $target"
        go test -run '^$' -fuzz "^$target\$" -fuzztime {{seconds}}s "$dir"
      done
    done

# preview 1 programs of the WASI test suite, fetched at the commit that was measured
wasi-testsuite dir="/tmp/wb-wasi-testsuite":
    test -d {{dir}} || git clone --branch prod/testsuite-base https://github.com/WebAssembly/wasi-testsuite {{dir}}
    git -C {{dir}} checkout -q 9f80ca35444cfd9e63100725615140a346652e6c
    WB_WASI_TESTSUITE={{dir}}/tests go test -tags long ./sandbox -run TestWASITestsuite -v

# org-ql's own result tests, fetched at the commit that was measured
org-ql-suite dir="/tmp/wb-org-ql":
    test -d {{dir}} || git clone https://github.com/alphapapa/org-ql {{dir}}
    git -C {{dir}} checkout -q 4b8330a683c43bb4a2c64ccce8cd5a90c8b174ca
    WB_ORG_QL={{dir}} go test -tags long ./org/oql -run 'TestSuite$' -v

# hold wb against a folder of org files, which stays as it is
world dir:
    WB_WORLD='{{absolute_path(dir)}}' go test -tags long -timeout 4h -count 1 -v -run World ./internal/test/world

# make a site of a folder of org files as it is, and follow every link in it
world-site dir:
    WB_WORLD='{{absolute_path(dir)}}' go test -tags long -timeout 1h -count 1 -v -run WorldSite ./internal/test/world

# archives of a release for all systems, signed; the same commit makes the same bytes
release dir *targets:
    ./.ci/release '{{dir}}' {{targets}}

# an OCI image that holds wb and nothing else
image file arch="":
    ./.ci/image '{{file}}' {{arch}}

# run the Emacs Lisp blocks with recorded results of a folder in Emacs and in wb, in copies
elisp-world dir:
    WB_ELISP_FILES='{{absolute_path(dir)}}' go test -tags long -timeout 2h -count 1 -v -run TestRecordedLisp ./workbook/run
