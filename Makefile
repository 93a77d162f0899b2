# Every target is a line that can be typed by hand.

export CGO_ENABLED = 0

build:
	go build -trimpath -o otisk ./cmd/otisk

# Index the sample collection, check the sample suspects, show the reports.
demo: build
	./otisk index --index demo/index samples/collection
	./otisk search --index demo/index --format html,xml,text -o demo/reports samples/suspects
	@for report in demo/reports/*.out.txt; do sed '/^Paragraphs/,$$d' $$report; echo; done
	@echo "Open a report in a browser:"; ls demo/reports/*.html

# First what waits for servers, and one package more at a time than there are cores: the others run beside it.
test:
	go test -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) ./esclient ./...

# What takes minutes: whole suites on every server, nodes and programs killed again and again.
test-long:
	OTISK_TEST_LONG=1 go test -timeout 2h ./store/segment ./esclient ./cmd/otisk ./corpus/near

# Counts statements while readers read shapes of n and of 2n repetitions: no reader may take more than twice the work.
growth:
	go test ./document -run TestGrowth -covermode=count -coverpkg=./document/...,regexp,strings,bytes,encoding/xml,encoding/json,mime,mime/multipart,net/mail,net/textproto,golang.org/x/net/html,github.com/tdewolff/parse/v2/...

# The packages where several goroutines meet. Programs under the detector wait a second at their end unless they are told not to.
# What takes longest is first, so that no core is idle at the end.
race:
	GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 go test -race -vet=off -short ./store/segment ./cmd/otisk ./document ./check ./corpus/... ./document/container/... ./document/ocr \
	  ./esclient ./gather/... ./indexer ./lang ./search ./store/...

lint:
	test -z "$$(gofmt -l .)"
	go vet ./...
	go tool staticcheck ./...
	go run ./internal/prose -count

# Each fuzz target for some seconds: make fuzz FUZZTIME=60s.
FUZZTIME = 5s
fuzz:
	.ci/fuzz $(FUZZTIME)

# One table: what takes how long beside a peer or a limit, in the same run and in the committed table.
bench: build
	go run ./bench/table -otisk ./otisk

# Accept the present output as right; read the diff.
golden:
	go test ./report/... ./bench/pan -update

# Plants faults in a package and says which of them no test notices: docs/MUTANTS.md.
PACKAGE = ./search/exclude
mutants:
	go run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash $(PACKAGE) --timeout-coefficient 20

clean:
	rm -rf otisk demo

.PHONY: build demo test test-long growth race lint fuzz bench golden mutants clean
