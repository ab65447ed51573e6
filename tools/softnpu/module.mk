# SPDX-License-Identifier: Apache-2.0
# The software runtime: $(BUILD)/softnpu/libascendcl.so and the libraries beside it.
#
# libacl_rt.so is a link to libascendcl.so: the loader recognises the same file,
# so that a process that loads both names has one runtime.

NPU_SRC := $(wildcard tools/softnpu/*.c)
NPU_OBJS := $(call objs,$(NPU_SRC)) $(call genobjs,softnpu_default)
NPU := $(BUILD)/softnpu

# The headers mark the interface as exported when the library itself is built.
CPPFLAGS_tools/softnpu := -DFUNC_VISIBILITY

$(NPU)/libascendcl.so: $(NPU_OBJS) tools/softnpu/softnpu.map
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $(NPU_OBJS) -Wl,-soname,$(@F) \
		-Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=tools/softnpu/softnpu.map -pthread -ldl

$(NPU)/libacl_rt.so: $(NPU)/libascendcl.so
	$(Q)ln -sf libascendcl.so $@

ALL += $(NPU)/libascendcl.so $(NPU)/libacl_rt.so
