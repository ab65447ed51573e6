# SPDX-License-Identifier: Apache-2.0
# Tests of what people and pipelines read: settings, log, journal, reports, the command.

REPORT_TEST := $(BUILD)/tests/report
comma := ,
REPORT_OBJS := $(call objs,tests/report/host.c $(SINK_SOURCES)) $(MODEL_OBJS)

$(REPORT_TEST)/findings: $(call objs,tests/report/findings.c) $(REPORT_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -o $@ $^ -ldl -lpthread

$(REPORT_TEST)/unit: $(call objs,tests/report/unit.c) $(REPORT_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -o $@ $^ -lcmocka -ljansson -ldl -lpthread

$(REPORT_TEST)/translate: $(call objs,tests/report/translate.c interpose/common/sentences.c interpose/common/text.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -o $@ $^
tests/report/language.bats: $(REPORT_TEST)/translate

$(REPORT_TEST)/join: $(call objs,tests/report/join.c) $(REPORT_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -o $@ $^ -lcmocka -ldl -lpthread

# The sinks under the sanitizers, each in one compilation.
FINDINGS_SRC := tests/report/findings.c tests/report/host.c $(SINK_SOURCES)
define findings_with
$$(REPORT_TEST)/findings-$(1): $$(FINDINGS_SRC) $$(wildcard interpose/*/*.h interpose/*/*.def) tests/report/host.h \
		$$(BUILD)/gen/acl_model.c
	$$(call say,CC,$$@)mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) -O1 $$(CPPFLAGS_ALL) $$(CPPFLAGS_interpose) \
		-fsanitize=$(2) -fno-sanitize-recover=all -o $$@ $$(filter %.c %.S,$$^) include/aclcheck/model.c -ldl -lpthread
tests/report/journal.bats: $$(REPORT_TEST)/findings-$(1)
endef
$(eval $(call findings_with,thread,thread))
$(eval $(call findings_with,address,address$(comma)undefined))

# A plain user's program: linked with the runtime, knowing nothing of the checker.
$(REPORT_TEST)/misaligned: tests/report/misaligned.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -O1 -g -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -Wl,-rpath,'$$ORIGIN/../../softnpu'

$(REPORT_TEST)/many: tests/report/many.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -O1 -g -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -Wl,-rpath,'$$ORIGIN/../../softnpu'

$(REPORT_TEST)/faulty: tests/report/faulty.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -O0 -g -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -lpthread -Wl,-rpath,'$$ORIGIN/../../softnpu'

$(REPORT_TEST)/stuck: tests/report/stuck.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -O1 -g -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -lpthread -Wl,-rpath,'$$ORIGIN/../../softnpu'

# With aclcheck.h: C, and C++ whose addresses are fixed when it is linked.
ANNOTATED = $(call say,CC,$@)mkdir -p $(@D) && $(1) $(WARN_USER) -O0 -g -Iinclude -I$(BUILD)/include -o $@ \
		$< -L$(BUILD)/softnpu -lascendcl -lacl_rt -lpthread -Wl,-rpath,'$$ORIGIN/../../softnpu'
WARN_USER := -Wall -Wextra -Wpedantic -Wshadow -Werror
$(REPORT_TEST)/expecting $(REPORT_TEST)/annotated: $(REPORT_TEST)/%: tests/report/%.c include/aclcheck.h $(BUILD)/softnpu/libascendcl.so
	$(call ANNOTATED,$(CC) -std=gnu11)
$(REPORT_TEST)/expecting-cxx $(REPORT_TEST)/annotated-cxx: $(REPORT_TEST)/%-cxx: tests/report/%.c include/aclcheck.h $(BUILD)/softnpu/libascendcl.so
	$(call ANNOTATED,$(CXX) -x c++ -std=c++11 -no-pie -fno-pic)

# A program with a plug-in, which may be bound to the runtime directly.
$(REPORT_TEST)/libplugin.so: tests/report/plugin.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -g -shared -fPIC -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -Wl,-rpath,'$$ORIGIN/../../softnpu'
$(REPORT_TEST)/plugged: tests/report/plugged.c $(REPORT_TEST)/libplugin.so
	$(call say,CC,$<)$(CC) -std=gnu11 $(WARN) -g -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -ldl -Wl,-rpath,'$$ORIGIN/../../softnpu'

TESTS += $(REPORT_TEST)/unit $(REPORT_TEST)/join $(wildcard tests/report/*.bats)
$(wildcard tests/report/*.bats): $(REPORT_TEST)/findings $(REPORT_TEST)/misaligned \
	$(REPORT_TEST)/plugged $(REPORT_TEST)/stuck $(REPORT_TEST)/faulty $(REPORT_TEST)/many $(REPORT_TEST)/expecting $(REPORT_TEST)/expecting-cxx \
	$(REPORT_TEST)/annotated $(REPORT_TEST)/annotated-cxx

# The readers of files under the sanitizers, in one compilation.
FUZZ_SRC := tests/report/fuzz.c $(wildcard tools/aclcheck/formats/*.c) \
	$(filter-out %/missing_lines.c,$(wildcard tools/aclcheck/report/*.c)) \
	$(wildcard tools/aclcheck/common/*.c) \
	$(addprefix tools/aclcheck/run/,descendants.c elf_dependencies.c elf_file.c join_socket.c lost_journals.c notes.c outer_run.c \
		process_records.c uncovered.c) \
	$(INTERPOSE_COMMON) interpose/config/config_file.c
$(REPORT_TEST)/fuzz: $(FUZZ_SRC) $(ACLCHECK_HEADERS) $(wildcard interpose/*/*.h interpose/*/*.def) \
		$(HTML_PAGE) $(BUILD)/gen/html_digests.h checks/engine/rule_table.c $(BUILD)/gen/acl_rules.c $(BUILD)/gen/acl_model.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -O1 $(CPPFLAGS_ALL) $(ACLCHECK_CPPFLAGS) \
		-fsanitize=address,undefined -fno-sanitize-recover=all -o $@ $(filter %.c,$^) include/aclcheck/model.c -ljansson

TESTS += tests/report/fuzz.t
tests/report/fuzz.t: $(REPORT_TEST)/fuzz $(REPORT_TEST)/findings $(REPORT_TEST)/misaligned
