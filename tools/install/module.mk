# SPDX-License-Identifier: Apache-2.0
# What other tools find the installed tree by: README.md of this directory.

# By prefix, as several may be installed at a time.
INSTALL_GEN := $(BUILD)/install$(PREFIX)

INSTALL_DATA += tools/install/aclcheck.bash:share/bash-completion/completions/aclcheck \
	tools/install/_aclcheck:share/zsh/site-functions/_aclcheck \
	tools/install/aclcheckConfig.cmake:lib/cmake/aclcheck/aclcheckConfig.cmake \
	$(INSTALL_GEN)/aclcheckConfigVersion.cmake:lib/cmake/aclcheck/aclcheckConfigVersion.cmake \
	$(INSTALL_GEN)/aclcheck.pc:lib/pkgconfig/aclcheck.pc \
	$(INSTALL_GEN)/softnpu.pc:lib/pkgconfig/softnpu.pc \
	tools/aclcheck/report/report.schema.json:share/aclcheck/report.schema.json \
	tools/docs/tutorial/doubled.c:share/aclcheck/examples/doubled.c \
	$(foreach f,$(wildcard tools/ci/*),$(f):share/aclcheck/ci/$(notdir $(f))) \
	$(foreach f,$(TRACE_COMPASS),$(f):share/aclcheck/tracecompass/$(notdir $(f)))

# Anew each time: the version may be another one.
$(INSTALL_GEN)/%: tools/install/%.in FORCE
	$(call say,GEN,$@)mkdir -p $(@D) && sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

FORCE:
.PHONY: FORCE
