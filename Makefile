# Tollgate. `make demo` and `make test` are all that a newcomer needs; the rest are their parts.

JNI_TARGET := target/jni
C_LIBRARY := target/c/release/libtollgate.so
CLI := target/release/tollgate
CARGO ?= cargo
comma := ,
# One class of java/it by its name, with the modules that it needs.
IT := scripts/maven verify -am -pl engine,kafka,it -Dtest=none -Dsurefire.failIfNoSpecifiedTests=false \
	-Dfailsafe.failIfNoSpecifiedTests=false

# Where `make install` and `make install-cli` put things; DESTDIR goes before each of them.
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BINDIR ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
DOCDIR ?= $(DATADIR)/doc/tollgate
DESTDIR ?=

.PHONY: help demo test build lib install uninstall install-cli uninstall-cli tools tools-examples tools-test engine-jni cli java lint test-rust test-loom test-c \
	test-java test-demo test-clients tools-clients test-cost test-flood test-cluster broker-jars loom tsan soak slow bench bench-rust \
	bench-java bench-report dispatch rates fuzz examples header clean

help: ## This list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: tools build ## Two real brokers under the same flood, one guarded; QUICK=1 takes under 90 seconds
	scripts/demo

test: tools-test lint test-rust test-loom test-c build test-java test-demo ## Everything CI checks
	@echo "make test: all parts passed"

build: engine-jni cli java ## The engine, the tool, the jars

lib: $(C_LIBRARY) ## libtollgate.so and libtollgate.a for C and C++, in target/c/release

# By hand and not by cargo each time: `sudo make install` after `make lib` should need no cargo.
$(C_LIBRARY): $(shell find src -name '*.rs') Cargo.toml Cargo.lock include/tollgate.h scripts/build-c
	CARGO="$(CARGO)" scripts/build-c
	@touch $@

install uninstall: export PREFIX := $(PREFIX)
install uninstall: export LIBDIR := $(LIBDIR)
install uninstall: export INCLUDEDIR := $(INCLUDEDIR)
install uninstall: export DOCDIR := $(DOCDIR)
install uninstall: export DESTDIR := $(DESTDIR)

install: $(C_LIBRARY) ## Libraries, headers, pkg-config and CMake files, under PREFIX (/usr/local)
	@scripts/install

uninstall: ## What `make install` with the same variables put there
	@scripts/install --uninstall

# As above: `sudo make install-cli` after `make cli` needs no cargo.
$(CLI): $(shell find src cli/src -type f) Cargo.toml cli/Cargo.toml Cargo.lock scripts/build-cli
	CARGO="$(CARGO)" scripts/build-cli
	@touch $@

install-cli uninstall-cli: export PREFIX := $(PREFIX)
install-cli uninstall-cli: export BINDIR := $(BINDIR)
install-cli uninstall-cli: export DATADIR := $(DATADIR)
install-cli uninstall-cli: export DESTDIR := $(DESTDIR)

install-cli: $(CLI) ## The tool, its manual pages and completions, under PREFIX
	@scripts/install-cli

uninstall-cli: ## What `make install-cli` with the same variables put there
	@scripts/install-cli --uninstall

examples: tools-examples lib ## The C and C++ programs of examples/, into target/examples-c
	@$(MAKE) --no-print-directory -C examples

tools:
	@scripts/check-tools

tools-examples:
	@scripts/check-tools examples

tools-test:
	@scripts/check-tools tests

tools-clients:
	@scripts/check-tools clients

engine-jni:
	$(CARGO) build --locked --release --features jni --target-dir $(JNI_TARGET)

cli: ## The operator's tool, target/release/tollgate
	CARGO="$(CARGO)" scripts/build-cli

# Not the benchmarks: nothing that runs elsewhere needs them.
java: engine-jni
	scripts/maven package -DskipTests -pl '!bench,!pulsar-it'

lint: ## Formatting, clippy with pedantic, docs, the programs of clients/: warnings are errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets --features jni -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --features jni
	scripts/lint-clients

test-rust: ## Engine, rules, oracle, C ABI, header drift, the tool
	$(CARGO) test --locked --workspace

test-loom: ## The models and random schedules, bounded to a minute or two
	scripts/loom 1

loom: ## The models at their full bound, 260,000 schedules; up to ten minutes
	scripts/loom

test-c: lib ## The headers, the library as installed, and their programs under sanitizers and valgrind
	scripts/test-c

broker-jars: # What the tests run of each Kafka version, about 45 MB each
	scripts/broker-jars

test-java: examples broker-jars cli ## Engine jar and agent, then real brokers of each Kafka version, real clients, and the tool on their logs
	scripts/maven verify

test-demo: build
	QUICK=1 scripts/demo

# Not part of `make test`: a quarter of an hour, and Go and Node.js. CLIENTS=sarama,kafkajs are some of them.
test-clients: tools-clients engine-jni ## Each client library over the quota on a real broker, then docs/clients.md
	scripts/build-clients $(subst $(comma), ,$(CLIENTS))
	$(IT) -Dit.test=ClientLibraries -Dit.timeout.s=3600 -Dtollgate.clients=$(CLIENTS)

# Not part of `make test`: it wants the machine for itself.
test-cost: engine-jni ## Produce throughput, latency and CPU with and without the agent, then docs/cost.md; a quarter of an hour
	$(IT) -Dit.test=AgentCost -Dit.timeout.s=3600

# Not part of `make test`, which sends 200,000.
test-flood: engine-jni ## 10 million producer IDs at a guarded broker of 256 MB, COUNT=n for others; a quarter of an hour
	$(IT) -Dit.test=FloodIT -Dit.timeout.s=7200 -Dtollgate.flood=$(or $(COUNT),10000000)
	@cat java/it/target/flood.txt

# Not part of `make test`: minutes, and three brokers at once.
test-cluster: KAFKA ?= 4.4.0
test-cluster: engine-jni ## Three brokers restarted and led anew under 5,000 producers, then docs/kafka.md; KAFKA=3.9.1 is another version
	scripts/broker-jars $(KAFKA)
	$(IT) -Dit.test=ThreeBrokers,ControllerNode -Dtollgate.cluster.version=$(KAFKA)

slow: soak ## The cases too long for make test: 25 million ids, seven simulated days, a million principals; up to ten minutes
	$(CARGO) test --locked --test rules --test false_positives -- --ignored --nocapture

soak: ## Eight threads against an exact oracle for a minute; SECONDS=600 for longer, SEED=n to repeat
	$(CARGO) test --locked --test soak -- --ignored --nocapture

tsan: ## The tests that race threads, under ThreadSanitizer
	scripts/tsan

# One after the other also under -j: they would measure each other.
bench: ## Rust and Java beside their peers, then docs/benchmarks.md; ten minutes, QUICK=1 is a smoke run
	$(MAKE) bench-rust
	$(MAKE) bench-java
	$(MAKE) bench-report

bench-rust: ## The engine beside fastbloom, governor and a pointer chase
	$(CARGO) bench --locked --bench track --bench contention --bench latency --bench memory --bench rate

bench-java: engine-jni ## The calls from Java beside their peers, by JMH; four minutes, or 30 seconds with QUICK=1
	scripts/maven package -DskipTests -pl engine,bench
	scripts/bench-java

fuzz: ## Random bytes against the C ABI, restore and what reads a broker's files; SECONDS=n for each, 60 by itself
	SECONDS_EACH=$(or $(SECONDS),60) scripts/fuzz

bench-report: ## The table of what was measured; TOLLGATE_BENCH_PARTIAL=1 where some of it was not
	$(CARGO) bench --locked --bench report

# Its tests fail where the page is not what this writes.
dispatch: ## What the estimate of messages per entry saves, simulated: docs/dispatch.md and its plot
	$(CARGO) run --locked --release -q -p tollgate-cli -- dispatch-report docs/dispatch.md --svg docs/dispatch.svg

# Its tests fail where the page is not what this writes.
rates: engine-jni cli ## Kafka's 600 connections under each policy and quota, simulated: docs/rates.md and its plot
	scripts/maven package -DskipTests -pl engine,bench
	scripts/rates

header: ## Writes include/tollgate.h and THIRD-PARTY.txt anew
	TOLLGATE_BLESS=1 $(CARGO) test --locked --test header --test third_party

clean: ## Removes all that was built
	$(CARGO) clean
	rm -rf java/*/target java/*/*/target java/target
