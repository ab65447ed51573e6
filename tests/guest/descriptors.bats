#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The program's descriptors: none is held between calls, none is used that was not just opened.

load guest.bash

setup_descriptors() {
	export LD_LIBRARY_PATH=$guest/empty
	# Log to a file, report and its journal, unwinding and symbols: all that opens something.
	export ACLCHECK_STACKS=all
}

@test "between calls the same descriptors are open, and the same number is next" {
	setup_descriptors
	same_as_without "$guest/descriptors" look
	[ "$(field verdict)" = fail ]
}

@test "numbers that the program takes for its own files and sockets stay its own" {
	setup_descriptors
	same_as_without "$guest/descriptors" reuse
	[ "$(cat ours.out)" = ok ]
	[ "$(field verdict)" = fail ]
}

@test "system calls: no pipe, each descriptor is opened, used and closed within one call" {
	setup_descriptors
	ACLCHECK_LOG=$place/log ACLCHECK_REPORT=$place/report.json strace -f -o trace -E LD_PRELOAD="$library" \
		"$guest/descriptors" marked
	[ "$(field verdict)" = fail ]
	python3 - trace <<-'P'
		import re, sys
		# Between the first mark and the last one, and on to the end of the process.
		lines = [line.split(None, 1)[1] for line in open(sys.argv[1])]
		begin = next(i for i, line in enumerate(lines) if line.startswith("close(-77)"))
		held, uses = set(), 0
		for line in lines[begin:]:
		    call = re.match(r"(\w+)\(", line)
		    if not call:
		        continue
		    name = call.group(1)
		    result = re.search(r"= (-?\d+)", line)
		    result = int(result.group(1)) if result else None
		    assert not name.startswith(("pipe", "socket", "eventfd", "memfd", "epoll", "dup")), line
		    if line.startswith("close(-77)"):
		        assert not held, ("held across calls", held)
		        continue
		    if name in ("open", "openat", "creat") and result is not None and result >= 0:
		        assert "O_CLOEXEC" in line and result > 2, line
		        held.add(result)
		    descriptor = re.match(r"(?:read|write|pread64|pwrite64|writev|fstat|newfstatat|lseek|ioctl|fcntl|close|flock|"
		                          r"fallocate|ftruncate|getdents64)\((-?\d+)", line)
		    if descriptor and int(descriptor.group(1)) > 2:
		        assert int(descriptor.group(1)) in held, ("not opened by this call", line)
		        uses += 1
		        if name == "close":
		            held.remove(int(descriptor.group(1)))
		assert not held and uses, (held, uses)
	P
}

@test "valgrind finds nothing in a program with findings" {
	setup_descriptors
	LD_PRELOAD=$library ACLCHECK_LOG=$place/log ACLCHECK_REPORT=$place/report.json valgrind -q --error-exitcode=33 \
		--log-file="$place/valgrind" "$guest/descriptors" look >out || {
		cat "$place/valgrind"
		false
	}
	[ ! -s "$place/valgrind" ]
	[ "$(field verdict)" = fail ]
}

@test "descriptors 0 to 2, where the program has closed them, are never taken" {
	LD_LIBRARY_PATH=$guest/empty ACLCHECK_LOG=$place/log ACLCHECK_REPORT=$place/report.json strace -f -o trace \
		-E LD_PRELOAD="$library" "$guest/ending" close-all 3
	[ "$(field verdict)" = fail ]
	python3 - trace <<-'P'
		import re, sys
		lines = [line.split(None, 1)[1] for line in open(sys.argv[1])]
		begin = next(i for i, line in enumerate(lines) if line.startswith("close(2)"))
		opened = 0
		for line in lines[begin:]:
		    made = re.match(r"(?:open|openat|creat|socket|dup|fcntl)\(.*= (\d+)$", line)
		    if not made or "F_GETFD" in line:
		        continue
		    opened += 1
		    assert int(made.group(1)) > 2 or "O_PATH" in line, line
		assert opened
	P
}
