# gcdlab: `make run` tries a pattern, `make test` runs the tests. Both build what they need; Swift is all they ask for.

PREFIX   ?= /usr/local
SCENARIO ?= singleton-race
SWIFT    ?= swift
INPUTS   ?= 100000
SEED     ?= 1

# SwiftPM compiles all C again, and links what depends on it, if the environment differs from that of the last build. So what make adds to
# the environment is taken away.
override SWIFT := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u SHLVL -u SHORT -u PREFIX -u DESTDIR $(SWIFT)

# The released binary carries the Swift runtime, is not position independent, and carries the C library too where there
# is a static one: a worker starts for every trial, and loading shared libraries would be half of what that costs. There,
# the unwinder is to find its tables by their index, as it does in shared libraries: a table that is registered it sorts at
# first use, which is when the worker's first thread ends, and that takes longer than all the rest. So nothing registers.
# Foundation, which Yams, TextTable and Rainbow import, brings ICU with 34 MB of names of languages and zones: Tools/no-icu.c stands in
# for them, and where its name is not found, the binary is larger.
ifeq ($(shell uname -s),Linux)
NO_ICU  := $(CURDIR)/.build/no-icu.o
ICU     := $(shell nm --defined-only $(dir $(shell clang -print-resource-dir))../swift_static/linux/lib_FoundationICU.a 2>/dev/null | \
  grep -o 'icudt[0-9]*_dat')
RELEASE := -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --gc-sections \
  $(foreach name,$(ICU),-Xlinker $(NO_ICU) -Xlinker --wrap=$(name))
ifneq ($(filter /%,$(shell clang -print-file-name=libc.a)),)
UNREGISTERED := __register_frame_info __deregister_frame_info
# What a trace sees passes the wrappers of Sources/CDispatchSupport/Trace.c.
TRACED := $(shell sed -n 's/^\(BOTH\|LINKED\)(\(.*\))$$/\2/p' Sources/CDispatchSupport/Wrapped.h)
# Allocations pass Sources/CDispatchSupport/Allocations.c, which counts them while somebody asks.
COUNTED := malloc calloc realloc aligned_alloc posix_memalign
RELEASE += -Xswiftc -static-executable $(foreach name,$(TRACED) $(COUNTED),-Xlinker --wrap=$(name)) \
  $(foreach name,$(UNREGISTERED),-Xlinker --wrap=$(name) -Xlinker --defsym=__wrap_$(name)=0)
else
RELEASE += -Xswiftc -Xclang-linker -Xswiftc -no-pie
endif
else
RELEASE := -c release
endif
ifdef LIBDISPATCH
# A build beside the other one: what it compiles asks another directory for the libraries of Swift. Only linking it is repeated for
# another Dispatch.
DISPATCH := .build/libdispatch
BINARY   := $(DISPATCH)/release/gcdlab
RELEASE  += --scratch-path $(DISPATCH) -Xswiftc -resource-dir -Xswiftc $(CURDIR)/$(DISPATCH)/swift_static \
  -Xlinker $(CURDIR)/$(DISPATCH)/dispatch.o
else
BINARY   := .build/release/gcdlab
endif

VERSION := $(shell sed -n 's/.*version = "\(.*\)"/\1/p' Sources/Reporting/Tool.swift)
# Of the release, as in CHANGELOG.md.
DATE    := $(shell sed -n 's/^\#\# $(VERSION) (\([0-9-]*\))/\1/p' CHANGELOG.md)

# Examples by their sources: what they build is not ours to check.
SWIFT_FILES := Package.swift Sources Tests Tools Plugins SecondOpinion Benchmarks/Package.swift Benchmarks/Sources \
  $(wildcard Examples/*/Package.swift Examples/*/Sources)

.PHONY: run test build smoke bench fuzz intervals tallies tsan asan soak hardships elsewhere interrupts strangers second-opinion darwin-check sentences docs example lint format install dist uninstall clean help

run: build            ## build, then run SCENARIO (singleton-race; several names or .yml files run in turn)
	$(BINARY) scenario $(SCENARIO)

test:                 ## build and run the tests, or those that FILTER names (make test FILTER=JudgeTests)
	Tools/failures $(SWIFT) test $(if $(FILTER),--filter "$(FILTER)")

build: $(NO_ICU)      ## build the release binary; with LIBDISPATCH=DIR of another libdispatch.a than Swift's (docs/dispatch.md)
ifdef LIBDISPATCH
	Tools/libdispatch "$(LIBDISPATCH)" $(DISPATCH)
	rm -f $(BINARY)
endif
	$(SWIFT) build $(RELEASE) --product gcdlab

ifdef NO_ICU
$(NO_ICU): Tools/no-icu.c
	@mkdir -p $(@D)
	clang -O2 -Wall -DICU_DATA=__wrap_$(ICU) -c $< -o $@
endif

smoke: build          ## run every scenario, short
	$(BINARY) smoke

bench: build          ## compare with hand-written C counterparts, in one run (SHORT=1: see that every row can be measured)
	$(MAKE) -C Benchmarks bench GCDLAB=$(abspath $(BINARY))

# The programs alone (SCENARIOS=no) need no lab.
second-opinion: $(if $(filter no,$(SCENARIOS)),,build) ## try the documents' sentences in another way and list where the lab says otherwise (SHORT=1, CHECK=1, SCENARIOS=no)
	GCDLAB=$(BINARY) Tools/second-opinion $(PROBES)

sentences:            ## write the list of sentences at the end of docs/sentences.md
	$(SWIFT) build
	Tools/sentences

docs:                 ## build the DocC documentation of GCDLab, .build/GCDLab.doccarchive
	$(SWIFT) build
	Tools/docs

example:              ## build the examples: smoke and explore the lab of one's own, and record the static program
	$(SWIFT) run --package-path Examples/OwnQueue own-queue smoke
	$(SWIFT) run --skip-build --package-path Examples/OwnQueue own-queue explore own-queue
	Tools/static-program "$$(cd Examples/OwnQueue && $(SWIFT) build --show-bin-path)/own-queue"

fuzz:                 ## feed 100 000 bad inputs (INPUTS), drawn by SEED, to everything that reads
	GCDLAB_FUZZ=$(INPUTS) GCDLAB_FUZZ_SEED=$(SEED) $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build/fuzz --filter FuzzTests

intervals:            ## simulate COMPARISONS (50 000) a case and print how often intervals, tables and diff are wrong
	GCDLAB_INTERVALS=$(or $(COMPARISONS),50000) $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build/fuzz --filter IntervalTests

tallies: $(NO_ICU)    ## compare equals COMPARISONS times (1000) and PAIRS of runs (40), beside BUSY busy loops (0), and count
	$(SWIFT) build $(RELEASE) --product twins
	Tools/tallies $(or $(COMPARISONS),1000) $(or $(PAIRS),40) $(or $(BUSY),0)

darwin-check:         ## type-check the lab as for Darwin, against declarations of what Darwin has of its own
	$(SWIFT) build --build-tests
	Tools/darwin-check

# One test after the other: processes that sanitizers slow down, sixty at a time, come to no end on two cores. Without those of bodies
# that are broken on purpose, some of which race, and those that take every descriptor, of which the sanitizer needs some to name
# what it suppresses.
tsan:                 ## run the tests under ThreadSanitizer
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tools/tsan.suppressions" \
	  Tools/failures $(SWIFT) test --no-parallel --skip 'EveryRedTests|FileDescriptorSemaphoreTests' --sanitize=thread --scratch-path .build/tsan \
	  $(if $(FILTER),--filter "$(FILTER)")

asan:                 ## run the tests under AddressSanitizer
	# Not for leaks: what a command line tool still holds when it calls exit() is no leak, and the test runner has its own.
	ASAN_OPTIONS="detect_leaks=0" \
	  Tools/failures $(SWIFT) test --no-parallel --sanitize=address --scratch-path .build/asan $(if $(FILTER),--filter "$(FILTER)")

soak: build           ## run smoke ROUNDS times (200) beside BUSY busy loops (4) and count what went wrong
	Tools/soak $(or $(ROUNDS),200) $(or $(BUSY),4)

hardships: build      ## run the table of docs/trust.md, mixes of faults, and smoke starved, short of memory, threads and workers, ROUNDS times (10)
	$(SWIFT) build $(RELEASE) --product faults
	Tools/hardships $(or $(ROUNDS),10)

elsewhere: build      ## run the tests and smoke where things are otherwise: just booted, not root, one core, no /proc (SHORT=1: quick ones)
	$(SWIFT) build --build-tests
	Tools/elsewhere

interrupts: build     ## interrupt the lab at ROUNDS random moments (300) and look at what is left
	Tools/interrupts $(or $(ROUNDS),300)

strangers: build      ## run programs that nobody here wrote with and without the recorder, and compare (SHORT=1: without a build)
	Tools/strangers

lint:                 ## check the format
	$(SWIFT) format lint --strict --recursive $(SWIFT_FILES)

format:               ## mend the format
	$(SWIFT) format --in-place --recursive $(SWIFT_FILES)

install: build        ## install binary, completions and man page under PREFIX
	# Asked for help, the plugin only builds its tool; else it would build the lab anew, its own way.
	$(SWIFT) package plugin generate-manual --help > /dev/null
	.build/debug/generate-manual-tool $(BINARY) --date $(DATE) --output-directory .build > /dev/null
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	install -m 755 -s $(BINARY) "$(DESTDIR)$(PREFIX)/bin/gcdlab"
	install -m 644 .build/gcdlab.1 "$(DESTDIR)$(PREFIX)/share/man/man1/gcdlab.1"
	$(BINARY) --generate-completion-script bash > "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/gcdlab"
	$(BINARY) --generate-completion-script zsh > "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_gcdlab"
	$(BINARY) --generate-completion-script fish > "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/gcdlab.fish"

dist:                 ## pack a release under .build/dist: archive, Debian package, SHA256 sums
	rm -rf .build/root
	$(MAKE) install DESTDIR=$(CURDIR)/.build/root PREFIX=/usr
	Tools/dist $(CURDIR)/.build/root $(VERSION) $(DATE)

uninstall:            ## remove what install put under PREFIX
	rm -f "$(DESTDIR)$(PREFIX)/bin/gcdlab" "$(DESTDIR)$(PREFIX)/share/man/man1/gcdlab.1" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/gcdlab" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_gcdlab" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/gcdlab.fish"

clean:                ## remove what was built
	rm -rf .build Benchmarks/.build Examples/*/.build

help:                 ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
