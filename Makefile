# Shortcuts; CMake does the building.  `make demo`, `make check` and `make soak` install missing packages.
PREFIX ?= /usr/local

all:
	@tools/build release

check: ; @tools/setup check && tools/build release && tests/run
demo:  ; @tools/setup demo && tools/build release && examples/demo
soak:  ; @tools/setup soak && tools/build release && tests/run soak
soak-long: ; @tools/setup soak && tools/build release && tests/soak/long
asan:  ; @tools/build asan
coverage: ; @tools/setup check && tools/coverage
docs: all ; @tools/docs

install: all
	@cmake --install build --prefix '$(PREFIX)'

uninstall: ; @cmake -P build/uninstall.cmake

package: ; @tools/setup package && umask 022 && tools/build package && cd build-package && cpack -G DEB && ls packages/*.deb

clean: ; @rm -rf build build-dev build-asan build-package build-coverage

.PHONY: all check demo soak soak-long asan coverage docs install uninstall package clean
