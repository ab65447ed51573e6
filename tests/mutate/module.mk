# SPDX-License-Identifier: Apache-2.0
# make mutate: whether the quick tests notice changes of checks/, see README.md.
# A build of its own: the checker as a shared object, so that one object is compiled and one library linked per change.

N ?= 200
SEED ?= 1
JOBS ?= 2
MUTATE_BUILD := $(BUILD)/mutate
MUTATE_C_TESTS = $(notdir $(basename $(filter-out tests/checks/fixture% %/stress.c %/bench_map.c,$(wildcard tests/checks/*.c))))
# A step beyond the end of an array ends the test: what lies behind is rarely noticed. So does what C does not define of numbers, and the
# release of a lock that no thread took. A variable that was not set is no zero by luck.
MUTATE_BOUNDS = -fsanitize=bounds-strict,shift,signed-integer-overflow,bool -fsanitize-undefined-trap-on-error -ftrivial-auto-var-init=pattern \
	-DLOCK_TRAP

.PHONY: mutate mutate-run
mutate:
	$(Q)$(MAKE) --no-print-directory BUILD=$(MUTATE_BUILD) CFLAGS="-O1 -fvisibility=default $(MUTATE_BOUNDS)" WARN=-w mutate-run

# --- in that build ---------------------------------------------------------------
MUTATE_OBJS = $(call objs,$(CHECKS_SRC)) $(call genobjs,$(CHECKS_GEN)) $(MODEL_OBJS)
MUTATE_TESTS = $(MUTATE_C_TESTS:%=$(BUILD)/with/checks/%) $(patsubst tests/paired/%.c,$(BUILD)/with/paired/%,$(PAIR_SRC)) $(BUILD)/with/random/programs

$(BUILD)/libchecks.so: $$(MUTATE_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared -Wl,-Bsymbolic -Wl,-soname,libchecks.so -o $@ $^

$(BUILD)/with/checks/%: $(BUILD)/obj/tests/checks/%.o $(call objs,$(FIXTURE_SRC)) $(BUILD)/libchecks.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -o $@ $^ -lcmocka -lpthread

$(BUILD)/with/paired/%: $(BUILD)/obj/tests/paired/%.o $$(call objs,$$(PAIRED_FRAME) $$(FIXTURE_SRC)) $(BUILD)/libchecks.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -o $@ $^ -lcmocka -lpthread

$(BUILD)/with/random/%: $(BUILD)/obj/tests/random/%.o $$(call objs,$$(RANDOM_SRC) $$(FIXTURE_SRC)) $(BUILD)/libchecks.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -o $@ $^ -lcmocka -lpthread

mutate-run: $$(MUTATE_TESTS)
	$(Q)python3 tests/mutate/mutate.py --build $(BUILD) --compile '$(CC) $(ALL_CFLAGS) $(CPPFLAGS_ALL)' --objects '$(MUTATE_OBJS)' \
		--tests '$(MUTATE_TESTS)' --number $(N) --seed $(SEED) --jobs $(JOBS) $(if $(ONLY),--only $(ONLY)) $(if $(KIND),--kind '$(KIND)') $(if $(AGAIN),--again) \
		--progress $(CHECKS_SRC)

TESTS += tests/mutate/mutate.t
