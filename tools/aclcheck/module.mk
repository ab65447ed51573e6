# SPDX-License-Identifier: Apache-2.0
# The command: every .c of these directories, and the parts of the library that work without a program.

ACLCHECK_DIRS := tools/aclcheck $(addprefix tools/aclcheck/,common report formats fuzz run trace trace/timeline trace/replay)
# What reads recordings is a program of its own: the command starts where libbabeltrace2 and glib are not.
READER_SRC := $(wildcard $(addprefix tools/aclcheck/trace/,cmd_summary.c summary_*.c ctf*.c isolated_run.c timeline/*.c replay/*.c))
# Beside the sinks and the checks, which a replay takes from the library; what they ask of their process is in replay_host.c.
READER_SHARED := $(filter-out $(addprefix interpose/,config/job_identity.c config/run_membership.c),$(SINK_SOURCES)) \
	interpose/symbolize/call_stack.c interpose/call/annotation_arguments.c $(CHECKS_SRC) $(addprefix tools/aclcheck/,formats/template.c formats/xml_text.c report/missing_lines.c)
ACLCHECK_SRC := $(filter-out $(READER_SRC),$(wildcard $(ACLCHECK_DIRS:%=%/*.c)))
ACLCHECK_HEADERS := $(wildcard $(ACLCHECK_DIRS:%=%/*.h) tools/aclcheck/*.def)
ACLCHECK_SHARED := $(wildcard interpose/common/*.c)
ACLCHECK_CPPFLAGS := -DACLCHECK_VERSION='"$(VERSION)"' -DACLCHECK_LIBDIR='"$(PREFIX)/lib"' \
	-DACLCHECK_HOMEPAGE='"$(HOMEPAGE)"'
$(foreach d,$(ACLCHECK_DIRS),$(eval CPPFLAGS_$(d) := $(ACLCHECK_CPPFLAGS) $(OLD_GLIBC_CPPFLAGS)))

# The files of the HTML pages are part of the command. A page's policy names style and script by their digest.
digest = sha256-$$(sha256sum <$(1) | perl -ne 'print pack("H64", $$_)' | base64)
# html_page NAME DIRECTORY STYLE PAGE PREFIX OBJECT: gen/NAME_digests.h, of which the object knows
define html_page
$(BUILD)/gen/$(1)_digests.h: $(2)/$(4).html $(2)/$(3).css $(2)/$(4).js tools/aclcheck/module.mk | $(BUILD)/gen/.stamp
	$$(call say,GEN,$$@){ echo '/* Generated from $(2), do not edit. */'; \
		echo "#define $(5)_STYLE_HASH \"$$(call digest,$(2)/$(3).css)\""; \
		echo "#define $(5)_SCRIPT_HASH \"$$(call digest,$(2)/$(4).js)\""; } >$$@
$(6): $(2)/$(4).html $(2)/$(3).css $(2)/$(4).js $(BUILD)/gen/$(1)_digests.h
endef
$(eval $(call html_page,html,tools/aclcheck/formats/page,style,page,HTML,$(BUILD)/obj/tools/aclcheck/formats/format_html.o))
$(eval $(call html_page,timeline,tools/aclcheck/trace/timeline/page,timeline,timeline,TIMELINE,$(BUILD)/obj/tools/aclcheck/trace/timeline/timeline_html.o))

$(BUILD)/obj/tools/aclcheck/doctor_tools.o: tools/aclcheck/doctor_probe.py

# Which rules have pairs, and which ran live, is known when the command is built.
PAIR_SOURCES := $(wildcard tests/paired/*.c tests/paired/live/*.c)
LIVE_PAIRS := $(wildcard tests/paired/live/*.c)
pair_ids = tr '\n\t' '  ' | grep -oE '\bPAIR[A-Z_]*\( *"[a-z0-9-]+"' | sed 's/.*"\([^"]*\)"$$/\1/'
id_array = { echo 'const char *const $(1)[] = {'; LC_ALL=C sort -u | sed 's/.*/"&",/'; echo '(void *)0 };'; }
$(BUILD)/gen/acl_pairs.c: $(PAIR_SOURCES) tests/paired/real/proven tools/aclcheck/module.mk | $(BUILD)/gen/.stamp
	$(call say,GEN,$@){ echo '/* Generated from tests/paired, do not edit: the rules that have pairs. */'; \
		echo '#include "tools/aclcheck/rules_table.h"'; \
		cat /dev/null $(PAIR_SOURCES) | $(pair_ids) | $(call id_array,acl_twinned_rules); \
		{ cat /dev/null $(LIVE_PAIRS) | $(pair_ids); sed -n '/^#/d; s/:.*//p' tests/paired/real/proven; } | \
			$(call id_array,acl_live_rules); } >$@

$(BUILD)/aclcheck: $(call objs,$(ACLCHECK_SRC) $(ACLCHECK_SHARED) checks/engine/rule_table.c) $(call genobjs,acl_rules acl_pairs) $(MODEL_OBJS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) $(OLD_GLIBC_START) -o $@ $^ -ljansson $(OLD_GLIBC_LIBS)

# Its table of subcommands is another one, so its main.c is another object.
$(BUILD)/obj/tools/aclcheck/reader_main.o: tools/aclcheck/main.c $(BUILD)/.built-with | $(GENERATED)
	$(call say,CC,$< (reader))mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(CPPFLAGS_ALL) $(ACLCHECK_CPPFLAGS) -DACLCHECK_READER \
		-MMD -MP -c -o $@ $<
$(BUILD)/aclcheck-reader: $(BUILD)/obj/tools/aclcheck/reader_main.o $(call objs,$(READER_SRC) $(wildcard tools/aclcheck/common/*.c) \
		$(READER_SHARED)) $(call genobjs,$(CHECKS_GEN)) $(MODEL_OBJS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) $(OLD_GLIBC_START) -o $@ $^ $(demangler) $(READER_LIBS) -ljansson $(OLD_GLIBC_LIBS) -lpthread

ifneq ($(CHECKS_SRC),)
ALL += $(BUILD)/aclcheck $(BUILD)/aclcheck-reader
endif
INSTALL_BIN += $(BUILD)/aclcheck
INSTALL_LIBEXEC += $(BUILD)/aclcheck-reader
