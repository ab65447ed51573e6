# SPDX-License-Identifier: Apache-2.0
# The examples of AscendCL's documents as complete programs, right and with mistakes.

$(eval $(call program_rule,documents))

# pyACL is an extension module for the interpreter that runs the tests.
PYTHON_INCLUDE = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
$(BUILD)/tests/documents/acl.so: tests/documents/pyacl/acl.c $(SOFTNPU_LIBS) | $(BUILD)/gen/.stamp
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 -shared -fPIC $(PROGRAM_FLAGS) -isystem $(PYTHON_INCLUDE) \
		-o $@ $< $(PROGRAM_LINK)

TESTS += tests/documents/documents.t
tests/documents/documents.t: $(call programs,documents) $(BUILD)/tests/documents/acl.so
