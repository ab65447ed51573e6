# SPDX-License-Identifier: Apache-2.0
# The software runtime: $(BUILD)/softnpu/libascendcl.so and the libraries beside it.
#
# libacl_rt.so is a link to libascendcl.so: the loader recognises the same file,
# so that a process that loads both names has one runtime.

NPU_DIRS := $(addprefix tools/softnpu/,core memory sync graph kernel info)
NPU_SRC := $(wildcard $(NPU_DIRS:%=%/*.c))
NPU_OBJS := $(call objs,$(NPU_SRC)) $(call genobjs,softnpu_default softnpu_entry)
NPU := $(BUILD)/softnpu

# The headers mark the interface as exported when the library itself is built. What a program calls is printed
# (gen/softnpu_entry.c), as any call can be told to fail and wrong arguments are refused there: the bodies here have other
# names, and parameters that only are looked at there.
$(foreach directory,$(NPU_DIRS),$(eval CPPFLAGS_$(directory) := -DFUNC_VISIBILITY -include softnpu_names.h -Wno-unused-parameter $(OLD_GLIBC_CPPFLAGS)))
CPPFLAGS_tools/softnpu/op := -DFUNC_VISIBILITY

$(NPU)/libascendcl.so: $(NPU_OBJS) tools/softnpu/softnpu.map
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared -Wl,-Bsymbolic-functions $(SANITIZE) -o $@ $(NPU_OBJS) -Wl,-soname,$(@F) \
		-Wl,-z,nodelete -Wl,-z,defs -Wl,--version-script=tools/softnpu/softnpu.map $(OLD_GLIBC_LIBS) -pthread -ldl
	$(Q)ln -sf libascendcl.so $(@D)/libacl_rt.so

# Who links with one of them often links with both: the link is there as soon as the library is.
$(NPU)/libacl_rt.so: $(NPU)/libascendcl.so ;

# The operator library, in two as in CANN.
NPU_BASE_OBJS := $(call objs,$(addprefix tools/softnpu/op/,tensor.c executor.c numbers.c))
NPU_OP_OBJS := $(call objs,$(addprefix tools/softnpu/op/,elementwise.c matmul.c run.c numbers.c))

$(NPU)/libnnopbase.so: $(NPU_BASE_OBJS) $(NPU)/libascendcl.so
	$(call say,LD,$@)$(CC) -shared $(SANITIZE) -o $@ $(NPU_BASE_OBJS) -L$(NPU) -lascendcl \
		-Wl,-soname,$(@F) -Wl,-z,defs -Wl,-rpath,'$$ORIGIN'

$(NPU)/libopapi.so: $(NPU_OP_OBJS) $(NPU)/libnnopbase.so
	$(call say,LD,$@)$(CC) -shared $(SANITIZE) -o $@ $(NPU_OP_OBJS) -L$(NPU) -lnnopbase -lascendcl \
		-Wl,-soname,$(@F) -Wl,-z,defs -Wl,-rpath,'$$ORIGIN'

# Media: every function, none implemented.
$(NPU)/libacl_dvpp.so: $(call genobjs,softnpu_media)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $< -Wl,-soname,$(@F) -Wl,-z,defs

$(BUILD)/include/softnpu.h: tools/softnpu/softnpu.h
	$(Q)mkdir -p $(@D) && cp $< $@

ALL += $(NPU)/libnnopbase.so $(NPU)/libopapi.so $(NPU)/libacl_dvpp.so $(BUILD)/include/softnpu.h
ALL += $(NPU)/libascendcl.so $(NPU)/libacl_rt.so

# The table of settings as text.
$(BUILD)/tools/softnpu-print: $(call objs,tools/softnpu/print/main.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $^

ALL += $(BUILD)/tools/softnpu-print

# The same runtime with the functions and the default profile of one release each.
define npu_release
$(NPU)/$(1)/config.o: tools/softnpu/core/config.c $$(wildcard tools/softnpu/core/*.h tools/softnpu/core/*.def) | $(BUILD)/gen/.stamp
	$$(call say,CC,$$< ($(1)))mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) $$(CPPFLAGS_ALL) $$(OLD_GLIBC_CPPFLAGS) -DSOFTNPU_DEFAULT_CANN='"$(1)"' -c -o $$@ $$<

$(NPU)/$(1)/libascendcl.so: $(NPU)/$(1)/config.o $(NPU)/libopapi.so $(NPU_OBJS) $(GENERATED)
	$$(call say,LD,$$@)$$(CC) -shared -Wl,-Bsymbolic-functions $$(SANITIZE) -o $$@ $(NPU)/$(1)/config.o \
		$(filter-out %/tools/softnpu/core/config.o,$(NPU_OBJS)) -Wl,-soname,libascendcl.so -Wl,-z,nodelete -Wl,-z,defs \
		-Wl,--version-script=$(BUILD)/gen/softnpu/$(1).map $(OLD_GLIBC_LIBS) -pthread -ldl
	$$(Q)cd $$(@D) && ln -sf libascendcl.so libacl_rt.so && ln -sf ../libopapi.so ../libnnopbase.so ../libacl_dvpp.so .

ALL += $(NPU)/$(1)/libascendcl.so
endef

NPU_RELEASES := 8.1 8.5 9.0 9.1 9.2
$(foreach release,$(NPU_RELEASES),$(eval $(call npu_release,$(release))))

install-files: install-softnpu
.PHONY: install-softnpu
install-softnpu:
	install -d $(AT_PREFIX)/include/softnpu $(foreach release,$(NPU_RELEASES),$(AT_PREFIX)/lib/softnpu/$(release))
	cp -P $(addprefix $(NPU)/,libascendcl.so libacl_rt.so libnnopbase.so libopapi.so libacl_dvpp.so) $(AT_PREFIX)/lib/softnpu
	cp -R $(BUILD)/include/. $(AT_PREFIX)/include/softnpu
	$(foreach release,$(NPU_RELEASES),cp -P $(NPU)/$(release)/lib*.so $(AT_PREFIX)/lib/softnpu/$(release) &&) true
