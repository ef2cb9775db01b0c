# The front door. `./demo` and `./check` install what is missing and come here.
BUILD ?= build
T ?= quantity
FUZZ_SECONDS ?= 60
MESON_FLAGS ?=

.PHONY: all demo check test asan tsan stress fuzz fuzz-replay bench fmt lint golden cover peer install clean

all: $(BUILD)/build.ninja
	ninja -C $(BUILD)

$(BUILD)/build.ninja:
	meson setup $(BUILD) $(MESON_FLAGS)

demo: $(BUILD)/build.ninja
	ninja -C $(BUILD) dray
	scripts/demo $(BUILD)/dray

check: all
	scripts/check --build $(BUILD)

test: all
	scripts/run-tests $(BUILD)

asan:
	[ -f build-asan/build.ninja ] || meson setup build-asan -Dwerror=false -Db_sanitize=address,undefined -Db_lundef=false
	ninja -C build-asan
	scripts/run-tests build-asan

tsan:
	[ -f build-tsan/build.ninja ] || meson setup build-tsan -Dwerror=false -Db_sanitize=thread -Db_lundef=false
	ninja -C build-tsan
	scripts/run-tests build-tsan

stress:
	[ -f build-stress/build.ninja ] || meson setup build-stress -Dwerror=false -Dstress=true -Db_sanitize=address,undefined -Db_lundef=false
	ninja -C build-stress
	scripts/run-tests build-stress

# make fuzz T=json FUZZ_SECONDS=60
fuzz:
	scripts/fuzz run $(T) $(FUZZ_SECONDS)

fuzz-replay:
	scripts/fuzz replay

bench: all
	bench/run $(BUILD)/dray

fmt:
	scripts/format --write

lint: all
	scripts/lint $(BUILD)

# Writes the answers of this build into the golden files: read the diff before you commit it.
golden: all
	scripts/golden --write $(BUILD)

cover:
	[ -f build-cover/build.ninja ] || meson setup build-cover -Dwerror=false -Db_coverage=true
	ninja -C build-cover
	scripts/run-tests build-cover
	ninja -C build-cover coverage-text
	tail -n 3 build-cover/meson-logs/coverage.txt

# Asks Kubernetes' own libraries the same questions (needs Go).
peer: all
	tests/peer/run $(BUILD)/dray

install: all
	meson install -C $(BUILD)

clean:
	rm -rf build build-*
