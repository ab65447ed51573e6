# SPDX-License-Identifier: Apache-2.0
# The preload library as a guest: nothing of the program changes, whatever the program does.

GUEST := $(BUILD)/tests/guest
GUEST_PROGRAMS := $(addprefix $(GUEST)/,child ending early_main callbacks launches by_name signals threads tls cancel locks endure)
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

# On a runtime whose bodies are empty.
$(GUEST)/cancel $(GUEST)/locks $(GUEST)/endure: GUEST_LINK = -L$(GUEST)/small -lascendcl -Wl,-rpath,'$$ORIGIN/small' -pthread -ldl
$(GUEST)/cancel $(GUEST)/locks $(GUEST)/endure: $(GUEST)/small/libascendcl.so

$(GUEST)/lib%.so: $(BUILD)/obj/tests/guest/%.o $(BUILD)/softnpu/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $< -L$(BUILD)/softnpu -lascendcl \
		-Wl,-rpath,'$$ORIGIN/../../softnpu'

$(GUEST)/small/libascendcl.so: $(BUILD)/obj/tests/guest/small_runtime.o
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -Wl,-soname,libascendcl.so -o $@ $<

# Every function with an empty body: whatever a program meets there comes from the library.
$(GUEST)/empty.c: $(BUILD)/gen/interpose.map
	$(Q)mkdir -p $(@D) && sed -n 's/^\t\(acl[A-Za-z0-9]*\);$$/long \1(void); long \1(void) { return 0; }/p' $< >$@

$(GUEST)/empty/libascendcl.so: $(GUEST)/empty.c
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -O2 -fPIC -shared -Wl,-soname,libascendcl.so -o $@ $<

# Every function refuses: what a wild pointer meets there is the library.
$(GUEST)/refusing.c: $(BUILD)/gen/interpose.map
	$(Q)mkdir -p $(@D) && sed -n 's/^\t\(acl[A-Za-z0-9]*\);$$/long \1(void); long \1(void) { return 107000; }/p' $< >$@

$(GUEST)/refusing/libascendcl.so: $(GUEST)/refusing.c
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -O2 -fPIC -shared -Wl,-soname,libascendcl.so -o $@ $<

$(GUEST)/wild_pointers: $(BUILD)/obj/tests/guest/wild_pointers.o $(call genobjs,test_invoke) $(MODEL_OBJS) $(GUEST)/refusing/libascendcl.so
	$(call say,LD,$@)$(CC) $(SANITIZE) -o $@ $(filter %.o,$^) -L$(GUEST)/refusing -lascendcl -Wl,-rpath,'$$ORIGIN/refusing'
tests/guest/wild_pointers.bats: $(GUEST)/wild_pointers $(GUEST)/empty/libascendcl.so $(GUEST)/traced/libaclcheck-lttng.so $(GUEST)/traced/libaclcheck.so

# Bound at once, so that the dynamic linker's own need of stack is not measured.
GUEST_EMPTY := $(addprefix $(GUEST)/,stack_need descriptors)
$(GUEST)/stack_need: $(call genobjs,test_invoke) $(MODEL_OBJS)
$(GUEST_EMPTY): $(GUEST)/%: $(BUILD)/obj/tests/guest/%.o $(GUEST)/empty/libascendcl.so
	$(call say,LD,$@)$(CC) $(SANITIZE) -Wl,-z,now -o $@ $(filter %.o,$^) -L$(GUEST)/empty -lascendcl -pthread

# A runtime that leaves callbacks to the program.
$(GUEST)/holding/libascendcl.so: $(BUILD)/obj/tests/guest/held_runtime.o $(call objs,tools/bench/empty_runtime.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -Wl,-soname,libascendcl.so -o $@ $^
$(GUEST)/held: $(BUILD)/obj/tests/guest/held.o $(GUEST)/holding/libascendcl.so
	$(call say,LD,$@)$(CC) $(SANITIZE) -Wl,-z,now -o $@ $(filter %.o,$^) -L$(GUEST)/holding -lascendcl -pthread -Wl,-rpath,'$$ORIGIN/holding'
tests/guest/stack.bats tests/guest/launches.bats: $(GUEST)/held

# Variables of threads, found by both dialects that the machine's compiler has.
TLS_DIALECTS := $(if $(filter aarch64%,$(shell $(CC) -dumpmachine)),desc trad,gnu2 gnu)
$(GUEST)/libtls_descriptors.so: TLS_DIALECT = $(word 1,$(TLS_DIALECTS))
$(GUEST)/libtls_calls.so: TLS_DIALECT = $(word 2,$(TLS_DIALECTS))
$(GUEST)/libtls_%.so: tests/guest/tls_plugin.c tests/guest/tls_plugin.h
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -mtls-dialect=$(TLS_DIALECT) -shared -o $@ $<
tests/guest/tls.bats: $(GUEST)/libtls_descriptors.so $(GUEST)/libtls_calls.so

# Every register a call may use, on a runtime that writes them down.
$(GUEST)/registered/libascendcl.so: $(BUILD)/obj/tests/guest/registers_runtime.o
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared -Wl,-soname,libascendcl.so -o $@ $<
$(GUEST)/registers: $(BUILD)/obj/tests/guest/registers.o $(GUEST)/registered/libascendcl.so
	$(call say,LD,$@)$(CC) $(LDFLAGS) -o $@ $< -L$(GUEST)/registered -lascendcl -Wl,-rpath,'$$ORIGIN/registered'
tests/guest/registers.bats: $(GUEST)/registers

# The heap: a C++ program, and an allocator that writes down its calls.
$(GUEST)/heap: tests/guest/heap.cpp $(BUILD)/softnpu/libascendcl.so
	$(call say,CXX,$<)mkdir -p $(@D) && $(CXX) -Wall -Wextra -Werror -O1 -g -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -ldl -pthread -Wl,-rpath,'$$ORIGIN/../../softnpu'

$(GUEST)/heap_shim.so $(GUEST)/session_shim.so: $(GUEST)/%.so: $(BUILD)/obj/tests/guest/%.o
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared -o $@ $<
tests/guest/heap.bats: $(GUEST)/heap $(GUEST)/heap_shim.so
tests/guest/children.bats: $(GUEST)/session_shim.so

# Our reader of debug information beside libdw; and alone under the sanitizers.
LINES_SRC := tests/guest/lines_compare.c $(addprefix interpose/symbolize/,source_lines.c dwarf_read.c dwarf_units.c dwarf_lines.c \
	function_names.c) $(addprefix interpose/common/,text.c tool_arena.c tool_memory.c tool_open.c)
$(GUEST)/lines_compare: $(call objs,$(LINES_SRC))
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -o $@ $^ -ldw -lelf
$(GUEST)/lines_compare-asan: $(LINES_SRC) $(wildcard interpose/symbolize/*.h) | $(BUILD)/gen/.stamp
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -O1 $(CPPFLAGS_ALL) -fsanitize=address,undefined \
		-fno-sanitize-recover=all -o $@ $(filter %.c,$^) -ldw -lelf
tests/guest/lines.bats: $(GUEST)/lines_compare $(GUEST)/lines_compare-asan

# The library beside a provider that writes lines: it finds its provider in its own folder.
$(GUEST)/traced/libaclcheck-lttng.so: $(BUILD)/obj/tests/guest/event_lines.o $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $^

$(GUEST)/traced/libaclcheck.so: $(BUILD)/libaclcheck.so
	$(call say,CP,$@)mkdir -p $(@D) && cp $< $@

# The parts that know addresses, on their own.
$(GUEST)/addresses: $(call objs,tests/guest/addresses.c tests/guest/no_dl.c $(addprefix interpose/common/,tool_arena.c tool_memory.c thread_state.c kernel_copy.c site_conditions.c tool_open.c) \
	$(addprefix interpose/runtime/,elf_object.c elf_symbols.c host_address.c library_name.c loaded_module.c module_walk.c) checks/engine/lock.c $(CALL_STACK_SOURCES) $(addprefix interpose/symbolize/,python_place.c python_status.c stack_site.c) \
	$(STACK_SOURCES) $(UNWIND_SOURCES))
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $^ -lcmocka -ldl -pthread
TESTS += $(GUEST)/addresses

# Unwinding, with frames of other kinds than our own code has.
$(GUEST)/libframes.so: $(BUILD)/obj/tests/guest/unwind_frames.o
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $<
$(BUILD)/obj/tests/guest/unwind_frames.o: CFLAGS += -fomit-frame-pointer -fno-optimize-sibling-calls

$(GUEST)/unwinding: $(call objs,tests/guest/unwinding.c $(addprefix interpose/common/,tool_arena.c tool_memory.c thread_state.c kernel_copy.c site_conditions.c tool_open.c) \
	interpose/runtime/loaded_module.c interpose/runtime/module_walk.c checks/engine/lock.c $(STACK_SOURCES) $(UNWIND_SOURCES)) $(GUEST)/libframes.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $(filter %.o,$^) -L$(GUEST) -lframes \
		-Wl,-rpath,'$$ORIGIN' -lcmocka -pthread
TESTS += $(GUEST)/unwinding

# Library, runtime and programs with sanitizers.
SANITIZED += $(BUILD)/libaclcheck.so $(BUILD)/softnpu/libascendcl.so $(GUEST_PROGRAMS) $(GUEST)/held
tests/guest/sanitizers.bats: asan tsan
# Both, since the second one makes more in the same directory.
tests/guest/aarch64.bats tests/guest/symbols.bats: aarch64-guest

GUEST_TESTS := $(wildcard tests/guest/*.bats)
$(GUEST_TESTS): $(GUEST_PROGRAMS) $(GUEST_EMPTY) $(GUEST_LIBRARIES) $(BUILD)/libaclcheck.so
TESTS += $(GUEST_TESTS)
