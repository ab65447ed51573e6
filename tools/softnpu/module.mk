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
CPPFLAGS_tools/softnpu/op := -DFUNC_VISIBILITY

$(NPU)/libascendcl.so: $(NPU_OBJS) tools/softnpu/softnpu.map
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $(NPU_OBJS) -Wl,-soname,$(@F) \
		-Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=tools/softnpu/softnpu.map -pthread -ldl

$(NPU)/libacl_rt.so: $(NPU)/libascendcl.so
	$(Q)ln -sf libascendcl.so $@

# The operator library, in two as in CANN.
NPU_BASE_OBJS := $(call objs,$(addprefix tools/softnpu/op/,tensor.c executor.c numbers.c))
NPU_OP_OBJS := $(call objs,$(addprefix tools/softnpu/op/,elementwise.c matmul.c run.c numbers.c))

$(NPU)/libnnopbase.so: $(NPU_BASE_OBJS) $(NPU)/libascendcl.so
	$(call say,LD,$@)$(CC) -shared $(SANITIZE) -o $@ $(NPU_BASE_OBJS) -L$(NPU) -lascendcl \
		-Wl,-soname,$(@F) -Wl,-z,defs -Wl,-rpath,'$$ORIGIN'

$(NPU)/libopapi.so: $(NPU_OP_OBJS) $(NPU)/libnnopbase.so
	$(call say,LD,$@)$(CC) -shared $(SANITIZE) -o $@ $(NPU_OP_OBJS) -L$(NPU) -lnnopbase -lascendcl \
		-Wl,-soname,$(@F) -Wl,-z,defs -Wl,-rpath,'$$ORIGIN'

$(BUILD)/include/softnpu.h: tools/softnpu/softnpu.h
	$(Q)mkdir -p $(@D) && cp $< $@

ALL += $(NPU)/libnnopbase.so $(NPU)/libopapi.so $(BUILD)/include/softnpu.h
ALL += $(NPU)/libascendcl.so $(NPU)/libacl_rt.so
