# SPDX-License-Identifier: Apache-2.0
# make demo: a real program on the software runtime, and what the checker says about it.

$(eval $(call program_rule,demo))

DEMO = $(BUILD)/tests/demo/demo
demo: all $(DEMO)
	@echo 'The program: tests/demo/demo.cpp. The command:'
	@echo
	@echo '    LD_PRELOAD=$(BUILD)/libaclcheck.so $(DEMO)'
	@echo
	@LD_PRELOAD=$(BUILD)/libaclcheck.so $(DEMO)

TESTS += tests/demo/demo.t tests/demo/readme.bats
tests/demo/demo.t tests/demo/readme.bats: $(DEMO)
