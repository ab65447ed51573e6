# SPDX-License-Identifier: Apache-2.0
# libaclcheck-lttng.so, the trace provider. The unit names are those of tools/gen/print_tracepoints.c.

TRACE_UNITS := $(addprefix trace/acl_,0 1 2 3 4 5) $(addprefix trace/minimal_,0 1) trace/enums trace/units
TRACE_UNIT_OBJS := $(call genobjs,$(TRACE_UNITS))
TRACE_OBJS := $(call objs,$(wildcard tracepoints/*.c)) $(TRACE_UNIT_OBJS) $(MODEL_OBJS)

$(foreach unit,$(TRACE_UNITS),$(eval $(BUILD)/gen/$(unit).c: $(BUILD)/gen/.stamp ; @:))

# A thousand generated functions: less debug data make them compile in half the time.
CPPFLAGS_tracepoints := $(OLD_GLIBC_CPPFLAGS)
$(TRACE_UNIT_OBJS): CPPFLAGS += $(OLD_GLIBC_CPPFLAGS)
$(TRACE_UNIT_OBJS): CFLAGS += -g1

$(BUILD)/libaclcheck-lttng.so: $(TRACE_OBJS)
	$(call say,LD,$@)$(CC) -shared -Wl,-z,defs -Wl,-z,nodelete -Wl,-soname,libaclcheck-lttng.so $(SANITIZE) -o $@ $^ \
		-llttng-ust $(OLD_GLIBC_LIBS)

ALL += $(BUILD)/libaclcheck-lttng.so
INSTALL_LIB += $(BUILD)/libaclcheck-lttng.so

# They are part of the command.
TRACE_COMPASS := $(patsubst tracepoints/%,$(BUILD)/gen/%,$(wildcard tracepoints/tracecompass/*.xml))
$(BUILD)/obj/tools/aclcheck/trace/cmd_trace_compass.o: $(TRACE_COMPASS)

# The reader of traces, tools/aclcheck/trace.
READER_LIBS += -lbabeltrace2
