# SPDX-License-Identifier: Apache-2.0
# make deb, make rpm: packages of what make install brings, in $(PACKAGES).

PACKAGES ?= $(BUILD)/packages

.PHONY: deb rpm deb-files rpm-files
deb rpm: %: all $(INSTALL_MAN1) $(INSTALL_MAN7)
	@$(MAKE) --no-print-directory $@-files
	@ls $(PACKAGES)/*.$@

# What is built, and nothing is built for it, as install-files.
deb-files rpm-files: %-files:
	$(call say,PACK,$(PACKAGES) ($*))mkdir -p "$(PACKAGES)" && tree=$$(mktemp -d "$(PACKAGES)/tree.XXXXXX") && \
		trap 'rm -rf "$$tree"' EXIT && \
		$(MAKE) --silent --no-print-directory install-files DESTDIR="$$tree" PREFIX=/usr >/dev/null && \
		tools/packages/build $* "$$tree" $(VERSION) "$(PACKAGES)"
