#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# In each kind of container the program does what it does without us, and every finding is there.

setup() {
	BUILD=$ACLCHECK_BUILD
	DEMO=$BUILD/tests/demo/demo
	CONFINED=$BUILD/tests/containers/confined
	# One that another user may reach as well: the directories of bats are their owner's.
	place=$(mktemp -d)
	cd "$place" || return
	mkdir -m 777 out
	# Without /proc the dynamic linker does not know where a program lies.
	export LD_LIBRARY_PATH=$BUILD/softnpu
	unset ACLCHECK_{CONFIG,REPORT,EXITCODE,RULES,LOG,RUNTIME,TRACE} TMPDIR
}

teardown() {
	rm -rf "$place"
}

# The rules that tests/demo/table has for the program.
rules='async-copy-alignment async-copy-h2h capture-resource-freed-before-destroy capture-sync-stream device-reset-with-live-objects init-repeat leak-host-memory'

# findings REPORT: those rules are in it, no other, and the program's own lines of code
findings() {
	python3 - "$1" $rules <<-'P'
		import json, sys
		report = json.load(open(sys.argv[1]))
		assert report["verdict"] == "fail", report["verdict"]
		primary = [f for f in report["findings"] if not f.get("secondary") and not f.get("advice")]
		found = sorted({f["rule"] for f in primary})
		assert found == sys.argv[2:], found
		for f in primary:
		    assert any(frame.get("module", "").endswith("tests/demo/demo") for frame in f["stack"]), f["stack"]
	P
}

# holds CONTAINER...: the program alone, preloaded and as a run, each by that command
holds() {
	"$@" "$DEMO" >plain.out 2>plain.err
	[ "$(cat plain.out)" = 'sums: 30 31 32 33 34 35 36 37' ]
	"$@" env LD_PRELOAD="$BUILD/libaclcheck.so" ACLCHECK_LOG="$place/out/log" ACLCHECK_REPORT="$place/out/r.json" "$DEMO" >ours.out 2>ours.err
	diff plain.out ours.out
	diff plain.err ours.err
	findings out/r.json
	grep -q 'verdict: fail' out/log
	run "$@" "$BUILD/aclcheck" run --softnpu --report "$place/out/run.json" -- "$DEMO"
	[ "$status" -eq 97 ] || { echo "$output"; return 1; }
	findings out/run.json
	# The exit code is the program's own, and nothing is found where nothing is.
	run "$@" "$BUILD/aclcheck" run --softnpu --report "$place/out/exit.json" -- sh -c "'$BUILD/tests/documents/h2d_sync'; exit 7"
	[ "$status" -eq 7 ] || { echo "$output"; return 1; }
	[ "$(ls out)" = "$(printf 'exit.json\nlog\nr.json\nrun.json')" ]
}

# mounted COMMANDS PROGRAM...: in a mount name space of its own, after these commands of a shell
mounted() {
	unshare -m bash -ec "$1"' && exec "$@"' - "${@:2}"
}

may_mount() {
	[ "$(id -u)" -eq 0 ] && mounted 'mount -t tmpfs none /dev/shm' true 2>/dev/null || skip "nothing can be mounted"
}

no_proc='mount -t tmpfs -o ro none /proc'
small_shm='mount -t tmpfs -o size=64k,mode=1777 none /dev/shm'
# Every mounted file system but out/, as docker run --read-only -v out:… has it.
read_only='mount --bind out out; cut -d" " -f5 /proc/self/mountinfo | grep -vxE "/proc|$PWD/out" | while read -r m; do
	mount -o remount,bind,ro "$m" 2>/dev/null || [ "$m" != / ]; done; ! touch . 2>/dev/null'
unprivileged='setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs'

@test "the seccomp filters refuse what they should" {
	[[ $("$CONFINED" docker python3 -c 'import os; os.unshare(os.CLONE_NEWUTS)' 2>&1) == *"not permitted"* ]] ||
		[[ $("$CONFINED" docker unshare -u true 2>&1) == *"not permitted"* ]]
	[[ $("$CONFINED" kernel-4.19 python3 -c 'import os; os.pidfd_open(1)' 2>&1) == *"not implemented"* ]]
	[[ $("$CONFINED" kernel-4.19 python3 -c 'import os; os.memfd_create("x")' 2>&1) == *"not implemented"* ]]
}

@test "Docker's default seccomp profile" {
	holds "$CONFINED" docker
}

@test "the system calls of kernel 4.19, without memfd_create" {
	holds "$CONFINED" kernel-4.19
}

@test "the system calls of kernel 4.19: a recording is made and read" {
	"$CONFINED" kernel-4.19 "$BUILD/aclcheck" trace -o "$place/rec" -- "$DEMO" >out/said 2>&1 || { cat out/said; false; }
	"$CONFINED" kernel-4.19 "$BUILD/aclcheck" summary --json rec >summary.json
	python3 -c 'import json; assert any(f["function"] == "aclrtMemcpyAsync" for f in json.load(open("summary.json"))["functions"])'
}

@test "no /proc" {
	may_mount
	holds mounted "$no_proc"
	run mounted "$no_proc" "$BUILD/aclcheck" trace -o "$place/out/rec" -- "$DEMO"
	[ "$status" -eq 99 ]
	[[ $output == *"mount /proc"* ]]
}

@test "an unprivileged user" {
	[ "$(id -u)" -eq 0 ] || skip "already is one"
	chmod 755 .
	# shellcheck disable=SC2086 # words
	holds $unprivileged
}

@test "/dev/shm of 64 KiB" {
	may_mount
	holds mounted "$small_shm"
	run mounted "$small_shm" "$BUILD/aclcheck" trace -o "$place/out/rec" -- "$DEMO"
	# What is said depends on the number of processors, each of which needs buffers.
	[[ $status = 9[89] && $output == *"/dev/shm"* ]]
}

@test "a read-only root with one place that can be written" {
	may_mount
	holds mounted "$read_only"
}

@test "a read-only root with no such place: a verdict, and why there is no report" {
	may_mount
	everything="${read_only//mount --bind out out;/}"
	mounted "$everything" "$DEMO" >plain.out
	mounted "$everything" env LD_PRELOAD="$BUILD/libaclcheck.so" ACLCHECK_REPORT="$place/out/r.json" "$DEMO" 2>err | diff plain.out -
	grep -q 'verdict: fail; report-lost (.*Read-only file system)' err
	# /dev/shm is always there to be written in a container.
	run mounted "$everything; mount -t tmpfs none /dev/shm" "$BUILD/aclcheck" run --softnpu -- "$DEMO"
	[ "$status" -eq 97 ]
	[[ $output == *'verdict fail (1 process)' || $output == *'verdict fail (1 process)'$'\n'* ]]
}

@test "all of that at once" {
	may_mount
	chmod 755 .
	# shellcheck disable=SC2086 # words
	holds mounted "$small_shm; $read_only; $no_proc" $unprivileged "$CONFINED" docker
}

# most_data MIB PROGRAM...: with so much private memory
most_data() {
	prlimit --data=$(($1 << 20)) timeout 60 "${@:2}"
}

# The least of it that the program runs in.
own_data() {
	for ((own = 2; own < 64; own += 2)); do
		[ "$(most_data "$own" "$DEMO" 2>/dev/null)" != 'sums: 30 31 32 33 34 35 36 37' ] || return 0
	done
	return 1
}

@test "48 MiB of private memory more than the program takes (ulimit -d)" {
	# Where nothing is recorded: LTTng's threads take 16 MiB for their stacks.
	export SOFTNPU_MEMORY=64M SOFTNPU_HOST_MEMORY=64M ACLCHECK_TRACE=off
	own_data
	echo "# the program's own: $own MiB" >&3
	holds most_data $((own + 48))
}

# A control group of memory, of either version.
cgroup_make() {
	if [ -w /sys/fs/cgroup/memory/cgroup.procs ]; then
		cgroup=/sys/fs/cgroup/memory/aclcheck-$$
		limit=memory.limit_in_bytes peak=memory.max_usage_in_bytes
	else
		cgroup=/sys/fs/cgroup/aclcheck-$$
		limit=memory.max peak=memory.peak
	fi
	mkdir "$cgroup" 2>/dev/null && [ -w "$cgroup/$limit" ] && [ -r "$cgroup/$peak" ]
}

# in_cgroup PROGRAM...: and all that it starts
in_cgroup() {
	bash -ec 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$cgroup" "$@"
}

@test "a control group with 64 MiB more than the program takes" {
	cgroup_make || { rmdir "$cgroup" 2>/dev/null; skip "no control group can be made"; }
	in_cgroup "$DEMO" >/dev/null
	own=$(cat "$cgroup/$peak")
	echo "# the program's own: $((own >> 10)) KiB" >&3
	echo $((own + (64 << 20))) >"$cgroup/$limit"
	holds in_cgroup
	rmdir "$cgroup"
}
