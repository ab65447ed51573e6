# SPDX-License-Identifier: Apache-2.0
# The command: every .c of this folder, and the parts of the library that work without a guest.

ACLCHECK_SRC := $(wildcard tools/aclcheck/*.c)
ACLCHECK_SHARED := $(addprefix interpose/,settings_table.c settings_rules.c text.c read_file.c suppress.c)
CPPFLAGS_tools/aclcheck := -DACLCHECK_VERSION='"$(VERSION)"' -DACLCHECK_LIBDIR='"$(PREFIX)/lib"'

$(BUILD)/aclcheck: $(call objs,$(ACLCHECK_SRC) $(ACLCHECK_SHARED) checks/rule.c) $(call genobjs,acl_rules) $(MODEL_OBJS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ACLCHECK_LIBS) -ljansson -lpthread

ifneq ($(CHECKS_SRC),)
ALL += $(BUILD)/aclcheck
endif
INSTALL_BIN += $(BUILD)/aclcheck
