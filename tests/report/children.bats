#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs started without the checker: those able to use a runtime make the run inconclusive, however short they live.

load helper

setup() {
	own_tmpdir || return
	watch=auto
	export PROGRAM ACLCHECK BUILD
}

teardown() {
	nothing_stays
}

# covered COMMAND...: after a process that is covered the command runs, under a shell that is.
covered() {
	run "$ACLCHECK" run --softnpu --watch "$watch" -- sh -c '"$PROGRAM" clean; "$@"' sh "$@"
}

# by_records COMMAND...: the kernel shows what it did. Where it does not, what it may have started counts.
by_records() {
	watch=auto covered "$@"
	[ "$status" = 0 ]
	watch=notes covered "$@"
	not_covered
}

# both_ways CHECK COMMAND...: the same, whether the kernel's records of processes are there or not.
both_ways() {
	for watch in auto notes; do
		covered "${@:2}"
		echo "$watch: $output"
		$1
	done
}

passes() {
	[ "$status" = 0 ]
}

not_covered() {
	[ "$status" = 98 ]
	[[ $output == *"child-not-covered: process "*"without the checker"* ]]
}

@test "an environment without us: a program that is linked with the runtime" {
	both_ways not_covered env -i "$PROGRAM" clean
	[[ $output == *"ran $PROGRAM, which is linked with libascendcl.so, without the checker: LD_PRELOAD was taken out"* ]] ||
		[[ $output == *"has mapped libascendcl.so"* ]]
	both_ways not_covered sh -c 'unset LD_PRELOAD; "$PROGRAM" clean'
	both_ways not_covered sh -c 'unset LD_PRELOAD; exec "$PROGRAM" clean'
}

@test "the same of programs that cannot use one, nor start others: pass" {
	both_ways passes env -i /bin/true
	printf 'int main(void) { return 0; }' | cc -x c - -o plain
	both_ways passes env -u LD_PRELOAD ./plain
}

@test "programs that could start others: what they did is known by the kernel's records only" {
	by_records env -u LD_PRELOAD sh -c 'ls >/dev/null; exit 0'
	by_records env -u LD_PRELOAD bash -c 'echo x'
	printf 'int main(void) { return 0; }' | cc -static -x c - -o static
	by_records ./static
	by_records env -i ./static
}

@test "a command that is not there, and one found by PATH" {
	covered sh -c 'env -u LD_PRELOAD no-such-program; exit 0'
	[ "$status" = 0 ]
	cp "$PROGRAM" ./by-path
	both_ways not_covered sh -c 'PATH=$PWD:$PATH; export PATH; LD_PRELOAD= by-path clean'
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
		    # No environment is an empty one.
		    "execve_null": lambda: in_child(lambda: libc.execve(program.encode(),
		        (ctypes.c_char_p * 3)(program.encode(), b"clean", None), None)),
		    "posix_spawn_null": lambda: libc.posix_spawn(ctypes.byref(ctypes.c_int()), program.encode(), None, None,
		        (ctypes.c_char_p * 3)(program.encode(), b"clean", None), None) or os.wait()[1],
		    "posix_spawn": lambda: os.waitpid(os.posix_spawn(program, argv, env), 0)[1],
		    "posix_spawnp": lambda: os.waitpid(os.posix_spawnp(program, argv, env), 0)[1],
		    "vfork": lambda: subprocess.run(argv, env=env, close_fds=False).returncode,
		    "system": lambda: libc.system(line.encode()),
		    "popen": lambda: libc.pclose(libc.popen(line.encode(), b"w")),
		}[way]()
		sys.exit(code != 0)
	END
	for way in execv execve execve_null execvp fexecve execveat posix_spawn posix_spawn_null posix_spawnp vfork system popen; do
		for watch in auto notes; do
			run "$ACLCHECK" run --softnpu --watch $watch -- python3 ways.py $way "$PROGRAM"
			echo "$way, $watch: $output"
			not_covered
		done
	done
}

@test "no environment at all is an empty one" {
	cat >none.c <<-'END'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <fcntl.h>
		#include <spawn.h>
		#include <string.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int start(const char *way, char *program, char *argv[])
		{
			pid_t child;
			if (!strcmp(way, "posix_spawn"))
				return posix_spawn(&child, program, NULL, NULL, argv, NULL);
			if (!strcmp(way, "posix_spawnp"))
				return posix_spawnp(&child, program, NULL, NULL, argv, NULL);
			child = fork();
			if (child)
				return child < 0;
			if (!strcmp(way, "execve"))
				execve(program, argv, NULL);
			else if (!strcmp(way, "execvpe"))
				execvpe(program, argv, NULL);
			else if (!strcmp(way, "execle"))
				execle(program, program, "clean", NULL, NULL);
			else if (!strcmp(way, "execveat"))
				execveat(AT_FDCWD, program, argv, NULL, 0);
			else if (!strcmp(way, "fexecve"))
				fexecve(open(program, O_RDONLY), argv, NULL);
			_exit(errno);
		}
		int main(int argc, char *argv[])
		{
			char *child[] = {argv[2], (char *)"clean", NULL};
			int status;
			return start(argv[1], argv[2], child) || wait(&status) < 0 || WEXITSTATUS(status) != atoi(argv[3]);
		}
	END
	cc -w -include stdlib.h -o none none.c
	for way in execve execvpe execle execveat posix_spawn posix_spawnp; do
		echo "$way"
		both_ways not_covered ./none $way "$PROGRAM" 0
	done
	# The C library refuses it: nothing is started.
	both_ways passes ./none fexecve "$PROGRAM" 22
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

@test "an interpreter that could open the runtime, and one that does" {
	by_records env -u LD_PRELOAD /usr/bin/python3 -c pass
	[[ $output == *"python3"*", which can open libascendcl.so, without the checker"* ]]
	printf '#!/usr/bin/python3\npass\n' >script
	chmod +x script
	by_records env -u LD_PRELOAD ./script
	mkdir bin
	ln -s /usr/bin/python3 bin/my-python
	printf '#!/usr/bin/env my-python\npass\n' >script
	export PATH="$PWD/bin:$PATH"
	by_records env -u LD_PRELOAD ./script
	by_records env -i /usr/bin/python3 -c pass
	both_ways not_covered env -u LD_PRELOAD /usr/bin/python3 -c 'import ctypes; ctypes.CDLL("libascendcl.so")'
}

@test "an interpreter whose work is done in its library" {
	for name in python3.9 perl ruby; do
		printf 'int fork(void); int work(void) { return fork() < 0; }' | cc -shared -fPIC -x c - -o "lib$name.so"
		printf 'int work(void); int main(void) { return work(); }' | cc -x c - -o thin -L. "-l$name" -Wl,-rpath,"$PWD"
		by_records env -i ./thin
	done
	cp libruby.so libother.so
	printf 'int work(void); int main(void) { return work(); }' | cc -x c - -o thin -L. -lother -Wl,-rpath,"$PWD"
	both_ways passes env -i ./thin
}

@test "programs the loader does not preload into" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	cp "$PROGRAM" setuid
	chown nobody setuid
	chmod u+s setuid
	both_ways not_covered sh -c './setuid clean; exit 0'
	[[ $output == *"the loader does not preload into it"* || $output == *"has mapped"* ]]
	cp /bin/true setuid
	chown nobody setuid
	chmod u+s setuid
	both_ways passes ./setuid
	# The kernel shows nothing of those to anybody: what they may start counts.
	cp /bin/sh setuid
	chown nobody setuid
	chmod u+s setuid
	both_ways not_covered sh -c './setuid -c :; exit 0'
	# A shell between, which notes nothing.
	covered env -i sh -c './setuid -c :; exit 0'
	not_covered
}

@test "linked by way of another library" {
	printf 'int main(void) { extern int plugin(void); return plugin() < 0; }' |
		cc -x c - -o through -L"$BUILD/tests/report" -lplugin -Wl,-rpath,"$BUILD/tests/report" \
			-Wl,-rpath-link,"$BUILD/softnpu"
	both_ways not_covered env -i ./through
}

@test "hundreds of covered processes that end at any moment: none is taken for another" {
	run "$ACLCHECK" run --softnpu -- sh -c 'i=0; while [ $i -lt 200 ]; do "$PROGRAM" clean & i=$((i + 1)); [ $((i % 8)) = 0 ] && wait; done; wait'
	[ "$status" = 0 ]
	[[ $output == *"(200 processes)"* ]]
}
