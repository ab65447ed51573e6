# SPDX-License-Identifier: Apache-2.0
# libaclcheck.so, the preload library: wrappers, the way to the real runtime, life cycle, sinks, and the checker.

# common/ is linked into the aclcheck command as well.
INTERPOSE_COMMON := $(wildcard interpose/common/*.c)
# The tool's own stack, and what walks stacks.
STACK_SOURCES := $(wildcard interpose/stack/*.c interpose/stack/*.S)
UNWIND_SOURCES := $(addprefix interpose/symbolize/,cfi.c cfi_expression.c unwind.c)
# Frames of Python code, and call stacks with them.
PYTHON_SOURCES := $(addprefix interpose/symbolize/,memory_windows.c python_frames.c python_interpreter.c python_known.c python_lines.c python_names.c)
CALL_STACK_SOURCES := $(addprefix interpose/symbolize/,call_stack.c caller_site.c) $(PYTHON_SOURCES)
# What people and pipelines read: settings, log, journal, report. The tests of these parts supply the rest themselves.
SINK_SOURCES := $(filter-out interpose/report/trace_sink.c $(CALL_STACK_SOURCES) $(UNWIND_SOURCES), \
	$(INTERPOSE_COMMON) $(STACK_SOURCES) $(wildcard interpose/config/*.c interpose/symbolize/*.c interpose/report/*.c)) \
	$(addprefix interpose/runtime/,direct_binding.c runtime_copies.c elf_object.c library_name.c) checks/engine/lock.c

CPPFLAGS_interpose := -DACLCHECK_VERSION='"$(VERSION)"'
$(foreach d,$(wildcard interpose/*/),$(eval CPPFLAGS_$(d:/=) := $(CPPFLAGS_interpose)))

PRELOAD_SRC := $(wildcard interpose/*/*.c interpose/*/*.S)
PRELOAD_OBJS := $(call objs,$(PRELOAD_SRC) $(CHECKS_SRC)) $(call genobjs,wrappers $(CHECKS_GEN)) $(MODEL_OBJS)

# No initfirst: its constructor would run before the C library's, without an environment (measured on glibc 2.36).
# Calls that come before our constructor wake the library as any first call does.
# nodelete: the program may dlclose us, exit functions and trampolines stay.
PRELOAD_LDFLAGS := -Wl,-z,defs -Wl,-z,nodelete -Wl,-z,now -Wl,-z,relro -Wl,-soname,libaclcheck.so \
	-Wl,--version-script=$(BUILD)/gen/interpose.map -static-libgcc
# Cancellation points of the C library, by system calls of our own (process/uncancellable.c).
comma := ,
PRELOAD_LDFLAGS += $(addprefix -Wl$(comma)--wrap=,open close fcntl read pread write pwrite sendto recvmsg nanosleep poll sigtimedwait)

# The demangler of the GNU C++ library's static part, where that can go into a shared object; its names stay hidden.
DEMANGLE := -Wl,-u,__gcclibcxx_demangle_callback
demangler = $$(a=$$($(CXX) -print-file-name=libsupc++.a); \
	! $(CC) -shared $(DEMANGLE) -o $@.try $$a 2>$@.try || echo $(DEMANGLE) $$a; rm -f $@.try)

$(BUILD)/libaclcheck.so: $(PRELOAD_OBJS) $(BUILD)/gen/interpose.map
	$(call say,LD,$@)$(CC) -shared $(PRELOAD_LDFLAGS) $(SANITIZE) -o $@ $(PRELOAD_OBJS) $(demangler)
ALL += $(BUILD)/libaclcheck.so
INSTALL_LIB += $(BUILD)/libaclcheck.so

# Everything of the library compiled for the other common host; `make CROSS_COMPILE=aarch64-linux-gnu- all` does the rest
# where the libraries of that machine are installed. One build for all: tests/aarch64/module.mk has the flags of programs. "+": it is
# make that is started, and gets jobs of this one.
AARCH64 ?= aarch64-linux-gnu-
AARCH64_CC = $(AARCH64)gcc
AARCH64_CXX = $(AARCH64)g++
AARCH64_BUILD = $(abspath $(BUILD))/aarch64
AARCH64_MAKE = $(MAKE) --no-print-directory BUILD=$(AARCH64_BUILD) CC=$(AARCH64_CC) CXX=$(AARCH64_CXX) LDFLAGS='$(AARCH64_LDFLAGS)'
.PHONY: aarch64-compile
aarch64-compile:
	+$(Q)$(AARCH64_MAKE) aarch64-objects
# What tests/guest/aarch64.bats runs under qemu.
.PHONY: aarch64-guest
aarch64-guest:
	+$(Q)! command -v $(AARCH64_CC) >/dev/null || $(AARCH64_MAKE) \
		$(addprefix $(AARCH64_BUILD)/,libaclcheck.so tests/guest/stack_need tests/guest/held)
.PHONY: aarch64-objects
aarch64-objects: $(BUILD)/libaclcheck.so $$(NPU)/libascendcl.so
