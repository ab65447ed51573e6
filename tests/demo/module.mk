# SPDX-License-Identifier: Apache-2.0
# make demo: real programs on the software runtime, and what the checker says about them.

$(eval $(call program_rule,demo))

DEMOS := demo pipeline
DEMO := $(DEMOS:%=$(BUILD)/tests/demo/%)

demo: all $(DEMO)
	@for program in $(DEMOS); do \
		printf 'The program: tests/demo/%s.cpp. The command:\n\n' $$program; \
		printf '    LD_PRELOAD=%s %s\n\n' $(BUILD)/libaclcheck.so $(BUILD)/tests/demo/$$program; \
		LD_PRELOAD=$(BUILD)/libaclcheck.so $(BUILD)/tests/demo/$$program; echo; done

TESTS += tests/demo/demo.t tests/demo/readme.bats
tests/demo/demo.t tests/demo/readme.bats: $(DEMO)
