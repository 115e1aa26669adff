# gcdlab: `make run` runs a scenario, and `make test` runs the tests. Both targets build the lab and need Swift only.

PREFIX   ?= /usr/local
SCENARIO ?= singleton-race
SWIFT    ?= swift
INPUTS   ?= 100000
SEED     ?= 1

# If the environment differs from that of the last build, SwiftPM compiles all C sources again. Therefore, the variables that make adds to the
# environment are removed.
override SWIFT := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES -u SHLVL -u SHORT -u RESULTS -u PREFIX -u DESTDIR $(SWIFT)

# The release binary is linked statically with the Swift runtime, and with the C library if a static C library is installed. Every trial starts
# a worker, and loading shared libraries would take half of the start. The unwinder sorts a registered table at its first use, when the first
# thread of a worker ends, and the sorting takes longer than the rest of the start. Therefore, no table is registered, and the unwinder finds
# its tables by their index, as in shared libraries.
# Yams, TextTable and Rainbow import Foundation. Foundation links ICU, whose names of languages and time zones take 34 MB. Tools/no-icu.c
# replaces these data. If the symbol of the data is not found, the data stay, and the binary is larger.
ifeq ($(shell uname -s),Linux)
NO_ICU  := $(CURDIR)/.build/no-icu.o
ICU     := $(shell nm --defined-only $(dir $(shell clang -print-resource-dir))../swift_static/linux/lib_FoundationICU.a 2>/dev/null | \
  grep -o 'icudt[0-9]*_dat')
RELEASE := -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xlinker --gc-sections \
  $(foreach name,$(ICU),-Xlinker $(NO_ICU) -Xlinker --wrap=$(name))
ifneq ($(filter /%,$(shell clang -print-file-name=libc.a)),)
UNREGISTERED := __register_frame_info __deregister_frame_info
# The functions that a trace records are wrapped by Sources/CDispatchSupport/Trace.c.
TRACED := $(shell sed -n 's/^\(BOTH\|LINKED\)(\(.*\))$$/\2/p' Sources/CDispatchSupport/Wrapped.h)
# The functions that allocate memory are wrapped by Sources/CDispatchSupport/Allocations.c, which counts allocations on request.
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
# A separate build, which links the Swift libraries of another directory. If only Dispatch changes, only the link step is repeated.
DISPATCH := .build/libdispatch
BINARY   := $(DISPATCH)/release/gcdlab
RELEASE  += --scratch-path $(DISPATCH) -Xswiftc -resource-dir -Xswiftc $(CURDIR)/$(DISPATCH)/swift_static \
  -Xlinker $(CURDIR)/$(DISPATCH)/dispatch.o
else
BINARY   := .build/release/gcdlab
endif

VERSION := $(shell sed -n 's/.*version = "\(.*\)"/\1/p' Sources/Laboratory/Basics/Tool.swift)
# The date of the release, from CHANGELOG.md.
DATE    := $(shell sed -n 's/^\#\# $(VERSION) (\([0-9-]*\))/\1/p' CHANGELOG.md)

# Of the examples, only the sources are checked, since an example has its own .build directory.
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

smoke: build          ## run every scenario, short, and export the results to RESULTS (none)
	$(BINARY) smoke $(if $(RESULTS),--export "$(RESULTS)")

bench: build          ## compare with C counterparts, in one run (SHORT=1: check only that every row can be measured)
	$(MAKE) -C Benchmarks bench GCDLAB=$(abspath $(BINARY))

# With SCENARIOS=no, only the programs run, and the lab is not needed.
second-opinion: $(if $(filter no,$(SCENARIOS)),,build) ## test the documents' sentences with separate C programs and list contradictions to the lab (SHORT=1, CHECK=1, RESULTS, SCENARIOS=no)
	GCDLAB=$(BINARY) Tools/second-opinion $(PROBES)

sentences:            ## write the list of sentences at the end of docs/sentences.md
	$(SWIFT) build
	Tools/sentences

docs:                 ## build the DocC documentation of GCDLab, .build/GCDLab.doccarchive
	$(SWIFT) build
	Tools/docs

# The lab is built again for the example. Nobody changes the lab there, so whole modules are compiled, which is faster.
WHOLE := --disable-index-store $(addprefix -Xswiftc ,-disable-batch-mode -whole-module-optimization -num-threads 2)

example:              ## build the examples: run and explore the OwnQueue lab, and record the static program
	$(SWIFT) run $(WHOLE) --package-path Examples/OwnQueue own-queue smoke
	$(SWIFT) run --skip-build --package-path Examples/OwnQueue own-queue explore own-queue
	Tools/static-program "$$(cd Examples/OwnQueue && $(SWIFT) build --show-bin-path)/own-queue"

fuzz:                 ## feed INPUTS (100 000) bad inputs, generated from SEED, to every parser
	GCDLAB_FUZZ=$(INPUTS) GCDLAB_FUZZ_SEED=$(SEED) $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build/fuzz --filter FuzzTests

intervals:            ## simulate COMPARISONS (50 000) for each case and print how often intervals, tables and diff are wrong
	GCDLAB_INTERVALS=$(or $(COMPARISONS),50000) $(SWIFT) test -c release -Xswiftc -enable-testing --scratch-path .build/fuzz --filter IntervalTests

tallies: $(NO_ICU)    ## count false verdicts in COMPARISONS (1000) of equal variants and PAIRS (40) of equal runs, beside BUSY (0) busy loops
	$(SWIFT) build $(RELEASE) --product twins
	Tools/tallies $(or $(COMPARISONS),1000) $(or $(PAIRS),40) $(or $(BUSY),0)

darwin-check:         ## type-check the lab as for Darwin, against declarations of the Darwin-only functions
	$(SWIFT) build --build-tests
	Tools/darwin-check

# The tests run one after another, since many processes at a time are too slow under a sanitizer on two cores. Two suites are skipped: the
# tests of bodies that are deliberately broken, since some of these bodies race, and the tests that use every file descriptor, since the
# sanitizer needs descriptors to find the symbols of suppressed races.
tsan:                 ## run the tests under ThreadSanitizer
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tools/tsan.suppressions" \
	  Tools/failures $(SWIFT) test --no-parallel --skip 'EveryRedTests|FileDescriptorSemaphoreTests' --sanitize=thread --scratch-path .build/tsan \
	  $(if $(FILTER),--filter "$(FILTER)")

asan:                 ## run the tests under AddressSanitizer
	# Leaks are not checked: memory that a command-line tool still uses at exit() is not a leak, and the test runner itself leaks.
	ASAN_OPTIONS="detect_leaks=0" \
	  Tools/failures $(SWIFT) test --no-parallel --sanitize=address --scratch-path .build/asan $(if $(FILTER),--filter "$(FILTER)")

soak: build           ## run smoke ROUNDS (200) times beside BUSY (4) busy loops and count the failures
	Tools/soak $(or $(ROUNDS),200) $(or $(BUSY),4)

hardships: build      ## run the tables of docs/trust.md, faulty workers, and smoke with few resources, ROUNDS (10) times
	$(SWIFT) build $(RELEASE) --product faults
	Tools/hardships $(or $(ROUNDS),10)

elsewhere: build      ## run tests and smoke on simulated other machines: just booted, not root, one core, no /proc (SHORT=1: quick tests)
	$(SWIFT) build --build-tests
	Tools/elsewhere

interrupts: build     ## interrupt the lab at ROUNDS (300) random moments and check that nothing is left behind
	Tools/interrupts $(or $(ROUNDS),300)

strangers: build      ## run programs of other authors with and without the recorder, and compare (SHORT=1: without slow programs)
	Tools/strangers

lint:                 ## check the format
	$(SWIFT) format lint --strict --recursive $(SWIFT_FILES)

format:               ## correct the format
	$(SWIFT) format --in-place --recursive $(SWIFT_FILES)

install: build        ## install binary, completions and man page under PREFIX
	# With --help, the plugin builds only its own tool. Without --help, the plugin would build the lab again with other options.
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

clean:                ## remove all build products
	rm -rf .build Benchmarks/.build Examples/*/.build

help:                 ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
