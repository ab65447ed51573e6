# SPDX-License-Identifier: Apache-2.0
# Pairs of the rules, fed to the checker without a runtime.

PAIRED_FRAME := tests/paired/paired.c tests/paired/record.c tests/paired/variants.c tests/paired/objects.c tests/paired/functions.c
PAIR_SRC := $(filter-out $(PAIRED_FRAME),$(wildcard tests/paired/*.c))
PAIR_BIN := $(patsubst tests/paired/%.c,$(BUILD)/tests/paired/%,$(PAIR_SRC))

$(PAIR_BIN): $(BUILD)/tests/paired/%: $(BUILD)/obj/tests/paired/%.o $(call objs,$(PAIRED_FRAME) $(FIXTURE_SRC)) \
		$(call objs,$(CHECKS_SRC)) $(call genobjs,$(CHECKS_GEN)) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka

TESTS += $(PAIR_BIN)

# What the findings hold, and what comes of small changes, written anew (NAME.findings, NAME.variants, NAME.rules beside NAME.c).
.PHONY: findings
findings: $(PAIR_BIN) $$(FIXTURE_TESTS)
	$(Q)failed=; \
	for test in $(FIXTURE_TESTS); do env $(TEST_ENV) FINDINGS_WRITE=1 $$test >$$test.out || failed="$$failed $$test.out"; done; \
	for test in $(PAIR_BIN); do env $(TEST_ENV) $$test --write >$$test.out || failed="$$failed $$test.out"; done; \
	[ -z "$$failed" ] || { cat $$failed; exit 1; }
include tests/paired/live/module.mk tests/paired/real/module.mk
TESTS += tests/paired/coverage.t tests/paired/texts.t tests/paired/catalogue.t
tests/paired/catalogue.t: $(PAIR_BIN)
