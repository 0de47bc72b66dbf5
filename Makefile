# SPDX-License-Identifier: Apache-2.0
# The front door. `make run` and `make test` do all set-up themselves.

.POSIX:
.PHONY: help setup run check test test-share test-all test-profiles test-debug-kernel test-races test-kernels bench series lint format build bundle packages release report docs clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile

setup:
	@scripts/setup.sh

run: setup ## measure the tables of the 2015 thesis; prints the answer and the report's path
	@./firesteel build >/dev/null
	@./firesteel run thesis --quick

check: lint ## lint, and what shows in minutes that the whole stands
	@scripts/test.sh first

test: setup ## run the tests, or what TESTS says
	@scripts/test.sh usual $(TESTS)

test-share: setup ## run the tests, and the share of all others whose turn it is
	@scripts/test.sh share

test-all: setup ## run every test, those of all profiles, fuzzers and fault matrices among them (long)
	@scripts/test.sh all
	@scripts/test-profiles.sh
	@scripts/test-debug-kernel.sh
	@scripts/test-races.sh
	@scripts/test-kernels.sh

test-profiles: setup ## run the tests of driver, library, provider and wolfSSL on every profile of the cores
	@scripts/test-profiles.sh $(TESTS)

test-debug-kernel: setup ## run the tests on kernels that find faults of drivers (long: see docs/debug-kernel.md)
	@scripts/test-debug-kernel.sh $(TESTS)

test-races: setup ## run driver, library and provider in many orders of several CPUs (an hour: see docs/debug-kernel.md)
	@scripts/test-races.sh $(TESTS)

test-kernels: setup ## build the driver for Debian's kernels from 5.10 to the newest, and run it on some (see docs/driver.md)
	@scripts/test-kernels.sh $(TESTS)

series: ## write the driver as patches for the source of a kernel, KERNEL=DIRECTORY, into SERIES (see docs/driver.md)
	@scripts/series.sh "$${KERNEL:?name the directory with a kernel's source: make series KERNEL=DIRECTORY}" "$${SERIES:-series}"

bench: setup ## compare the model's speed with the libraries under it
	@scripts/bench.sh

lint: setup ## check style, types and licences
	@scripts/lint.sh

format: setup ## put Python and C into their style, then lint
	@scripts/lint.sh --fix

build: setup ## build the emulator and the guest image
	@./firesteel build

bundle: setup ## write the lab into one file that needs Python alone, and the sources that go with it
	@./firesteel build bundle

packages: setup ## build Debian packages for 12 and 13, amd64, armhf and arm64 (see docs/packages.md)
	@scripts/packages.sh

release: setup ## write source, packages, checksums, contents and provenance of a commit, signed by KEY
	@scripts/release.sh "$(KEY)"

report: setup ## write the report of the latest run again
	@./firesteel report

docs: setup ## build the documentation's site into site/, to be read without a network
	@scripts/docs.sh

clean: ## remove all that was built; measured records stay
	@scripts/clean.sh
