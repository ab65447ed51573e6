# SPDX-License-Identifier: Apache-2.0
# Program and tool where a container leaves them little: mounts, users, system calls, memory.

CONTAINERS := $(BUILD)/tests/containers

$(CONTAINERS)/confined: $(BUILD)/obj/tests/containers/confined.o
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $< -lseccomp

CONTAINER_TESTS := $(wildcard tests/containers/*.bats)
$(CONTAINER_TESTS): $(CONTAINERS)/confined $(BUILD)/tests/demo/demo $(BUILD)/tests/documents/h2d_sync
TESTS += $(CONTAINER_TESTS)
