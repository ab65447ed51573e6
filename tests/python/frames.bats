#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Frames of Python code in findings, as the interpreter itself has them.

load helper

# compared PYTHON [OPTION...]: prints how many circumstances were compared
compared() {
	checked r.json "$@" "$tests/frames.py" expected.json
	python3 -S "$tests/compare.py" r.json expected.json
	python3 "$ACLCHECK_SOURCE/tests/report/validate.py" "$ACLCHECK_SOURCE/tools/aclcheck/report/report.schema.json" r.json
	[ "$(json r.json 'r["python"]["frames"]')" = True ]
}

@test "threads, generators, async code, exceptions, callbacks, made code: as the interpreter has them" {
	local python

	interpreters
	for python in "${pythons[@]}"; do
		[ "$(compared "$python" -X frozen_modules=on)" = "45 compared, 0 wrong" ]
		echo "# $python" >&3
	done
	[ "$(compared /usr/bin/python3 -X dev)" = "45 compared, 0 wrong" ]
}

# frozen PYTHON: the circumstances as a program that holds its code, made for the interpreter's library
frozen() {
	"$1" -c 'import marshal, sys; code = compile(open(sys.argv[1]).read(), "<frozen __main__>", "exec")
open("code", "wb").write(marshal.dumps(code))' "$tests/frames.py"
}

@test "a frozen program, linked with the interpreter's library" {
	local python include libraries name found=0

	interpreters
	for python in "${pythons[@]}"; do
		include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
		libraries=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("LIBDIR"))')
		name=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("LDVERSION"))')
		[ -e "$include/Python.h" ] && [ -e "$libraries/libpython$name.so" ] || continue
		gcc -w -I"$include" -o embedded "$tests/embedded.c" -L"$libraries" "-lpython$name" -Wl,-rpath,"$libraries"
		frozen "$python"
		checked r.json ./embedded code expected.json
		[ "$(python3 -S "$tests/compare.py" r.json expected.json)" = "45 compared, 0 wrong" ]
		found=$((found + 1))
	done
	[ "$found" -ge 1 ]
}

@test "a frozen program that holds the interpreter in its own file" {
	include=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
	archive=$(/usr/bin/python3 -c 'import sysconfig; v = sysconfig.get_config_var
print(v("LIBPL") + "/libpython" + v("LDVERSION") + ".a")')
	gcc -w -no-pie -I"$include" -o embedded "$tests/embedded.c" -Wl,-E "$archive" -lz -lexpat -lm -ldl -lutil
	frozen /usr/bin/python3
	checked r.json ./embedded code expected.json
	# Its own file's functions are the program's as well: only the one that runs Python code is replaced.
	[ "$(json r.json 'sum(1 for f in r["findings"] for s in f["stack"] if s["function"] == "_PyEval_EvalFrameDefault")')" = 0 ]
	[ "$(json r.json '[s for s in frames(at(2)) if s[1]][:4]')" = "$(python3 -c 'import json
print([(f[0], f[2]) for f in json.load(open("expected.json"))["2"][:4]])')" ]
}

@test "C code between: its frames stand where they belong; threads of C code have native frames only" {
	local python

	interpreters
	for python in "${pythons[@]}"; do
		checked r.json "$python" "$tests/native.py" "$native"
		[ "$(json r.json '[n.split(".")[-1] for n, _ in frames(at(1))]')" = "['native_copy', 'direct', '<module>']" ]
		[ "$(json r.json '[n.split(".")[-1] for n, _ in frames(at(2))]')" = \
			"['native_copy', 'called_back', 'native_calls_python', 'between', '<module>']" ]
		[ "$(json r.json '[n for n, _ in frames(at(3))]')" = "['native_copy', 'copy_on_thread']" ]
	done
}

@test "an extension module's frame stands before those of Python code" {
	export PYTHONPATH=$ACLCHECK_BUILD/tests/documents
	checked r.json python3 "$ACLCHECK_SOURCE/tests/documents/pyacl_module.py" misaligned || true
	stack=$(json r.json 'r["findings"][0]["stack"]')
	[[ "$stack" == *"acl.so"*"'language': 'python'"* ]]
	[[ "$stack" != *libffi* && "$stack" != *_PyEval* && "$stack" != *"bin/python"* ]]
}

@test "signal handlers, interpreters in an interpreter, its end below threads, forked children: nothing changes" {
	local python mode

	interpreters
	for python in "${pythons[@]}"; do
		for mode in shutdown alarm interpreters fork; do
			checked r.json "$python" "$tests/native.py" "$native" "$mode" >out 2>err
			[ "$(cat out)" = "done" ]
			[ ! -s err ]
		done
	done
}

@test "stacks in a signal handler hold Python frames" {
	checked r.json /usr/bin/python3 "$tests/native.py" "$native" alarm
	# But for those that came while the interpreter itself begins or ends.
	[ "$(json r.json 'sum(any(line for _, line in frames(f)) for f in r["findings"] if f["rule"] == "memcpy-null-address") > 3')" = True ]
	[ "$(json r.json 'any("work" in n for f in r["findings"] for n, _ in frames(f))')" = True ]
}

@test "threads with the smallest stack there is: nothing changes, and their tasks have Python frames" {
	local python

	cat >small.py <<-'E'
		import ctypes, threading
		acl, size = ctypes.CDLL("libascendcl.so"), ctypes.c_size_t(64)
		stream, memory, host = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
		def copy(n):
		    if n:
		        return copy(n - 1)
		    acl.aclrtMemcpyAsync(memory, size, host, size, 1, stream)
		def work():
		    acl.aclrtSetDevice(0)
		    for n in range(6):
		        copy(n)
		acl.aclInit(None), acl.aclrtSetDevice(0), acl.aclrtCreateStream(ctypes.byref(stream))
		acl.aclrtMalloc(ctypes.byref(memory), size, 0), acl.aclrtMallocHost(ctypes.byref(host), size)
		threading.stack_size(32768)
		thread = threading.Thread(target=work)
		thread.start(), thread.join()
		acl.aclrtFreeHost(host)
		acl.aclrtSynchronizeStream(stream), acl.aclrtDestroyStream(stream), acl.aclrtFree(memory)
		acl.aclrtResetDevice(0), acl.aclFinalize(), print("done")
	E
	interpreters
	for python in "${pythons[@]}"; do
		for stacks in default all; do
			ACLCHECK_STACKS=$stacks checked r.json "$python" small.py >out
			[ "$(cat out)" = "done" ]
			[ "$(json r.json '[(s["function"], s["line"]) for s in r["findings"][0]["objects"][0]["last_used"]["stack"]][:2]')" = "[('copy', 7), ('copy', 6)]" ]
		done
	done
}

# One system call for the thread's state and all frames, one for what their code is known by; none to find out where a
# call comes from, and none for an alternate signal stack.  A creation and a destruction have a stack each.
@test "a stack that was met before takes two copies, however deep" {
	cat >creations.py <<-'E'
		import ctypes, sys
		acl, stream = ctypes.CDLL("libascendcl.so"), ctypes.c_void_p()
		acl.aclInit(None), acl.aclrtSetDevice(0)
		def create_0():
		    acl.aclrtCreateStream(ctypes.byref(stream))
		    acl.aclrtDestroyStream(stream)
		depth = int(sys.argv[2])
		for i in range(depth):
		    exec(compile(f"def create_{i + 1}():\n  return create_{i}()", f"depth{i % 7}.py", "exec"))
		for _ in range(int(sys.argv[1])):
		    globals()[f"create_{depth}"]()
	E
	for depth in 2 29; do
		for n in 100 200; do
			checked r.json strace -f -e trace=process_vm_readv,sigaltstack -o trace.$n /usr/bin/python3 creations.py $n $depth
		done
		more=$(($(grep -c process_vm_readv trace.200) - $(grep -c process_vm_readv trace.100)))
		echo "# copies of 200 stacks, $depth deep: $more" >&3
		[ "$more" -ge 200 ]
		[ "$more" -le 420 ]
		[ "$(grep -c sigaltstack trace.200)" = "$(grep -c sigaltstack trace.100)" ]
	done
}
