#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Faults at lines of Python: all calls by ctypes come from one place of libffi, all of a C module's function from one of its.

load helper

setup_file() {
	cat >"$BATS_FILE_TMPDIR/app.py" <<-'E'
		import ctypes, sys
		acl = ctypes.CDLL("libascendcl.so")
		native = ctypes.CDLL(sys.argv[1])
		memory, stream, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(1 << 20)

		def grow():
		    block = ctypes.c_void_p()
		    code = acl.aclrtMalloc(ctypes.byref(block), size, 0)
		    print("grow", code)
		    return block if code == 0 else None

		class Copy(ctypes.Structure):
		    _fields_ = [("memory", ctypes.c_void_p), ("stream", ctypes.c_void_p), ("context", ctypes.c_void_p),
		                ("offset", ctypes.c_size_t)]

		def first(copy):
		    native.native_copy(copy)

		def second(copy):
		    native.native_copy(copy)

		acl.aclInit(None), acl.aclrtSetDevice(0), acl.aclrtCreateStream(ctypes.byref(stream))
		print("first", acl.aclrtMalloc(ctypes.byref(memory), size, 0))
		acl.aclrtMemset(memory, size, 0, size)
		more = [grow(), grow()]
		copy = ctypes.byref(Copy(memory, stream, None, 64))
		first(copy), second(copy)
		acl.aclrtSynchronizeStream(stream), acl.aclrtDestroyStream(stream)
		for block in more + [memory]:
		    if block is not None:
		        acl.aclrtFree(block)
		acl.aclrtResetDevice(0), acl.aclFinalize()
	E
}

# inject FAULTS: app.py's lines of output are $output, its report r.json
inject() {
	cp "$BATS_FILE_TMPDIR/app.py" .
	ACLCHECK_INJECT=$1 checked r.json python3 app.py "$native" >out 2>&1 || :
	cat out
}

injected() {
	json r.json "[($1) for i in r.get('injected', [])]"
}

@test "a line, a function of Python" {
	for at in app.py#8 grow; do
		inject "aclrtMalloc:at=$at:when=2:error=207001"
		[ "$(tr '\n' ' ' <out)" = "first 0 grow 0 grow 207001 " ]
		[ "$(injected "i['place']['function'], i['place']['line'], i['place']['language'], i['first']")" = \
			"[('grow', 8, 'python', 2)]" ]
	done
	inject "aclrtMalloc:at=app.py#9:error=207001"
	[ "$(injected 1)" = "[]" ]
	[ "$(json r.json 'r["verdict"]')" = pass ]
}

@test "through C code: the line around it, its own function, or both" {
	inject "aclrtMemcpyAsync:at=app.py#20:error=207001"
	[ "$(injected "i['place']['function'], i['python']['function'], i['times']")" = "[('native_copy', 'second', 1)]" ]
	inject "aclrtMemcpyAsync:at=native_copy:error=207001"
	[ "$(injected "i['python']['line']")" = "[17, 20]" ]
	inject "aclrtMemcpyAsync:at=first:at=native_copy:error=207001"
	[ "$(injected "i['python']['line']")" = "[17]" ]
	inject "aclrtMemcpyAsync:at=first:at=second:error=207001"
	[ "$(injected 1)" = "[]" ]
	log_to=stderr inject "aclrtMemcpyAsync:at=a:at=b:at=c:error=207001"
	grep -q "'at=c' is given a third time" out
}

@test "fuzz-errors: each line that calls is a place of its own" {
	cp "$BATS_FILE_TMPDIR/app.py" .
	run "$aclcheck" fuzz-errors --softnpu --state s.json --calls 'aclrtM*' -- python3 app.py "$native"
	echo "$output"
	[[ $output == *"aclrtMalloc  grow ("*"app.py:8)"* ]]
	[[ $output == *"aclrtMalloc  <module> ("*"app.py:23)"* ]]
	[[ $output == *"aclrtMemcpyAsync  first ("*"app.py:17)"* ]]
	[[ $output == *"aclrtMemcpyAsync  second ("*"app.py:20)"* ]]
	[[ $output == *"5 places, "* && $output != *not-reached* && $output != *lost* ]]
}
