# SPDX-License-Identifier: Apache-2.0
# The preload library as a guest: nothing of the program changes, whatever the program does.

GUEST := $(BUILD)/tests/guest
GUEST_PROGRAMS := $(addprefix $(GUEST)/,ending early_main callbacks by_name signals threads)
GUEST_LIBRARIES := $(addprefix $(GUEST)/,small/libascendcl.so libearly.so libplugin.so libwaiter.so traced/libaclcheck-lttng.so \
	traced/libaclcheck.so)

# Deprecated functions have callbacks, too.
CPPFLAGS_tests/guest += -Wno-deprecated-declarations

GUEST_LINK = -L$(BUILD)/softnpu -lascendcl -Wl,-rpath,'$$ORIGIN/../../softnpu' -pthread -ldl

$(GUEST_PROGRAMS): $(GUEST)/%: $(BUILD)/obj/tests/guest/%.o $(BUILD)/softnpu/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $< $(GUEST_LINK)

$(GUEST)/early_main: GUEST_LINK = -L$(GUEST) -Wl,--no-as-needed -learly -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../../softnpu' \
	-Wl,-rpath-link,$(BUILD)/softnpu
$(GUEST)/early_main: $(GUEST)/libearly.so
# Nothing of the runtime is linked: names come from dlsym alone.
$(GUEST)/by_name: GUEST_LINK = -ldl

$(GUEST)/lib%.so: $(BUILD)/obj/tests/guest/%.o $(BUILD)/softnpu/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $< -L$(BUILD)/softnpu -lascendcl \
		-Wl,-rpath,'$$ORIGIN/../../softnpu'

$(GUEST)/small/libascendcl.so: $(BUILD)/obj/tests/guest/small_runtime.o
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -Wl,-soname,libascendcl.so -o $@ $<

# The library beside a provider that writes lines: it finds its provider in its own folder.
$(GUEST)/traced/libaclcheck-lttng.so: $(BUILD)/obj/tests/guest/event_lines.o $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $^

$(GUEST)/traced/libaclcheck.so: $(BUILD)/libaclcheck.so
	$(call say,CP,$@)mkdir -p $(@D) && cp $< $@

# The parts that know addresses, on their own.
$(GUEST)/addresses: $(call objs,tests/guest/addresses.c tests/guest/no_dl.c $(addprefix interpose/,arena.c cost.c text.c json_out.c elfsym.c hidden.c \
	hostclass.c module.c stack.c))
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $^ -lcmocka -ldl -pthread
TESTS += $(GUEST)/addresses

# The same library, runtime and programs with sanitizers, each in a build of its own.
GUEST_SANITIZE_asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined
GUEST_SANITIZE_tsan := -fsanitize=thread

.PHONY: guest-asan guest-tsan guest-sanitized
guest-asan guest-tsan: guest-%:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/guest-$* SANITIZE="$(GUEST_SANITIZE_$*)" CFLAGS="-O1 -g" \
		guest-sanitized
guest-sanitized: $(BUILD)/libaclcheck.so $(BUILD)/softnpu/libascendcl.so $(GUEST_PROGRAMS)
tests/guest/sanitizers.bats: guest-asan guest-tsan

GUEST_TESTS := $(wildcard tests/guest/*.bats)
$(GUEST_TESTS): $(GUEST_PROGRAMS) $(GUEST_LIBRARIES) $(BUILD)/libaclcheck.so
TESTS += $(GUEST_TESTS)
