# Every target is a line that can be typed by hand.

export CGO_ENABLED = 0

# One set of flags, so that what one target compiles serves the others. What a debugger reads is not written, and esapi,
# whose requests wait for a network, is not optimised, nor pgtype, of which pgconn needs one constant: compiling takes a
# fifth less time.
ESAPI = github.com/elastic/go-elasticsearch/v8/esapi
PGTYPE = github.com/jackc/pgx/v5/pgtype
build test test-long lint: export GOFLAGS ?= -trimpath '-gcflags=all=-dwarf=false' '-gcflags=$(ESAPI)=-dwarf=false -N -l' '-gcflags=$(PGTYPE)=-dwarf=false -N -l'

# Collecting garbage later saves a fifth of the CPU time.
build test test-long race lint: export GOGC ?= 400

build:
	@echo "Compiling otisk: about two minutes the first time, seconds afterwards."
	go build -ldflags=-w -o otisk ./cmd/otisk

# Index the sample collection, check the sample suspects, write the reports into demo/.
demo: build
	./otisk demo demo

# Start a server with the samples, and print its address.
demo-serve: build
	.ci/demo-serve

# Temporary files of tests are in memory if there is room.
test test-long race: export TMPDIR := $(shell .ci/tmpdir)

# Skipped tests are listed at the end. The packages that wait for servers and browsers come first, then the slowest ones, so that no core is idle at the end. One more package than there are cores runs at a time, so no core waits.
# Tests that start the program as a process share the one of make build. The engine that reads PDF is made once more, to compare it. make lint runs the analysers of go vet, which take more than a minute of CPU with all libraries.
test: export OTISK_TEST_PROGRAM ?= $(CURDIR)/otisk
test: build
	go run .ci/test.go -vet=off -timeout 30m -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) ./cmd/otisk ./esclient ./serve/attack ./report ./store/segment ./bench/hiding ./document ./... ./bench/...
	GOWORK=off go -C packaging test -vet=off -count 1 ./engine

# Tests that take minutes: the suites on every server, nodes and programs killed repeatedly, and random cases of which make
# test tries a third.
test-long:
	OTISK_TEST_LONG=1 go test -timeout 2h ./store/... ./esclient ./cmd/otisk ./corpus/... ./document/... ./indexer ./normalize ./report ./search ./serve/pages

# Generated requests to the API of a server, for a minute.
test-api:
	.ci/test-api

# Sign in at Keycloak, which Maven downloads, in a browser.
test-oidc:
	.ci/test-oidc

# Launch a server from a learning platform of PyPI.
test-lti:
	.ci/test-lti

# Run the clients of OJS and Open edX that OTISK_PKP_CLASS and OTISK_EDX_CLIENT name against a server.
test-tca:
	go test ./cmd/otisk -run TestTCA -count 1 -v

# Counts statements while readers read shapes of n and of 2n repetitions: no reader may take more than twice the work.
growth:
	go test ./document -run TestGrowth -covermode=count -coverpkg=./document/...,regexp,strings,bytes,encoding/xml,encoding/json,mime,mime/multipart,net/mail,net/textproto,golang.org/x/net/html,github.com/tdewolff/parse/v2/...

# The packages that share data between goroutines. Without atexit_sleep_ms, each program under the detector sleeps a second before it exits.
# The slowest packages come first, so that no core is idle at the end. What waits for browsers and other programs, kills
# programs, or is about words alone, is left out. So are scripts and tests of servers whose commands and requests differ
# from those of others by code without goroutines, and tests that count or damage what one goroutine reads. The C of
# SQLite, translated to Go, is not instrumented: it locks its own data, and the tests of serve/desk take 10 s of CPU
# instead of 65. Its driver, which is Go, must be: it has a sync.Map, whose code exists once in a program, and from a
# package without instruments that code orders nothing, so that the cache of encoding/json is reported as a race.
SERIAL = ^Test(Interpreter|Supervisor|ServePages|Recount.*|NoEnglish.*|HelpIsTranslated|MisuseIsTranslated|Documented.*|DocumentsNameWhatExists|DamagedIndex|FewOpenFiles|Stable.*|Kill.*|CorpusKill|CrawlKilled|Action|PreCommit|IntegrationsTyped|TCAPDF|Serve(LTI|OIDC|Admin|Archives|Bucket|Case|ClockBack|DeleteCheck|DeleteDocument|Forgotten|Members|Private)|AgreesWithCounting|SizesAgreeWithCounting|Mosaics|EachStepFails|NoAnswerFromDamage|PDFCovers|Innocent.*|HonestTheses|Formulas|Questions|Witnesses|UnlistedSources|TheirOwnIsListedHoweverLight|ExactSourcesOfTheirOwnAreListed|PassagesCanBeRecounted)$$|^TestScript$$/^($(QUIET))$$
QUIET = accents|also|bad|boilerplate|compare.*|contradictions|corpus_(language|scattered|stats)|date|doctor|encoding|errors|first|flags|heirs|label|lang|lexicon|metadata_paths|misc|misuse|names|ocr|old|output|own|pages.*|report|reshard|reviewed|revision|reworded|samename|sizes|spare|summary|text|types|unsearched|words
SHARING = ./store/segment ./cmd/otisk ./document ./check ./corpus/... ./document/ocr ./document/packed/blocks ./document/pdf \
  ./esclient ./gather/... ./indexer/... ./search ./serve/desk ./serve/jobs ./store/...
RACE = -race -gcflags='modernc.org/sqlite/lib=-race=false' -gcflags='modernc.org/libc=-race=false'
race:
	GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 go test $(RACE) -vet=off -short -skip '$(SERIAL)' $(SHARING)

# Compiles what make race runs, and links nothing.
race-compile:
	CGO_ENABLED=1 go list $(RACE) -test -export $(SHARING) >/dev/null

lint:
	test -z "$$(gofmt -l .)"
	go run .ci/lint.go ./... ./bench/...
	go run ./internal/prose

# Each fuzz target for some seconds: make fuzz FUZZTIME=60s.
FUZZTIME = 5s
fuzz:
	.ci/fuzz $(FUZZTIME)

# Prints times as ratios to a peer or a limit measured in the same run, beside the committed ratios. It also compiles
# everything and runs make test. With a folder of papers: make bench PAPERS=DIR.
PAPERS =
bench: build
	go run ./bench/table -otisk ./otisk -pdf '$(PAPERS)'

# Overwrite the golden files with the present output; read the diff.
golden:
	go test ./lang ./report ./search ./bench/pan -update

# Plants faults in a package and lists those that no test notices.
PACKAGE = ./search/exclude
mutants:
	go run ./bench/mutants $(PACKAGE)

# A release of a tagged commit: make release VERSION=v1.0.0. MINISIGN_KEY or COSIGN_KEY names the key that signs it.
release:
	packaging/release $(VERSION) out/$(VERSION)

# Whether two builds of a tagged commit are equal: make reproduce VERSION=v1.0.0.
reproduce:
	packaging/reproduce $(VERSION)

# Make the web site in out/site, with pictures of this version. Hugo is compiled the first time, in about two minutes.
site: build
	go run ./site ./otisk out/site

# Replace the pictures of reports in docs/ by those of this version, with the words that they show.
pictures: site
	cp out/site/report.png out/site/report.txt out/site/passage.png out/site/passage.txt docs/images/

# Make the site in a temporary folder, and check its links, search and accessibility.
test-site:
	OTISK_TEST_LONG=1 go test -timeout 60m ./site

# Write NOTICE, the licences of the libraries in the program, for a package or a container.
notice:
	GOWORK=off go -C packaging run ./notice

clean:
	rm -rf otisk demo NOTICE

.PHONY: build demo demo-serve test test-long test-api test-oidc test-lti test-tca growth race race-compile lint fuzz bench golden mutants release reproduce site pictures test-site notice clean
