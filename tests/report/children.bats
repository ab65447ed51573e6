#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs started without the checker: those able to use a runtime make the run inconclusive, however short they live.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	export TMPDIR=$PWD/tmp PROGRAM ACLCHECK BUILD
	mkdir tmp
}

teardown() {
	[ -z "$(ls "$BATS_TEST_TMPDIR/tmp")" ]
}

# covered COMMAND...: after a process that is covered the command runs, under a shell that is.
covered() {
	run "$ACLCHECK" run --softnpu -- sh -c '"$PROGRAM" clean; "$@"' sh "$@"
}

not_covered() {
	[ "$status" = 98 ]
	[[ $output == *"child-not-covered: process "*"without the checker"* ]]
}

@test "an environment without us: a program that is linked with the runtime" {
	covered env -i "$PROGRAM" clean
	not_covered
	[[ $output == *"ran $PROGRAM, which is linked with libascendcl.so, without the checker: LD_PRELOAD was taken out"* ]] ||
		[[ $output == *"has mapped libascendcl.so"* ]]
	covered sh -c 'unset LD_PRELOAD; "$PROGRAM" clean'
	not_covered
	covered sh -c 'unset LD_PRELOAD; exec "$PROGRAM" clean'
	not_covered
}

@test "the same of programs that cannot use one: pass" {
	covered env -i /bin/true
	[ "$status" = 0 ]
	covered env -u LD_PRELOAD sh -c 'ls >/dev/null; exit 0'
	[ "$status" = 0 ]
	covered env -u LD_PRELOAD bash -c 'echo x'
	[ "$status" = 0 ]
	printf 'int main(void) { return 0; }' | cc -x c - -o plain
	covered env -u LD_PRELOAD ./plain
	[ "$status" = 0 ]
	if printf 'int main(void) { return 0; }' | cc -static -x c - -o static 2>/dev/null; then
		covered ./static
		[ "$status" = 0 ]
		covered env -i ./static
		[ "$status" = 0 ]
	fi
}

@test "a command that is not there, and one found by PATH" {
	covered sh -c 'env -u LD_PRELOAD no-such-program; exit 0'
	[ "$status" = 0 ]
	cp "$PROGRAM" ./by-path
	covered sh -c 'PATH=$PWD:$PATH; export PATH; LD_PRELOAD= by-path clean'
	not_covered
}

@test "every way to start a program" {
	cat >ways.py <<-'END'
		import ctypes, os, subprocess, sys
		way, program = sys.argv[1], sys.argv[2]
		subprocess.run([program, "clean"], check=True)
		libc = ctypes.CDLL(None)
		libc.popen.restype = ctypes.c_void_p
		libc.popen.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
		libc.pclose.argtypes = [ctypes.c_void_p]
		argv, env = [program, "clean"], {}
		line = " cd . && '%s' clean" % program
		def in_child(fn):
		    pid = os.fork()
		    if not pid:
		        fn()
		        os._exit(9)
		    return os.waitpid(pid, 0)[1]
		def take_out():
		    os.unsetenv("LD_PRELOAD")
		if way in ("system", "popen", "execv", "execvp"):
		    take_out()
		code = {
		    "execv": lambda: in_child(lambda: os.execv(program, argv)),
		    "execve": lambda: in_child(lambda: os.execve(program, argv, env)),
		    "execvp": lambda: in_child(lambda: os.execvp(program, argv)),
		    "fexecve": lambda: in_child(lambda: os.execve(os.open(program, os.O_RDONLY), argv, env)),
		    "execveat": lambda: in_child(lambda: libc.execveat(os.open(os.path.dirname(program), os.O_RDONLY),
		        os.path.basename(program).encode(), (ctypes.c_char_p * 3)(program.encode(), b"clean", None),
		        (ctypes.c_char_p * 1)(None), 0)),
		    "posix_spawn": lambda: os.waitpid(os.posix_spawn(program, argv, env), 0)[1],
		    "posix_spawnp": lambda: os.waitpid(os.posix_spawnp(program, argv, env), 0)[1],
		    "vfork": lambda: subprocess.run(argv, env=env, close_fds=False).returncode,
		    "system": lambda: libc.system(line.encode()),
		    "popen": lambda: libc.pclose(libc.popen(line.encode(), b"w")),
		}[way]()
		sys.exit(code != 0)
	END
	for way in execv execve execvp fexecve execveat posix_spawn posix_spawnp vfork system popen; do
		run "$ACLCHECK" run --softnpu -- python3 ways.py $way "$PROGRAM"
		echo "$way: $output"
		not_covered
	done
}

@test "the same ways with the checker in place: pass" {
	run "$ACLCHECK" run --softnpu -- python3 -c "import os, subprocess
subprocess.run(['$PROGRAM', 'clean'], check=True)
os.waitpid(os.posix_spawn('$PROGRAM', ['$PROGRAM', 'clean'], os.environ), 0)
os.system('$PROGRAM clean')
os.popen('$PROGRAM clean').read()"
	[ "$status" = 0 ]
	[[ $output == *"(4 processes)"* ]]
}

@test "an interpreter that can open the runtime, and one that has none on its path" {
	covered env -u LD_PRELOAD /usr/bin/python3 -c pass
	not_covered
	[[ $output == *"python3"*", which can open libascendcl.so, without the checker"* ]]
	printf '#!/usr/bin/python3\npass\n' >script
	chmod +x script
	covered env -u LD_PRELOAD ./script
	not_covered
	mkdir bin
	ln -s /usr/bin/python3 bin/my-python
	printf '#!/usr/bin/env my-python\npass\n' >script
	export PATH="$PWD/bin:$PATH"
	covered env -u LD_PRELOAD ./script
	not_covered
	covered env -i /usr/bin/python3 -c pass
	[ "$status" = 0 ]
}

@test "programs the loader does not preload into" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	cp "$PROGRAM" setuid
	chown nobody setuid
	chmod u+s setuid
	covered sh -c './setuid clean; exit 0'
	not_covered
	[[ $output == *"the loader does not preload into it"* || $output == *"has mapped"* ]]
	cp /bin/true setuid
	chown nobody setuid
	chmod u+s setuid
	covered ./setuid
	[ "$status" = 0 ]
}

@test "linked by way of another library" {
	printf 'int main(void) { extern int plugin(void); return plugin() < 0; }' |
		cc -x c - -o through -L"$BUILD/tests/report" -lplugin -Wl,-rpath,"$BUILD/tests/report" \
			-Wl,-rpath-link,"$BUILD/softnpu"
	covered env -i ./through
	not_covered
}

@test "hundreds of covered processes that end at any moment: none is taken for another" {
	run "$ACLCHECK" run --softnpu -- sh -c 'i=0; while [ $i -lt 200 ]; do "$PROGRAM" clean & i=$((i + 1)); [ $((i % 8)) = 0 ] && wait; done; wait'
	[ "$status" = 0 ]
	[[ $output == *"(200 processes)"* ]]
}
