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

# the same programs as components, made by jco (npm) with the Bytecode Alliance's adapter
wasi-components dir="/tmp/wb-wasi-testsuite" jco="/tmp/wb-jco":
    test -d {{dir}} || git clone --branch prod/testsuite-base https://github.com/WebAssembly/wasi-testsuite {{dir}}
    git -C {{dir}} checkout -q 9f80ca35444cfd9e63100625715140a346652e6c
    mkdir -p {{jco}} && cd {{jco}} && npm i --no-fund --no-audit @bytecodealliance/jco
    for core in $(find {{dir}}/tests -path '*wasip1*' -name '*.wasm' ! -name '*.component.wasm'); do \
      {{jco}}/node_modules/.bin/jco new "$core" --adapt wasi_snapshot_preview1={{jco}}/node_modules/@bytecodealliance/jco/lib/wasi_snapshot_preview1.command.wasm -o "${core%.wasm}.component.wasm"; done
    WB_WASI_COMPONENTS={{dir}}/tests go test -tags long ./sandbox -run TestComponents -count 1 -v

# a program in JavaScript, made a component by componentize-js (npm), asks servers by wasi:http
wasi-http dir="/tmp/wb-wasi-http":
    mkdir -p {{dir}} && cd {{dir}} && npm i --no-fund --no-audit @bytecodealliance/componentize-js@0.23.0 @bytecodealliance/preview2-shim
    node compile/wasm/testdata/wasi-http/make.mjs {{dir}}/node_modules/@bytecodealliance/componentize-js {{dir}}/fetch.wasm
    WB_WASI_HTTP={{dir}} go test -tags long ./compile/wasm -run TestFetchComponent -count 1 -v

# org-ql's own result tests, fetched at the commit that was measured
org-ql-suite dir="/tmp/wb-org-ql":
    test -d {{dir}} || git clone https://github.com/alphapapa/org-ql {{dir}}
    git -C {{dir}} checkout -q 4b8330a683c43bb4a2c64ccce8cd5a90c8b174ca
    WB_ORG_QL={{dir}} go test -tags long ./org/oql -run 'TestSuite$' -v

# ask org-ql and wb the same over a folder of org files; load is where dash, s, ts, peg and compat lie, by colons
org-ql-world dir load org-ql="/tmp/wb-org-ql":
    test -d {{org-ql}} || git clone https://github.com/alphapapa/org-ql {{org-ql}}
    git -C {{org-ql}} checkout -q 4b8330a683c43bb4a2c64ccce8cd5a90c8b174ca
    WB_ORG_QL='{{org-ql}}' WB_ORG_QL_LOAD='{{load}}' WB_ORG_CORPUS='{{absolute_path(dir)}}' go test -tags long -timeout 4h ./org/oql -run 'TestOrgQL$' -count 1 -v

# ask sqlite3 and wb the same about a million events
events-world:
    go test -tags long -timeout 1h ./org/oql -run TestEventsLikeSQLite -count 1 -v

# judge the search by the Cranfield collection: a folder with cran.all.1400, cran.qry and cranqrel
cranfield dir out="/tmp/wb-cranfield":
    WB_CRANFIELD='{{absolute_path(dir)}}' WB_CRANFIELD_OUT='{{out}}' go test -tags long ./search -run TestCranfield -count 1 -v
    go run ./cmd/wb search --eval '{{out}}/qrels.org'

# hold wb against a folder of org files, which stays as it is
world dir:
    WB_WORLD='{{absolute_path(dir)}}' go test -tags long -timeout 4h -count 1 -v -run World ./internal/test/world

# make a site of a folder of org files as it is, and follow every link in it
world-site dir:
    WB_WORLD='{{absolute_path(dir)}}' go test -tags long -timeout 1h -count 1 -v -run WorldSite ./internal/test/world

# numpy's own tests, all of them, in the sandbox
numpy-suite:
    NUMPY_TESTS=all go test -tags long -timeout 2h -count 1 -v -run TestNumpySuite ./compile/python

# matplotlib's own tests, a sample of its files, in the sandbox
matplotlib-suite:
    go test -tags long -timeout 2h -count 1 -v -run TestMatplotlibSuite ./compile/python

# public numpy notebooks in the sandbox, compared with what they recorded; fetched at the commits that were measured
numpy-notebooks dir="/tmp/wb-numpy-notebooks":
    #!/usr/bin/env bash
    set -euo pipefail
    mkdir -p '{{dir}}'
    while read -r name commit; do
      at='{{dir}}'/"${name#*/}"
      test -d "$at" || git clone "https://github.com/$name" "$at"
      git -C "$at" checkout -q "$commit"
    done <<'END'
    Kyubyong/numpy_exercises cb90db29a15fda02638cb32465c6346abf3ae19e
    donnemartin/data-science-ipython-notebooks 5b3c00d462c6e9200315afe46d0093948621eb95
    jrjohansson/scientific-python-lectures a2a76136ac06ff5fa91343ae095f1223c914d944
    KeithGalli/NumPy 63405815b142c6d6b1b5e37cf625945c1afe67d8
    ine-rmotr-curriculum/freecodecamp-intro-to-numpy eb0499b228f91a37f09920e4fde44872e0e68514
    ageron/handson-mlp 3bac4bf60da763f0ea4052fa8141add095c86b82
    END
    NUMPY_NOTEBOOKS='{{dir}}' go test -tags long -timeout 1h -count 1 -v -run TestNumpyNotebooks ./compile/python

# the Model Context Protocol's own suite against `wb mcp`, and real MCP servers against wb's client
mcp-conformance:
    go test -tags long -count 1 -v -run 'TestConformance|TestRealServers' ./serve/mcp ./agent/mcptools

# how many requests to models the tests make, and how many OpenAI's own schema refuses
openai-schema:
    ./.ci/openai
    rm -f /tmp/wb-judged; git grep -l internal/test/llmtest -- '*_test.go' | xargs -n1 dirname | sort -u | sed 's|^|./|' | WB_OPENAI_JUDGED=/tmp/wb-judged xargs go test -count 1
    sort /tmp/wb-judged | uniq -c

# archives of a release for all systems, signed; the same commit makes the same bytes
release dir *targets:
    ./.ci/release '{{dir}}' {{targets}}

# what Windows and macOS would say, as far as Linux can tell
windows:
    ./.ci/windows vet

# an OCI image that holds wb and nothing else
image file arch="":
    ./.ci/image '{{file}}' {{arch}}

# run the Emacs Lisp blocks with recorded results of a folder in Emacs and in wb, in copies
elisp-world dir:
    WB_ELISP_FILES='{{absolute_path(dir)}}' go test -tags long -timeout 2h -count 1 -v -run TestRecordedLisp ./workbook/run

# carry out the custom agenda commands of a folder of init files in Emacs and in wb; load is where Emacs finds use-package, by colons
agenda-world dir load="":
    WB_AGENDA_INITS='{{absolute_path(dir)}}' WB_AGENDA_LOAD='{{load}}' go test -tags long -timeout 1h -count 1 -v -run TestAgendaCommandsLikeEmacs ./app

# compare the pages that wb and Emacs make of a folder of org files, as a browser reads them, construct by construct
dom dir out="/tmp/wb-dom":
    WB_ORG_LISP="$(./.ci/org)" WB_WORLD='{{absolute_path(dir)}}' WB_DOM_OUT='{{absolute_path(out)}}' go test -tags long -timeout 4h -count 1 -v -run TestDOM ./internal/test/world

# citations and bibliographies by styles of CSL beside those of Emacs, with citeproc.el at the commit that was measured
csl-emacs dir="/tmp/wb-citeproc-el":
    test -d {{dir}} || git clone https://github.com/andras-simonyi/citeproc-el {{dir}}
    git -C {{dir}} checkout -q 4bde999a41803fe519ea80eab8b813d53503eebd
    mkdir -p {{dir}}/needs && cd {{dir}}/needs && test -d usr || { apt-get download elpa-dash elpa-f elpa-parsebib elpa-queue elpa-s elpa-compat; for p in *.deb; do dpkg -x "$p" .; done; }
    WB_CITEPROC_LISP="$(./.ci/org):{{dir}}:$(echo {{dir}}/needs/usr/share/emacs/site-lisp/elpa-src/* | tr ' ' :)" go test -tags long -count 1 -v -run TestCitationsBesideEmacs ./publish/page

# requests that AWS's own suite of signatures has, fetched at the commit that was measured
sigv4-suite dir="/tmp/wb-aws-c-auth":
    test -d {{dir}} || git clone https://github.com/awslabs/aws-c-auth {{dir}}
    git -C {{dir}} checkout -q 495329c2433034bd8fd53fc6ba9e0202d3fac876
    WB_SIGV4_SUITE={{dir}}/tests/aws-signing-test-suite/v4 go test -tags long ./internal/s3 -run TestSigningSuite -count 1 -v

# copies of volumes in a real S3 server, versitygw, and what a killed process leaves there
s3-volumes dir="/tmp/wb-s3" port="7070":
    mkdir -p {{dir}}/data/backup
    GOFLAGS= GOBIN={{dir}} go install github.com/versity/versitygw/cmd/versitygw@v1.8.0
    {{dir}}/versitygw --port 127.0.0.1:{{port}} --access wb --secret not-a-secret posix {{dir}}/data >{{dir}}/log 2>&1 & trap "kill $!" EXIT; sleep 2; \
      AWS_ENDPOINT_URL=http://127.0.0.1:{{port}} AWS_ACCESS_KEY_ID=wb AWS_SECRET_ACCESS_KEY=not-a-secret WB_S3_TARGET=s3://backup go test -tags long ./sandbox/dock/replica -run TestS3 -count 1 -v
