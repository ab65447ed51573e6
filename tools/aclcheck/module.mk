# SPDX-License-Identifier: Apache-2.0
# The command: every .c of this folder, and the parts of the library that work without a guest.

ACLCHECK_SRC := $(wildcard tools/aclcheck/*.c)
ACLCHECK_SHARED := $(addprefix interpose/,settings_table.c settings_rules.c text.c read_file.c suppress.c)
CPPFLAGS_tools/aclcheck := -DACLCHECK_VERSION='"$(VERSION)"' -DACLCHECK_LIBDIR='"$(PREFIX)/lib"'

# Which rules have twins is known when the command is built.
TWIN_SOURCES := $(wildcard tests/twins/*.c tests/twins/live/*.c)
$(BUILD)/gen/acl_twins.c: $(TWIN_SOURCES) tools/aclcheck/module.mk | $(BUILD)/gen/.stamp
	$(call say,GEN,$@){ echo '/* Generated from tests/twins, do not edit: the rules that have twins. */'; \
		echo '#include "tools/aclcheck/rules_table.h"'; echo 'const char *const acl_twinned_rules[] = {'; \
		cat /dev/null $(TWIN_SOURCES) | tr '\n\t' '  ' | grep -oE '\bTWIN[A-Z_]*\( *"[a-z0-9-]+"' | sed 's/.*\("[^"]*"\)$$/\t\1,/' | \
		LC_ALL=C sort -u; echo '\tNULL };' | sed 's/\\t/\t/; s/NULL/(void *)0/'; } >$@

$(BUILD)/aclcheck: $(call objs,$(ACLCHECK_SRC) $(ACLCHECK_SHARED) checks/rule.c) $(call genobjs,acl_rules acl_twins) $(MODEL_OBJS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ACLCHECK_LIBS) -ljansson -lpthread

ifneq ($(CHECKS_SRC),)
ALL += $(BUILD)/aclcheck
endif
INSTALL_BIN += $(BUILD)/aclcheck
