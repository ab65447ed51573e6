# SPDX-License-Identifier: Apache-2.0
# Entry points: all demo test test-aarch64 bench install deb rpm format lint mutate clean (see README.md).
# Each directory says in its module.mk what it builds; this file holds what they share.

# make CROSS_COMPILE=aarch64-linux-gnu- all: for another machine, in a directory of its own.
ifneq ($(CROSS_COMPILE),)
BUILD ?= build/$(CROSS_COMPILE:-=)
override CC := $(CROSS_COMPILE)gcc
override CXX := $(CROSS_COMPILE)g++
endif

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
V ?= 0

ifeq ($(V),0)
Q := @
say = @printf '  %-7s %s\n' '$(1)' '$(2)';
else
Q :=
say =
endif

CC ?= cc
WARN := -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes -Wpointer-arith
# Everything is built so that it may end in a shared object; sanitizers take their stacks by frame pointers.
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=gnu11 $(WARN) -fPIC -fvisibility=hidden -fomit-frame-pointer $(strip $(BRANCH_PROTECTION) $(CFLAGS)) \
	$(if $(SANITIZE),-fno-omit-frame-pointer $(SANITIZE))
# Landing pads for indirect calls and signed return addresses: hints, which older processors pass over.
BRANCH_PROTECTION := $(if $(filter aarch64%,$(shell $(CC) -dumpmachine)),-mbranch-protection=standard)
CPPFLAGS_ALL = -I$(BUILD)/gen -I$(BUILD)/include -Iinclude -I. -D_GNU_SOURCE $(CPPFLAGS)

# What loads on older systems than the one it is built on: include/aclcheck/old_glibc.h.
OLD_GLIBC_CPPFLAGS := -include aclcheck/old_glibc.h
OLD_GLIBC_LIBS := -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--as-needed
# A sanitizer has a start of its own.
OLD_GLIBC_START = $(if $(SANITIZE),,-Wl,--wrap=__libc_start_main)

VERSION := 0.1.0
# Where readers of SARIF find out more; the address of a packager or of a fork.
HOMEPAGE ?=

# Make's own rules would try to build an executable from every dependency file.
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
# Objects of test programs are kept: the next build needs them again.
.SECONDARY:
.SECONDEXPANSION:

.PHONY: all demo test bench install format lint clean
all:

# --- shared recipes -------------------------------------------------------
# Objects of hand-written and of generated sources; headers are tracked by -MMD.
# The generated headers are an order-only need of every object.
GENERATED := $(BUILD)/gen/.stamp $(BUILD)/gen/.modules $(BUILD)/include/softnpu.h

# Another compiler or other flags make other objects: what they are stands in a file that changes with them.
# Now, as some objects have flags of their own, which their prerequisites would inherit.
BUILT_WITH := $(CC) $(ALL_CFLAGS) $(CPPFLAGS_ALL)
$(BUILD)/.built-with: always
	$(Q)mkdir -p $(@D) && printf '%s\n' '$(subst ','\'',$(BUILT_WITH))' >$@.new && \
		if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
.PHONY: always

$(BUILD)/obj/%.o: %.c $(BUILD)/.built-with | $(GENERATED)
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(CPPFLAGS_ALL) $(CPPFLAGS_$(*D)) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: %.S $(BUILD)/.built-with | $(GENERATED)
	$(call say,AS,$<)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(CPPFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/.built-with | $(GENERATED)
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(CPPFLAGS_ALL) $(CPPFLAGS_gen) -MMD -MP -c -o $@ $<

# objs dir/a.c dir/b.c -> their objects
objs = $(patsubst %.c,$(BUILD)/obj/%.o,$(filter %.c,$(1))) $(patsubst %.S,$(BUILD)/obj/%.o,$(filter %.S,$(1)))
genobjs = $(patsubst %,$(BUILD)/obj/gen/%.o,$(1))

include tools/gen/module.mk
-include $(filter-out tools/gen/module.mk,$(wildcard checks/module.mk interpose/module.mk tracepoints/module.mk tools/*/module.mk) $(wildcard tests/module.mk))

all: $(ALL)

-include $(shell [ -d $(BUILD)/obj ] && find $(BUILD)/obj -name '*.d')

clean:
	rm -rf $(BUILD)

# --- other compilers ----------------------------------------------------------
# make compilers: everything with each of these that is installed, in a directory of its own. COMPILERS="gcc-11 clang-16" names some.
COMPILERS ?= gcc-10 gcc-11 gcc-12 gcc-13 clang-13 clang-14 clang-15 clang-16
.PHONY: compilers
compilers: $(COMPILERS:%=compiler-%)

# With the flags that warnings depend on, and without debug information, which takes a third of the time.
compiler-%: always
	$(Q)if command -v '$*' >/dev/null; then \
		$(MAKE) --no-print-directory BUILD='$(abspath $(BUILD))/compilers/$*' CC='$*' \
			CXX='$(subst clang,clang++,$(subst gcc,g++,$*))' CFLAGS=-O2 all && echo '$*: no warning'; \
	else echo '$*: not installed'; fi

# --- installation -----------------------------------------------------------
# INSTALL_LIB, INSTALL_BIN, INSTALL_LIBEXEC, INSTALL_MAN1 and INSTALL_MAN7 are appended to by the directories; INSTALL_DATA as well,
# with FILE:PLACE, the place from the prefix on.
AT_PREFIX = "$(DESTDIR)$(PREFIX)"
define install_data
	install -D -m 644 $(word 1,$(subst :, ,$(1))) $(AT_PREFIX)/$(word 2,$(subst :, ,$(1)))

endef

install: all $(INSTALL_MAN1) $(INSTALL_MAN7)
	@$(MAKE) --no-print-directory install-files

# What is built, and nothing is built for it: a test installs while others use the build.
.PHONY: install-files
install-files: $(foreach f,$(INSTALL_DATA),$(word 1,$(subst :, ,$(f))))
	install -d $(AT_PREFIX)/bin $(AT_PREFIX)/lib/aclcheck $(AT_PREFIX)/include $(AT_PREFIX)/share/man/man1 $(AT_PREFIX)/share/man/man7 \
		$(AT_PREFIX)/share/aclcheck/python
	install -m 755 $(INSTALL_BIN) $(AT_PREFIX)/bin
	install -m 644 $(INSTALL_LIB) $(AT_PREFIX)/lib
	install -m 755 $(INSTALL_LIBEXEC) $(AT_PREFIX)/lib/aclcheck
	install -m 644 include/aclcheck.h include/aclcheck_gtest.h $(AT_PREFIX)/include
	install -m 644 include/python/aclcheck.py include/python/pytest_aclcheck.py $(AT_PREFIX)/share/aclcheck/python
	$(if $(INSTALL_MAN1),install -m 644 $(INSTALL_MAN1) $(AT_PREFIX)/share/man/man1)
	$(if $(INSTALL_MAN7),install -m 644 $(INSTALL_MAN7) $(AT_PREFIX)/share/man/man7)
	$(foreach f,$(INSTALL_DATA),$(call install_data,$(f)))

# What an installation of this build would bring: with the same PREFIX and DESTDIR.
.PHONY: uninstall
uninstall:
	@staged=$$(mktemp -d) && trap 'rm -rf "$$staged"' EXIT && \
		$(MAKE) --silent --no-print-directory install-files DESTDIR="$$staged" && \
		tools/install/remove "$$staged$(PREFIX)" "$(DESTDIR)$(PREFIX)"

# --- the house's own order ----------------------------------------------------
C_SOURCES = $(shell git ls-files '*.c' '*.h' '*.cpp' '*.cc')
SHELL_SOURCES = $(shell git ls-files '*.sh' '*.bash' tests/keep-tap tests/aarch64/mirror tests/aarch64/compile tools/install-deps tools/install/remove tools/packages/build tools/packages/facts tools/docs/commands tools/docs/tutorial/picture tools/gen/check-cann .ci/run tools/bench/run tools/bench/counts tools/bench/instructions tools/bench/compiler tools/bench/trace_run tools/bench/all tools/bench/missed tools/bench/profile)

format:
	@clang-format -i $(C_SOURCES)

lint: $(BUILD)/gen/.stamp
	@clang-format --dry-run -Werror $(C_SOURCES)
	shellcheck $(SHELL_SOURCES)
	cppcheck --quiet --error-exitcode=1 --inline-suppr --enable=warning,portability -I include -I . -I $(BUILD)/gen \
		'-Djson_array_foreach(array,index,value)=if ((index = 0, value = array, value))' \
		'-Djson_object_foreach(object,key,value)=if ((key = "", value = object, value))' -D__x86_64__=1 \
		--suppress=missingIncludeSystem checks interpose tools/aclcheck tools/gen
