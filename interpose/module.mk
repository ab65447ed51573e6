# SPDX-License-Identifier: Apache-2.0
# libaclcheck.so, the preload library: wrappers, the way to the real runtime, life cycle, sinks, and the checker.

include interpose/sinks.mk

PRELOAD_SRC := $(addprefix interpose/,arena.c call.c callback.c checker.c children.c core.c dl.c dl_aarch64.S dl_x86_64.S \
	elfsym.c exec.c exiting.c handler.c hooks.c hostclass.c init_config.c life.c module.c preloadable.c real.c spawn.c stack.c trace.c \
	unload.c unseen.c version.c) $(SINK_SOURCES)
PRELOAD_OBJS := $(call objs,$(PRELOAD_SRC) $(CHECKS_SRC)) $(call genobjs,wrappers $(CHECKS_GEN)) $(MODEL_OBJS)

# No initfirst: its constructor would run before the C library's, without an environment (measured on glibc 2.36).
# Calls that come before our constructor wake the library as any first call does.
# nodelete: the program may dlclose us, exit functions and trampolines stay.
PRELOAD_LDFLAGS := -Wl,-z,defs -Wl,-z,nodelete -Wl,-z,now -Wl,-z,relro -Wl,-soname,libaclcheck.so \
	-Wl,--version-script=$(BUILD)/gen/interpose.map -static-libgcc

$(PRELOAD_OBJS): CFLAGS += -ftls-model=initial-exec

$(BUILD)/libaclcheck.so: $(PRELOAD_OBJS) $(BUILD)/gen/interpose.map
	$(call say,LD,$@)$(CC) -shared $(PRELOAD_LDFLAGS) $(SANITIZE) -o $@ $(PRELOAD_OBJS)
ALL += $(BUILD)/libaclcheck.so
INSTALL_LIB += $(BUILD)/libaclcheck.so

# Everything of the library compiled for the other common host; `make CC=aarch64-linux-gnu-gcc` does the rest where
# the libraries of that machine are installed.
AARCH64_CC ?= aarch64-linux-gnu-gcc
.PHONY: aarch64-compile
aarch64-compile:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/aarch64 CC=$(AARCH64_CC) aarch64-objects
.PHONY: aarch64-objects
aarch64-objects: $(PRELOAD_OBJS) $$(NPU_OBJS)
