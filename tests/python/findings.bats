#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Findings of Python programs: each line is a finding of its own, and what is made of them names the line.

load helper

setup_file() {
	cat >"$BATS_FILE_TMPDIR/app.py" <<-'E'
		import ctypes
		acl = ctypes.CDLL("libascendcl.so")
		memory, stream, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(64)

		def copy(offset):
		    source = ctypes.c_void_p(memory.value + offset)
		    acl.aclrtMemcpyAsync(ctypes.c_void_p(memory.value + 4096), size, source, size, 3, stream)

		def load():
		    copy(1)

		def store():
		    copy(2)

		acl.aclInit(None), acl.aclrtSetDevice(0), acl.aclrtCreateStream(ctypes.byref(stream))
		acl.aclrtMalloc(ctypes.byref(memory), ctypes.c_size_t(1 << 20), 0)
		acl.aclrtMemset(memory, ctypes.c_size_t(1 << 20), 0, ctypes.c_size_t(1 << 20))
		for _ in range(3):
		    load()
		    store()
		acl.aclrtSynchronizeStream(stream), acl.aclrtDestroyStream(stream), acl.aclrtFree(memory)
		acl.aclrtResetDevice(0), acl.aclFinalize()
	E
}

run_app() {
	cp "$BATS_FILE_TMPDIR/app.py" .
	checked r.json "$@" python3 app.py
}

@test "two callers of one line are two findings, with counts of their own" {
	run_app
	[ "$(json r.json '[(f["count"], [n for n, _ in frames(f)]) for f in r["findings"]]')" = \
		"[(3, ['copy', 'load', '<module>']), (3, ['copy', 'store', '<module>'])]" ]
	[ "$(json r.json 'len({f["fingerprint"] for f in r["findings"]})')" = 2 ]
}

@test "in a list, findings of one line are distinguished by their callers" {
	run_app
	run "$aclcheck" run --softnpu -- python3 app.py
	[ "$(sed -n 's/^  error .*called by \([a-z]*\) (.*/\1/p' <<<"$output" | tr '\n' ' ')" = "load store " ]
	sed -i 's/    store()/    pass/' app.py
	run "$aclcheck" run --softnpu -- python3 app.py
	[ "$(grep -c '^  error ' <<<"$output")" = 1 ] && [[ $output != *"called by"* ]]
}

@test "where a task was put on its stream is named later, whatever comes between" {
	cat >later.py <<-'E'
		import ctypes, sys
		acl, size = ctypes.CDLL("libascendcl.so"), ctypes.c_size_t(64)
		stream, other, event = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
		device, host = ctypes.c_void_p(), ctypes.c_void_p()
		def copy(to):
		    acl.aclrtMemcpyAsync(device, size, host, size, 1, to)
		def load():
		    copy(stream)
		def store():
		    copy(other)
		acl.aclInit(None), acl.aclrtSetDevice(0)
		for s in stream, other:
		    acl.aclrtCreateStream(ctypes.byref(s))
		acl.aclrtCreateEventExWithFlag(ctypes.byref(event), 1)
		acl.aclrtMalloc(ctypes.byref(device), size, 0), acl.aclrtMallocHost(ctypes.byref(host), size)
		for _ in range(300):
		    load()
		acl.aclrtRecordEvent(event, stream)
		if len(sys.argv) > 1:
		    acl.aclrtStreamWaitEvent(other, event)
		store()
		acl.aclrtSynchronizeDevice(), acl.aclrtDestroyEvent(event)
		acl.aclrtDestroyStream(stream), acl.aclrtDestroyStream(other), acl.aclrtFree(device), acl.aclrtFreeHost(host)
		acl.aclrtResetDevice(0), acl.aclFinalize()
	E
	checked r.json python3 later.py
	[ "$(json r.json '[(f["rule"], [n for n, _ in frames(f)]) for f in r["findings"]]')" = \
		"[('stream-race-copy', ['copy', 'store', '<module>'])]" ]
	[ "$(json r.json '[(o["role"], [(s["function"], s["line"]) for s in o["last_used"]["stack"]]) for o in r["findings"][0]["objects"][:2]]')" = \
		"[('task in flight', [('copy', 6), ('load', 8), ('<module>', 17)]), ('its stream', [('<module>', 18)])]" ]
	checked r.json python3 later.py ordered
	[ "$(json r.json 'r["verdict"]')" = pass ]
	# the same when the calls are recorded, in which addresses of code stand
	ACLCHECK_REPORT=$PWD/t.json ACLCHECK_LOG=off "$aclcheck" trace --buffers=8M --softnpu -o t -- python3 later.py
	[ "$(json t.json '[(o["role"], [(s["function"], s["line"]) for s in o["last_used"]["stack"]]) for o in r["findings"][0]["objects"][:2]]')" = \
		"[('task in flight', [('copy', 6), ('load', 8), ('<module>', 17)]), ('its stream', [('<module>', 18)])]" ]
	"$aclcheck" timeline -o t.html t
	sed -n 's/.*"rule":"stream-race-copy".*"stack":\(\[[^]]*\]\).*/\1/p' t.html >stack
	[[ "$(cat stack)" == '['*'later.py:'*'(copy)","'*'later.py:'*'(store)","'*'later.py:'*'module>)"'* ]]
	babeltrace2 t | sed -n 's/.* acl\(check:finding\|:[A-Za-z]*_entry\): .*caller = \(0x[0-9A-F]*\).*/\2/p' >callers
	[ "$(sort -u callers | wc -l)" -ge 1 ]
	[ "$(awk 'length < 9' callers | wc -l)" -eq 0 ]
}

@test "recordings name the line of each call" {
	cat >calls.py <<-'E'
		import ctypes
		acl, size = ctypes.CDLL("libascendcl.so"), ctypes.c_size_t(64)
		stream, device, host = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
		def load():
		    acl.aclrtMemcpyAsync(device, size, host, size, 1, stream)
		def wait():
		    acl.aclrtSynchronizeStream(stream)
		def look():
		    acl.aclrtMemcpy(host, size, device, size, 2)
		acl.aclInit(None)
		acl.aclrtSetDevice(0), acl.aclrtCreateStream(ctypes.byref(stream))
		acl.aclrtMalloc(ctypes.byref(device), size, 0), acl.aclrtMallocHost(ctypes.byref(host), size)
		for _ in range(3):
		    load(), wait()
		    look()
		acl.aclrtDestroyStream(stream), acl.aclrtFree(device), acl.aclrtFreeHost(host)
		acl.aclrtResetDevice(0), acl.aclFinalize()
	E
	for how in "" --one-event off; do
		rm -rf s
		if [ "$how" = off ]; then
			ACLCHECK_CHECKS=off "$aclcheck" trace --buffers=8M --softnpu -o s -- python3 calls.py
		else
			"$aclcheck" trace --buffers=8M --softnpu $how -o s -- python3 calls.py
		fi
		"$aclcheck" summary --json s >s.json
		for place in "aclrtMemcpyAsync:5 (load)" "aclrtSynchronizeStream:7 (wait)" "aclrtMemcpy:9 (look)" "aclrtMalloc:12 (<module>)"; do
			[ "$(json s.json "[(s['calls'], s['place'].partition('calls.py')[2]) for s in r['sites'] if s['function'] == '${place%%:*}']")" = \
				"[($([ "${place%%:*}" = aclrtMalloc ] && echo 1 || echo 3), ':${place#*:}')]" ]
		done
		"$aclcheck" timeline -o s.html s
		grep -q 'calls.py:7 (wait)' s.html
	done
	"$aclcheck" summary s | grep -q 'aclrtSynchronizeStream  .*calls.py:7 (wait)'
	"$aclcheck" trace --buffers=8M --softnpu --minimal -o m -- python3 calls.py
	[ "$(babeltrace2 m | grep -c 'python_place')" -eq 0 ]
}

@test "where memory was released is named when it is used" {
	cat >released.py <<-'E'
		import ctypes
		acl, size = ctypes.CDLL("libascendcl.so"), ctypes.c_size_t(64)
		device, host = ctypes.c_void_p(), (ctypes.c_char * 64)()
		def release():
		    acl.aclrtFree(device)
		acl.aclInit(None), acl.aclrtSetDevice(0), acl.aclrtMalloc(ctypes.byref(device), size, 0)
		release()
		acl.aclrtMemcpy(device, size, host, size, 1)
	E
	checked r.json python3 released.py
	[ "$(json r.json '[[(s["function"], s["line"]) for s in f["objects"][0]["destroyed"]["stack"]] for f in r["findings"] if f["rule"] == "use-after-free"]')" = \
		"[[('release', 5), ('<module>', 7)]]" ]
}

@test "a suppression of one, by fingerprint or by function, leaves the other" {
	run_app
	print=$(json r.json 'r["findings"][0]["fingerprint"]')
	for entry in "\"fingerprint\": \"$print\"" '"rule": "*", "function": "load"'; do
		echo "{\"suppressions\": [{$entry, \"reason\": \"known\"}]}" >s.json
		run_app env ACLCHECK_SUPPRESS="$PWD/s.json"
		[ "$(json r.json '[(f["suppressed"], frames(f)[1][0]) for f in r["findings"]]')" = "[(True, 'load'), (False, 'store')]" ]
		[ "$(json r.json 'r["verdict"]')" = fail ]
	done
	echo '{"suppressions": [{"rule": "*", "file": "app.py", "reason": "known"}]}' >s.json
	run_app env ACLCHECK_SUPPRESS="$PWD/s.json"
	[ "$(json r.json 'r["verdict"]')" = pass ]
}

@test "lines may move, and the fingerprint stays" {
	run_app
	before=$(json r.json '[f["fingerprint"] for f in r["findings"]]')
	cp "$BATS_FILE_TMPDIR/app.py" app.py
	sed -i '1i# a line more' app.py
	checked r.json python3 app.py
	[ "$(json r.json '[f["fingerprint"] for f in r["findings"]]')" = "$before" ]
	[ "$(json r.json 'frames(r["findings"][0])[0][1]')" = 8 ]
}

@test "annotations of all formats name the Python line" {
	run_app
	for format in github gitlab sarif junit html text; do
		"$aclcheck" report --format "$format" r.json >out.$format || [ $? = 97 ]
	done
	grep -q 'file=.*app.py,line=7' out.github
	[ "$(json out.gitlab 'r[0]["location"]["path"][-6:], r[0]["location"]["lines"]["begin"]')" = "('app.py', 7)" ]
	[ "$(json out.sarif 'r["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"]')" = 7 ]
	grep -q 'app.py' out.junit
	grep -q 'app.py:7' out.html
	grep -q 'copy (.*app.py:7)' out.text
	! grep -qE 'libffi|_PyEval|ceval' out.{github,gitlab,sarif,junit,text}
}

@test "the log's summary names Python lines, also of creations" {
	cp "$BATS_FILE_TMPDIR/app.py" .
	log_to=$PWD/log checked r.json python3 app.py
	grep -qE 'x 3  aclrtMemcpyAsync  copy \(app.py:7\)' log
	grep -A2 'created by aclrtMalloc' log | grep -q '<module> (app.py:16)'
}

@test "aclcheck merge keeps Python call sites" {
	run_app
	cp r.json one.json
	"$aclcheck" merge -o all.json one.json one.json || [ $? = 97 ]
	[ "$(json all.json '[(s["function"], s["line"], s["count"]) for f in r["findings"] for s in f["sites"]]')" = \
		"[('copy', 7, 6), ('copy', 7, 6)]" ]
	python3 "$ACLCHECK_SOURCE/tests/report/validate.py" "$ACLCHECK_SOURCE/tools/aclcheck/report/report.schema.json" all.json
}

# patched VERSION: Debian's interpreter, which says that it is of another version
patched() {
	python3 - "$1" <<-'E'
		import subprocess, sys
		path = subprocess.check_output(["/usr/bin/python3", "-c", "import os, sys; print(os.path.realpath(sys.executable))"], text=True).strip()
		data = bytearray(open(path, "rb").read())
		value = int([l.split()[1] for l in subprocess.check_output(["readelf", "-W", "--dyn-syms", path], text=True).splitlines() if l.endswith(" Py_Version")][0], 16)
		for line in subprocess.check_output(["readelf", "-lW", path], text=True).splitlines():
		    words = line.split()
		    if words[:1] == ["LOAD"] and int(words[2], 16) <= value < int(words[2], 16) + int(words[4], 16):
		        at = value - int(words[2], 16) + int(words[1], 16)
		data[at + 2] = int(sys.argv[1])
		open("python3-other", "wb").write(data)
	E
	chmod +x python3-other
}

@test "a version that is not known, and one whose frames lie elsewhere: native frames, and it says so once" {
	for version in 14:'this version is not known' 9:"the thread's frames are not where"; do
		patched "${version%%:*}"
		cp "$BATS_FILE_TMPDIR/app.py" .
		log_to=$PWD/log.${version%%:*} PYTHONHOME=/usr checked r.json ./python3-other app.py
		[ "$(json r.json 'r["python"]["version"], r["python"]["frames"]')" = "('3.${version%%:*}', False)" ]
		[[ "$(json r.json 'r["python"]["why_not"]')" == "${version#*:}"* ]]
		[ "$(grep -c 'call stacks show native frames only' "log.${version%%:*}")" = 1 ]
		[ "$(json r.json 'any("language" in s for f in r["findings"] for s in f["stack"])')" = False ]
		[ "$(json r.json 'r["findings"][0]["count"]')" = 6 ]
	done
}
