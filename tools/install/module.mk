# SPDX-License-Identifier: Apache-2.0
# What other tools find the installed tree by: README.md of this directory.

INSTALL_DATA += tools/install/aclcheck.bash:share/bash-completion/completions/aclcheck \
	tools/install/_aclcheck:share/zsh/site-functions/_aclcheck \
	tools/install/aclcheckConfig.cmake:lib/cmake/aclcheck/aclcheckConfig.cmake \
	$(BUILD)/install/aclcheckConfigVersion.cmake:lib/cmake/aclcheck/aclcheckConfigVersion.cmake \
	$(BUILD)/install/aclcheck.pc:lib/pkgconfig/aclcheck.pc \
	$(BUILD)/install/softnpu.pc:lib/pkgconfig/softnpu.pc \
	tools/aclcheck/report/report.schema.json:share/aclcheck/report.schema.json

# Anew each time: PREFIX may be another one.
$(BUILD)/install/%: tools/install/%.in FORCE
	$(call say,GEN,$@)mkdir -p $(@D) && sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

FORCE:
.PHONY: FORCE
