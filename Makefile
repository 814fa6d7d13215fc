# Shortcuts; CMake does the building.  `make demo`, `make check` and `make soak` install missing packages.
PREFIX ?= /usr/local

all:
	@tools/build release

check: ; @tools/setup check && tools/build release && tests/run
demo:  ; @tools/setup demo && tools/build release && examples/demo
soak:  ; @tools/setup soak && tools/build release && tests/run soak
asan:  ; @tools/build asan
docs: all ; @tools/docs

install: all
	@cmake --install build --prefix '$(PREFIX)'

clean: ; @rm -rf build build-dev build-asan

.PHONY: all check demo soak asan docs install clean
