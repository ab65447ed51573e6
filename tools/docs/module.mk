# SPDX-License-Identifier: Apache-2.0
# make docs: the parts of committed documents that are printed from tables (tests/layout checks that they match).

.PHONY: docs
docs: all $(DEMO)
	$(BUILD)/aclcheck settings --markdown | tools/docs/fill README.md settings
	for demo in $(DEMOS); do ACLCHECK_BUILD=$(BUILD) tests/demo/screen $$demo | tools/docs/fill README.md $$demo || exit 1; done
	$(BUILD)/aclcheck rules --markdown >$(BUILD)/RULES.md && cp $(BUILD)/RULES.md checks/RULES.md
	if [ -f $(BUILD)/bench/counts.md ]; then tools/docs/fill README.md counts <$(BUILD)/bench/counts.md; fi
	if [ -f $(BUILD)/bench/table.md ]; then tools/docs/fill README.md cost <$(BUILD)/bench/table.md; fi
	if [ -f $(BUILD)/bench/profiles.md ]; then tools/docs/fill tools/bench/PROFILES.md profiles <$(BUILD)/bench/profiles.md; fi

# The manual pages: a frame around what is printed of tables.
man_page = $(call say,GEN,$@)mkdir -p $(@D) && $(1) >$@.settings && \
	sed -e 's/@VERSION@/$(VERSION)/' -e '/@SETTINGS@/{r $@.settings' -e 'd}' $< >$@ && rm $@.settings

$(BUILD)/man/libaclcheck.7: tools/docs/libaclcheck.7.in $(BUILD)/aclcheck
	$(call man_page,$(BUILD)/aclcheck settings --man)

$(BUILD)/man/softnpu.7: tools/docs/softnpu.7.in $(BUILD)/tools/softnpu-print
	$(call man_page,$(BUILD)/tools/softnpu-print man)

$(BUILD)/man/aclcheck.1: tools/docs/aclcheck.1.in tools/docs/commands $(BUILD)/aclcheck $(BUILD)/aclcheck-reader
	$(call man_page,tools/docs/commands $(BUILD)/aclcheck)

# Printed by what is built, which does not start here when it is for another machine.
ifeq ($(CROSS_COMPILE),)
ALL += $(BUILD)/man/aclcheck.1 $(BUILD)/man/libaclcheck.7 $(BUILD)/man/softnpu.7
endif
INSTALL_MAN1 += $(BUILD)/man/aclcheck.1
INSTALL_MAN7 += $(BUILD)/man/libaclcheck.7 $(BUILD)/man/softnpu.7
