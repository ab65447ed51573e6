#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Streams, captures, waits of the host, memory and findings in Trace Compass: against intervals written by hand.
# Times of the calls that are written down here are nanoseconds, so that what is expected can be read off them.

# shellcheck disable=SC2154,SC2086 # what places() sets; words are split on purpose
load trace.bash

setup_file() {
	load trace.bash
	alone
	places "$BATS_FILE_TMPDIR"
	record ordered -- "$app" ordered
	record ordered1 --one-event -- "$app" ordered
	record mix -- "$app" mix
	record mix1 --one-event -- "$app" mix
	for t in ordered ordered1 mix mix1; do
		babeltrace2 --clock-seconds $t >$t.text
	done
	write_calls
}

# Two devices, a wait, the default stream of each device, a call that fails, a handle that is used again, and a call
# that the runtime makes itself.
write_calls() {
	cat >streams.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtCreateStream ; stream_out=0x10
		1/1 6 7 aclrtCreateStream ; stream_out=0x20
		1/1 10 12 aclrtMemcpyAsync stream=0x10
		1/1 14 16 aclrtRecordEvent event=0xE stream=0x10
		1/1 18 20 aclrtStreamWaitEvent stream=0x20 event=0xE
		1/1 22 24 aclrtMemcpyAsync stream=0x20      # behind the wait
		1/2 25 26 aclrtSetDevice deviceId=1
		1/2 27 28 aclrtMemcpyAsync stream=0x0       # the default stream of device 1
		1/1 29 30 aclrtMemcpyAsync stream=0x0       # that of device 0
		1/1 31 40 aclrtSynchronizeStream stream=0x10
		1/2 32 34 aclrtMemcpyAsync stream=0x10      # not waited for by that
		1/1 42 50 aclrtSynchronizeDevice
		1/1 52 53 aclrtMemcpyAsync stream=0x10 = 107002
		1/1 54 55 aclrtMemcpyAsync stream=0x10
		1/1 56 57 aclrtStreamQuery stream=0x10 ; status_out=ACL_STREAM_STATUS_NOT_READY
		1/1 58 59 aclrtStreamQuery stream=0x10 ; status_out=ACL_STREAM_STATUS_COMPLETE
		1/1 60 61 aclrtDestroyStream stream=0x20
		1/1 62 63 aclrtCreateStream ; stream_out=0x20
		1/1 64 65 aclrtMemcpyAsync stream=0x20
		1/1 66 80 aclrtMemcpyAsync stream=0x20
		1/1+ 67 68 aclrtMemcpyAsync stream=0x10
		1/1 82 83 aclrtCreateStream ; stream_out=0x20     # it is another one, though nothing destroyed it
		1/1 84 90 aclrtMemcpyAsync stream=0x20
		1/1 90 91 aclrtGetDeviceCount
	END
	# A stream joins a capture through an event; the model runs on two streams, and once while the host waits.
	cat >captures.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtCreateStream ; stream_out=0x10
		1/1 6 7 aclrtCreateStream ; stream_out=0x20
		1/1 8 9 aclmdlRICaptureBegin stream=0x10 mode=ACL_MODEL_RI_CAPTURE_MODE_RELAXED
		1/1 10 11 aclrtMemcpyAsync stream=0x10
		1/1 12 13 aclrtRecordEvent event=0xE stream=0x10
		1/1 14 15 aclrtStreamWaitEvent stream=0x20 event=0xE
		1/1 16 17 aclrtMemcpyAsync stream=0x20
		1/1 18 19 aclrtRecordEvent event=0xF stream=0x20
		1/1 20 21 aclrtStreamWaitEvent stream=0x10 event=0xF
		1/1 22 23 aclmdlRICaptureEnd stream=0x10 ; modelRI_out=0xA
		1/1 24 25 aclmdlRIExecuteAsync modelRI=0xA stream=0x10
		1/1 26 27 aclmdlRIExecuteAsync modelRI=0xA stream=0x20
		1/1 28 40 aclrtSynchronizeStream stream=0x10
		1/1 42 50 aclmdlRIExecute modelRI=0xA
		1/1 52 60 aclrtSynchronizeStream stream=0x20
		1/1 62 63 aclmdlRIDestroy modelRI=0xA
	END
	# A capture that an end of another stream does not end, and its own end does, though that fails.
	cat >failed.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtCreateStream ; stream_out=0x10
		1/1 6 7 aclrtCreateStream ; stream_out=0x20
		1/1 8 9 aclmdlRICaptureBegin stream=0x10 mode=ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
		1/1 10 11 aclrtMemcpyAsync stream=0x10
		1/1 12 13 aclrtRecordEvent event=0xE stream=0x10
		1/1 14 15 aclrtStreamWaitEvent stream=0x20 event=0xE
		1/1 15 16 aclrtSynchronizeStream stream=0x10 = 107027
		1/1 17 18 aclmdlRICaptureEnd stream=0x20 = 107036/ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED
		1/1 18 19 aclmdlRICaptureEnd stream=0x10 = 507903
		1/1 20 21 aclrtMemcpyAsync stream=0x10
		1/1 22 23 aclrtMemcpyAsync stream=0x20
		1/1 24 30 aclrtSynchronizeStream stream=0x10
		1/1 32 40 aclrtSynchronizeStream stream=0x20
		1/1 50 51 aclrtGetDeviceCount
	END
	# An event that is recorded twice, and what is left of a wait when its stream is destroyed.
	cat >twice.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtCreateStream ; stream_out=0x10
		1/1 6 7 aclrtCreateStream ; stream_out=0x20
		1/1 10 11 aclrtMemcpyAsync stream=0x10
		1/1 12 13 aclrtRecordEvent event=0xE stream=0x10
		1/1 14 15 aclrtMemcpyAsync stream=0x20
		1/1 16 17 aclrtRecordEvent event=0xE stream=0x20
		1/1 18 19 aclrtStreamWaitEvent stream=0x10 event=0xE
		1/1 20 25 aclrtSynchronizeEvent event=0xE
		1/1 26 27 aclrtDestroyStream stream=0x10
		1/1 28 29 aclrtCreateStream ; stream_out=0x10
		1/1 30 31 aclrtStreamWaitEvent stream=0x10 event=0xE
		1/1 32 33 aclrtDestroyStream stream=0x10
		1/1 40 41 aclrtGetDeviceCount
	END
	# Streams that a reset of their device ends.
	cat >reset.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtMemcpyAsync stream=0x0
		1/1 6 7 aclrtMalloc size=100 ; devPtr_out=0x1000
		1/1 8 9 aclrtCreateStream ; stream_out=0x10
		1/1 10 11 aclrtMemcpyAsync stream=0x10
		1/1 12 20 aclrtResetDevice deviceId=0
		1/1 22 23 aclrtSetDevice deviceId=0
		1/1 24 25 aclrtMemcpyAsync stream=0x0
		1/1 26 27 aclrtMalloc size=10 ; devPtr_out=0x1000
		1/1 40 41 aclrtGetDeviceCount
	END
	# The host learns of an event instead of a stream: it is the last on one stream, another one waits for it.
	cat >events.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 10 11 aclrtRecordEvent event=0xE stream=0x10
		1/1 12 13 aclrtStreamWaitEvent stream=0x20 event=0xE
		1/1 14 15 aclrtRecordEvent event=0xF stream=0x30
		1/1 16 17 aclrtMemcpyAsync stream=0x30
		1/1 18 20 aclrtSynchronizeEvent event=0xE
		1/1 22 23 aclrtQueryEventStatus event=0xF ; status_out=ACL_EVENT_RECORDED_STATUS_COMPLETE
		1/1 24 25 aclrtRecordNotify notify=0xD stream=0x30
		1/1 26 27 aclrtWaitAndResetNotify notify=0xD stream=0x10
		1/1 28 29 aclrtDestroyEvent event=0xE
		1/1 30 31 aclrtStreamWaitEvent stream=0x20 event=0xE
		1/1 40 41 aclrtGetDeviceCount
	END
	# Calls that are not there: two at 15; the end of one at 34; the beginning of one at 45.
	cat >losses.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtCreateStream ; stream_out=0x10
		1/1 6 7 aclrtMalloc size=100 ; devPtr_out=0x1000
		1/1 10 11 aclrtMemcpyAsync stream=0x10
		1/1 12 13 aclrtRecordEvent event=0xE stream=0x10
		1/1 gap 2
		1/1 20 21 aclrtMemcpyAsync stream=0x10
		1/1 22 23 aclrtMalloc size=50 ; devPtr_out=0x2000
		1/1 24 25 aclrtStreamWaitEvent stream=0x10 event=0xE
		1/1 26 30 aclrtSynchronizeStream stream=0x10
		1/1 32 33 aclrtMemcpyAsync stream=0x10
		1/1 34 - aclrtSynchronizeStream stream=0x10
		1/1 40 41 aclrtMemcpyAsync stream=0x10
		1/1 - 45 aclrtSynchronizeStream stream=0x10
		1/1 50 51 aclrtMemcpyAsync stream=0x10
		1/1 60 61 aclrtGetDeviceCount
	END
	# Names from before the first use of a stream, from behind it, and of an event.
	cat >named.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtCreateStream ; stream_out=0x10
		1/1 name 6 0x10 compute
		1/1 name 7 0xE ready
		1/1 8 9 aclrtCreateStream ; stream_out=0x20
		1/1 10 11 aclrtRecordEvent event=0xE stream=0x10
		1/1 12 13 aclrtStreamWaitEvent stream=0x20 event=0xE
		1/1 name 14 0x20 late
		1/1 15 16 aclrtRecordEvent event=0xF stream=0x20
		1/1 17 18 aclrtStreamWaitEvent stream=0x10 event=0xF
		1/1 20 21 aclrtDestroyStream stream=0x10
		1/1 22 23 aclrtCreateStream ; stream_out=0x10
		1/1 24 25 aclrtMemcpyAsync stream=0x10
		1/1 30 31 aclrtGetDeviceCount
	END
	# A process that is killed in a call while another one goes on.
	cat >killed.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtMalloc size=100 ; devPtr_out=0x1000
		1/1 6 7 aclrtMemcpyAsync stream=0x10
		1/1 8 - aclrtSynchronizeStream stream=0x10
		2/2 8 9 aclInit
		2/2 10 11 aclrtSetDevice deviceId=0
		2/2 12 13 aclrtMalloc size=200 ; devPtr_out=0x1000
		2/2 14 15 aclrtMemcpyAsync stream=0x10
		2/2 16 40 aclrtSynchronizeStream stream=0x10
		killed 20 1
		2/2 50 51 aclrtGetDeviceCount
	END
	# The same of a tracer that says so, and of one event a call.
	sed 's/1.1 gap 2/lost 15/; / - /d' losses.calls >said.calls
	# Work, an allocation and a wait of the runtime's own.
	cat >inside.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtMalloc size=100 ; devPtr_out=0x1000
		1/1 6 7 aclrtCreateStream ; stream_out=0x10
		1/1 8 9 aclrtMemcpyAsync stream=0x10
		1/1+ 10 11 aclrtMalloc size=50 ; devPtr_out=0x2000
		1/1+ 12 13 aclrtSynchronizeStream stream=0x10
		1/1+ 14 15 aclrtMemcpyAsync stream=0x20
		1/1 20 21 aclrtGetDeviceCount
	END
	# Freed by a thread of another device; a free that fails; one of what is not known; one that was not seen.
	cat >memory.calls <<-END
		1/1 0 1 aclInit
		1/1 2 3 aclrtSetDevice deviceId=0
		1/1 4 5 aclrtMalloc size=100 ; devPtr_out=0x1000
		1/2 6 7 aclrtSetDevice deviceId=1
		1/2 8 9 aclrtMalloc size=1000 ; devPtr_out=0x9000
		1/1 10 11 aclrtMallocHost size=7 ; hostPtr_out=0x5000
		1/1 12 13 aclrtMemPoolMallocAsync size=30 stream=0x10 ; ptr_out=0x2000
		1/1 14 15 aclrtMemAllocManaged size=5 ; ptr_out=0x3000
		1/1 16 17 aclrtFree devPtr=0x9000
		1/1 18 19 aclrtFree devPtr=0x4444
		1/1 20 21 aclrtFree devPtr=0x1000 = 507899
		1/1 22 23 aclrtFree devPtr=0x3000
		1/1 24 25 aclrtMemPoolFreeAsync ptr=0x2000 stream=0x10
		1/1 26 27 aclrtFreeHost hostPtr=0x5000
		1/1 28 29 aclrtMalloc size=8 ; devPtr_out=0x1000
		1/1 30 31 aclrtGetDeviceCount
	END
}

compass=$ACLCHECK_SOURCE/tests/trace/compass.py
calls=$ACLCHECK_SOURCE/tests/trace/compass_calls.py
analyses=$ACLCHECK_BUILD/gen/tracecompass

# show CALLS ANALYSIS WHAT [--one-event]: of written calls; the process is always the same
show() {
	"$calls" $4 <"$BATS_FILE_TMPDIR/$1.calls" >text
	"$compass" "$analyses/aclcheck-$2.xml" $3 <text | sed 's/^1 > //; s/ pid=1 tid=1 process=None$//'
}

# both CALLS ANALYSIS WHAT: pairs of events and one event a call show the same, which is on standard input
both() {
	cat >expected
	show "$@" | diff expected -
	show "$@" --one-event | diff expected -
}

# recorded TRACE ANALYSIS WHAT: of a recording, with its events for the times and without the values of handles
recorded() {
	"$compass" "$analyses/aclcheck-$2.xml" $3 <"$BATS_FILE_TMPDIR/$1.text" >rows
	awk 'NR == FNR {
			if (match($0, /acl(_call|check)?:[A-Za-z0-9_]+/)) {
				name = substr($0, RSTART, RLENGTH)
				sub(/acl(_call)?:/, "", name)
				seen[name]++
				split($1, t, /[][.]/)
				names[t[2] t[3]] = name "." seen[name]
			}
			next
		}
		{
			n = split($0, words, " ")
			for (i = 1; i <= n; i++)
				printf "%s%s", words[i] in names ? names[words[i]] : words[i], i < n ? " " : "\n"
		}' "$BATS_FILE_TMPDIR/$1.text" rows |
		sed "s|^$app [a-z]* on [^>]* > ||; s/ (0x[0-9a-f]*)//g; s/ 0x[0-9a-f]*//g; s/pid=.*//; s/ *$//"
}

@test "streams: what the host knew of each" {
	cat >expected <<-END
		device 0 > stream 1 (0x10): queued 12 31
		device 0 > stream 1 (0x10): running 31 34
		device 0 > stream 1 (0x10): queued 34 42
		device 0 > stream 1 (0x10): running 42 50
		device 0 > stream 1 (0x10): idle 50 55
		device 0 > stream 1 (0x10): queued 55 57
		device 0 > stream 1 (0x10): running 57 59
		device 0 > stream 1 (0x10): idle 59 91
		device 0 > stream 2 (0x20): waiting 20 40
		device 0 > stream 2 (0x20): queued 40 42
		device 0 > stream 2 (0x20): running 42 50
		device 0 > stream 2 (0x20): idle 50 61
		device 0 > stream 2 (0x20) > waits for: event 0xe 20 40
		device 0 > stream 2 (0x20) > recorded on: stream 1 (0x10) 20 40
		device 0 > stream 2 (0x20) > recorded by: aclrtRecordEvent 20 40
		device 0 > stream 2 (0x20) > recorded at: 16 20 40
		device 0 > default stream: queued 30 42
		device 0 > default stream: running 42 50
		device 0 > default stream: idle 50 91
		device 0 > stream 5 (0x20): queued 65 83
		device 0 > stream 6 (0x20): queued 90 91
		device 1 > default stream: queued 28 91
	END
	show streams streams "rows aclcheck.streams.view" | diff expected -
}

@test "streams of one event a call: not that the host waits, the rest" {
	cat >expected <<-END
		device 0 > stream 1 (0x10): queued 12 50
		device 0 > stream 1 (0x10): idle 50 55
		device 0 > stream 1 (0x10): queued 55 57
		device 0 > stream 1 (0x10): running 57 59
		device 0 > stream 1 (0x10): idle 59 91
		device 0 > stream 2 (0x20): waiting 20 40
		device 0 > stream 2 (0x20): queued 40 50
		device 0 > stream 2 (0x20): idle 50 61
		device 0 > stream 2 (0x20) > waits for: event 0xe 20 40
		device 0 > stream 2 (0x20) > recorded on: stream 1 (0x10) 20 40
		device 0 > stream 2 (0x20) > recorded by: aclrtRecordEvent 20 40
		device 0 > stream 2 (0x20) > recorded at: 16 20 40
		device 0 > default stream: queued 30 50
		device 0 > default stream: idle 50 91
		device 0 > stream 5 (0x20): queued 65 83
		device 0 > stream 6 (0x20): queued 90 91
		device 1 > default stream: queued 28 91
	END
	show streams streams "rows aclcheck.streams.view" --one-event | diff expected -
}

@test "streams and events have the names that the program gave them" {
	show named streams "rows aclcheck.streams.view" | diff - <(
		cat <<-END
			device 0 > stream 1 "compute" (0x10): queued 11 18
			device 0 > stream 1 "compute" (0x10): waiting 18 21
			device 0 > stream 1 "compute" (0x10) > waits for: event 0xf 18 21
			device 0 > stream 1 "compute" (0x10) > recorded on: stream 2 "late" (0x20) 18 21
			device 0 > stream 1 "compute" (0x10) > recorded by: aclrtRecordEvent 18 21
			device 0 > stream 1 "compute" (0x10) > recorded at: 16 18 21
			device 0 > stream 2 (0x20): waiting 13 31
			device 0 > stream 2 (0x20) > waits for: event "ready" (0xe) 13 31
			device 0 > stream 2 (0x20) > recorded on: stream 1 "compute" (0x10) 13 31
			device 0 > stream 2 (0x20) > recorded by: aclrtRecordEvent 13 31
			device 0 > stream 2 (0x20) > recorded at: 11 13 31
			device 0 > stream 3 (0x10): queued 25 31
		END
	)
	both named streams segments <<-END
		wait 11 13 event=event "ready" (0xe) recorded on=stream 1 "compute" (0x10) recorded by=aclrtRecordEvent waiting=stream 2 (0x20)
		wait 16 18 event=event 0xf recorded on=stream 2 "late" (0x20) recorded by=aclrtRecordEvent waiting=stream 1 "compute" (0x10)
	END
}

@test "a process that was killed is in no call any more, and has no streams and memory" {
	show killed calls stack | diff - <(
		cat <<-END
			1 1 0 0 1 aclInit
			1 1 0 2 3 aclrtSetDevice
			1 1 0 4 5 aclrtMalloc
			1 1 0 6 7 aclrtMemcpyAsync
			1 1 0 8 20 aclrtSynchronizeStream
			2 2 0 8 9 aclInit
			2 2 0 10 11 aclrtSetDevice
			2 2 0 12 13 aclrtMalloc
			2 2 0 14 15 aclrtMemcpyAsync
			2 2 0 16 40 aclrtSynchronizeStream
			2 2 0 50 51 aclrtGetDeviceCount
		END
	)
	show killed blocked rows | grep -v 'for:\|since:' | diff - <(
		cat <<-END
			1: aclrtSynchronizeStream 8 20
			2 > 2: aclrtSynchronizeStream 16 40
		END
	)
	show killed streams "rows aclcheck.streams.view" | diff - <(
		cat <<-END
			device 0 > stream 1 (0x10): queued 7 8
			device 0 > stream 1 (0x10): running 8 20
			2 > device 0 > stream 1 (0x10): queued 15 16
			2 > device 0 > stream 1 (0x10): running 16 40
			2 > device 0 > stream 1 (0x10): idle 40 51
		END
	)
	both killed memory rows <<-END
		process 1, device 0: device: 100 5 20
		process 2, device 0: device: 200 13 51
	END
}

@test "events and notifies tell of streams" {
	show events streams "rows aclcheck.streams.view" | sed -n 's/^device 0 > //p' | grep -v ' > recorded' >shown
	diff - shown <<-END
		stream 1 (0x10): queued 11 20
		stream 1 (0x10): idle 20 27
		stream 1 (0x10): waiting 27 41
		stream 1 (0x10) > waits for: notify 0xd 27 41
		stream 2 (0x20): waiting 13 20
		stream 2 (0x20): queued 20 31
		stream 2 (0x20): waiting 31 41
		stream 2 (0x20) > waits for: event 0xe 13 20
		stream 2 (0x20) > waits for: event 0xe 31 41
		stream 3 (0x30): queued 15 41
	END
	# an event that is destroyed was recorded nowhere
	both events streams segments <<-END
		wait 11 13 event=event 0xe recorded on=stream 1 (0x10) recorded by=aclrtRecordEvent waiting=stream 2 (0x20)
		wait 25 27 event=notify 0xd recorded on=stream 3 (0x30) recorded by=aclrtRecordNotify waiting=stream 1 (0x10)
	END
}

@test "a capture takes in the streams that wait for its events" {
	show captures streams "rows aclcheck.streams.view" | diff - <(
		cat <<-END
			device 0 > stream 1 (0x10): captured 9 23
			device 0 > stream 1 (0x10): idle 23 25
			device 0 > stream 1 (0x10): queued 25 28
			device 0 > stream 1 (0x10): running 28 40
			device 0 > stream 1 (0x10): idle 40 63
			device 0 > stream 2 (0x20): captured 15 23
			device 0 > stream 2 (0x20): idle 23 27
			device 0 > stream 2 (0x20): queued 27 52
			device 0 > stream 2 (0x20): running 52 60
			device 0 > stream 2 (0x20): idle 60 63
		END
	)
}

@test "a capture that fails is over, too" {
	show failed streams "rows aclcheck.streams.view" | diff - <(
		cat <<-END
			device 0 > stream 1 (0x10): captured 9 19
			device 0 > stream 1 (0x10): idle 19 21
			device 0 > stream 1 (0x10): queued 21 24
			device 0 > stream 1 (0x10): running 24 30
			device 0 > stream 1 (0x10): idle 30 51
			device 0 > stream 2 (0x20): captured 15 19
			device 0 > stream 2 (0x20): idle 19 23
			device 0 > stream 2 (0x20): queued 23 32
			device 0 > stream 2 (0x20): running 32 40
			device 0 > stream 2 (0x20): idle 40 51
		END
	)
	show failed streams "rows aclcheck.streams.view" --one-event | diff - <(
		cat <<-END
			device 0 > stream 1 (0x10): captured 9 19
			device 0 > stream 1 (0x10): idle 19 21
			device 0 > stream 1 (0x10): queued 21 30
			device 0 > stream 1 (0x10): idle 30 51
			device 0 > stream 2 (0x20): captured 15 19
			device 0 > stream 2 (0x20): idle 19 23
			device 0 > stream 2 (0x20): queued 23 40
			device 0 > stream 2 (0x20): idle 40 51
		END
	)
	both failed streams "rows aclcheck.captures.view" <<-END
		device 0 > stream 1 (0x10): ACL_MODEL_RI_CAPTURE_MODE_GLOBAL 9 19
	END
}

@test "a wait is for the last record; a destroyed stream waits for nothing" {
	both twice streams "rows aclcheck.streams.view" <<-END
		device 0 > stream 1 (0x10): queued 11 19
		device 0 > stream 1 (0x10): waiting 19 25
		device 0 > stream 1 (0x10): queued 25 27
		device 0 > stream 1 (0x10) > waits for: event 0xe 19 25
		device 0 > stream 1 (0x10) > recorded on: stream 2 (0x20) 19 25
		device 0 > stream 1 (0x10) > recorded by: aclrtRecordEvent 19 25
		device 0 > stream 1 (0x10) > recorded at: 17 19 25
		device 0 > stream 2 (0x20): queued 15 25
		device 0 > stream 2 (0x20): idle 25 41
		device 0 > stream 3 (0x10): waiting 31 33
		device 0 > stream 3 (0x10) > waits for: event 0xe 31 33
		device 0 > stream 3 (0x10) > recorded on: stream 2 (0x20) 31 33
		device 0 > stream 3 (0x10) > recorded by: aclrtRecordEvent 31 33
		device 0 > stream 3 (0x10) > recorded at: 17 31 33
	END
}

@test "what is on the streams of a device that was reset nobody knows" {
	both reset streams "rows aclcheck.streams.view" <<-END
		device 0 > default stream: queued 5 20
		device 0 > stream 2 (0x10): queued 11 20
	END
}

@test "captures with their mode, and the executions of a model" {
	both captures streams "rows aclcheck.captures.view" <<-END
		device 0 > stream 1 (0x10): ACL_MODEL_RI_CAPTURE_MODE_RELAXED 9 23
		Models > model 0xa: built 23 25
		Models > model 0xa: executing 25 60
		Models > model 0xa: built 60 63
	END
	show captures streams segments | grep -v ^wait | diff - <(
		cat <<-END
			capture 9 23 mode=ACL_MODEL_RI_CAPTURE_MODE_RELAXED stream=stream 1 (0x10) model=model 0xa
			execution 25 40 model=model 0xa stream=stream 0x10
			execution 42 50 model=model 0xa stream=None
			execution 27 60 model=model 0xa stream=stream 0x20
		END
	)
}

@test "the host blocked: in what, for which stream, since which call" {
	show streams blocked rows | diff - <(
		cat <<-END
			1: aclrtSynchronizeStream 31 40
			1: aclrtSynchronizeDevice 42 50
			1: aclrtDestroyStream 60 61
			1 > for: stream 0x10 31 40
			1 > for: all streams of the device 42 50
			1 > for: stream 0x20 60 61
			1 > since: aclrtRecordEvent 31 40
			1 > since: aclrtMemcpyAsync 42 50
		END
	)
	show events blocked segments | diff - <(
		echo "0x1000 18 20 function=aclrtSynchronizeEvent for=event 0xe since=aclrtRecordEvent result=0"
	)
}

@test "the host blocked, of one event a call: the same table" {
	for t in streams captures events; do
		show $t blocked segments | sed 's/ result=.*//' >pairs
		show $t blocked segments --one-event | sed 's/ *pid=.*//' >once
		[ -s pairs ]
		diff pairs once
	done
	# Two runs: which call of another thread came last before differs.
	recorded mix blocked segments | sed 's/.* function=/function=/; s/ since=.*//' | sort >pairs
	recorded mix1 blocked segments | sed 's/.* function=/function=/; s/ since=.*//' | sort >once
	[ -s pairs ]
	diff pairs once
	# The beginnings are those that the summary has, which knows the clock. The analysis learns it from one event, as exactly as that
	# was written without an interruption between the two times in it.
	"$compass" "$analyses/aclcheck-blocked.xml" segments <"$BATS_FILE_TMPDIR/mix1.text" |
		awk '{ blocked += $3 - $2 } END { print blocked, NR }' >reckoned
	babeltrace2 --clock-cycles "$BATS_FILE_TMPDIR/mix1" >cycles
	sed -n 's/^\[\([0-9]*\)\].* aclcheck:thread: .* clock = \([0-9]*\) .*/\1 \2/p' cycles >clocks
	[ -s clocks ]
	"$aclcheck" summary --json "$BATS_FILE_TMPDIR/mix1" | python3 -S -c 'import json, sys
blocked = json.load(sys.stdin)["processes"][0]["blocked"]
reckoned, rows = map(int, open("reckoned").read().split())
between = max(abs(int(a) - int(b)) for a, b in (line.split() for line in open("clocks")))
assert abs(blocked - reckoned) < 100000 + rows * between, (blocked, reckoned, rows, between)'
}

@test "a call that the runtime makes itself is none of the program's, of one event a call" {
	both inside memory rows <<-END
		process 1, device 0: device: 100 5 21
	END
	show inside streams "rows aclcheck.streams.view" --one-event | diff - <(
		echo "device 0 > stream 1 (0x10): queued 9 21"
	)
	[ -z "$(show inside blocked segments --one-event)" ]
}

@test "a recording without arguments: where the host is blocked, and nothing of streams and memory" {
	record bare --minimal -- "$app" ordered
	babeltrace2 --clock-seconds bare >text
	for view in streams:aclcheck.streams.view streams:aclcheck.captures.view memory:aclcheck.memory.view; do
		[ -z "$("$compass" "$analyses/aclcheck-${view%:*}.xml" rows "${view#*:}" <text)" ]
	done
	[ -z "$("$compass" "$analyses/aclcheck-streams.xml" segments <text)" ]
	"$compass" "$analyses/aclcheck-blocked.xml" segments <text | sed 's/ [0-9]* [0-9]* / /; s/ result.*//' | head -2 | diff - <(
		cat <<-END
			aclrtSynchronizeDevice function=aclrtSynchronizeDevice for=all streams of the device since=aclrtStreamWaitEvent
			aclrtSynchronizeStream function=aclrtSynchronizeStream for=None since=None
		END
	)
}

@test "memory in use by device and kind" {
	both memory memory rows <<-END
		process 1, device 0: device: 100 5 29
		process 1, device 0: device: 8 29 31
		process 1, device 1: device: 1000 9 17
		process 1, device 1: device: 0 17 31
		process 1, host: 7 11 27
		process 1, host: 0 27 31
		process 1, device 0: pool: 30 13 25
		process 1, device 0: pool: 0 25 31
		process 1, device 0: managed: 5 15 23
		process 1, device 0: managed: 0 23 31
		process 1, number of blocks freed whose allocation is not recorded: 1 19 31
	END
}

@test "where events were lost nothing is claimed until the host knows it again" {
	show losses streams "rows aclcheck.streams.view" | diff - <(
		cat <<-END
			device 0 > stream 1 (0x10): queued 11 21
			device 0 > stream 1 (0x10): idle 30 33
			device 0 > stream 1 (0x10): queued 33 34
			device 0 > stream 1 (0x10): running 34 41
			device 0 > stream 1 (0x10): queued 41 51
		END
	)
	show said streams "rows aclcheck.streams.view" --one-event | diff - <(
		cat <<-END
			device 0 > stream 1 (0x10): queued 11 21
			device 0 > stream 1 (0x10): idle 30 33
			device 0 > stream 1 (0x10): queued 33 61
		END
	)
	[ -z "$(show losses streams segments)" ]
	[ "$(show losses memory rows)" = "process 1, device 0: device: 100 7 21" ]
	[ "$(show said memory rows --one-event)" = "process 1, device 0: device: 100 7 21" ]
	# a call without an end ends with the next one, and makes no segment
	[ "$(show losses blocked rows | grep '^1:' | tr '\n' ,)" = "1: aclrtSynchronizeStream 26 30,1: aclrtSynchronizeStream 34 40," ]
	[ "$(show losses blocked segments)" = \
		"0x1000 26 30 function=aclrtSynchronizeStream for=stream 0x10 since=aclrtStreamWaitEvent result=0" ]
}

@test "a recording: streams, captures, executions" {
	recorded ordered streams "rows aclcheck.streams.view" | diff - <(
		cat <<-END
			device 0 > stream 1: queued aclrtMemcpyAsync_exit.1 aclrtSynchronizeDevice_entry.1
			device 0 > stream 1: running aclrtSynchronizeDevice_entry.1 aclrtSynchronizeDevice_exit.1
			device 0 > stream 1: idle aclrtSynchronizeDevice_exit.1 aclmdlRICaptureBegin_exit.1
			device 0 > stream 1: captured aclmdlRICaptureBegin_exit.1 aclmdlRICaptureEnd_exit.1
			device 0 > stream 1: idle aclmdlRICaptureEnd_exit.1 aclmdlRIExecuteAsync_exit.1
			device 0 > stream 1: queued aclmdlRIExecuteAsync_exit.1 aclrtSynchronizeStream_entry.1
			device 0 > stream 1: running aclrtSynchronizeStream_entry.1 aclrtSynchronizeStream_exit.1
			device 0 > stream 1: idle aclrtSynchronizeStream_exit.1 aclrtDestroyStream_exit.1
			device 0 > stream 2: waiting aclrtStreamWaitEvent_exit.1 aclrtSynchronizeDevice_exit.1
			device 0 > stream 2: idle aclrtSynchronizeDevice_exit.1 aclrtDestroyStream_exit.2
			device 0 > stream 2 > waits for: event aclrtStreamWaitEvent_exit.1 aclrtStreamWaitEvent_exit.2
			device 0 > stream 2 > waits for: event aclrtStreamWaitEvent_exit.2 aclrtSynchronizeDevice_exit.1
			device 0 > stream 2 > recorded on: stream 1 aclrtStreamWaitEvent_exit.1 aclrtStreamWaitEvent_exit.2
			device 0 > stream 2 > recorded by: aclrtRecordEvent aclrtStreamWaitEvent_exit.1 aclrtStreamWaitEvent_exit.2
			device 0 > stream 2 > recorded at: aclrtRecordEvent_exit.1 aclrtStreamWaitEvent_exit.1 aclrtStreamWaitEvent_exit.2
		END
	)
	recorded ordered streams segments | diff - <(
		cat <<-END
			wait aclrtRecordEvent_exit.1 aclrtStreamWaitEvent_exit.1 event=event recorded on=stream 1 recorded by=aclrtRecordEvent waiting=stream 2
			capture aclmdlRICaptureBegin_exit.1 aclmdlRICaptureEnd_exit.1 mode=ACL_MODEL_RI_CAPTURE_MODE_GLOBAL stream=stream 1 model=model
			execution aclmdlRIExecuteAsync_exit.1 aclrtSynchronizeStream_exit.1 model=model stream=stream
		END
	)
}

@test "a recording of one event a call: streams, captures, executions" {
	recorded ordered1 streams "rows aclcheck.streams.view" | grep -v ' > recorded' | diff - <(
		cat <<-END
			device 0 > stream 1: queued aclrtMemcpyAsync.1 aclrtSynchronizeDevice.1
			device 0 > stream 1: idle aclrtSynchronizeDevice.1 aclmdlRICaptureBegin.1
			device 0 > stream 1: captured aclmdlRICaptureBegin.1 aclmdlRICaptureEnd.1
			device 0 > stream 1: idle aclmdlRICaptureEnd.1 aclmdlRIExecuteAsync.1
			device 0 > stream 1: queued aclmdlRIExecuteAsync.1 aclrtSynchronizeStream.1
			device 0 > stream 1: idle aclrtSynchronizeStream.1 aclrtDestroyStream.1
			device 0 > stream 2: waiting aclrtStreamWaitEvent.1 aclrtSynchronizeDevice.1
			device 0 > stream 2: idle aclrtSynchronizeDevice.1 aclrtDestroyStream.2
			device 0 > stream 2 > waits for: event aclrtStreamWaitEvent.1 aclrtStreamWaitEvent.2
			device 0 > stream 2 > waits for: event aclrtStreamWaitEvent.2 aclrtSynchronizeDevice.1
		END
	)
	recorded ordered1 streams "rows aclcheck.captures.view" | diff - <(
		cat <<-END
			device 0 > stream 1: ACL_MODEL_RI_CAPTURE_MODE_GLOBAL aclmdlRICaptureBegin.1 aclmdlRICaptureEnd.1
			Models > model: built aclmdlRICaptureEnd.1 aclmdlRIExecuteAsync.1
			Models > model: executing aclmdlRIExecuteAsync.1 aclrtSynchronizeStream.1
			Models > model: built aclrtSynchronizeStream.1 aclmdlRIDestroy.1
		END
	)
}

@test "a recording: where the host was blocked, by place in the code" {
	recorded mix blocked segments | sed 's/+0x[0-9a-f]*//' | head -3 | diff - <(
		cat <<-END
			app aclrtSynchronizeStream_entry.1 aclrtSynchronizeStream_exit.1 function=aclrtSynchronizeStream for=stream since=aclrtMemcpyAsync result=0
			app aclrtSynchronizeStream_entry.2 aclrtSynchronizeStream_exit.2 function=aclrtSynchronizeStream for=stream since=aclrtMemcpyAsync result=0
			app aclrtMemcpy_entry.1 aclrtMemcpy_exit.1 function=aclrtMemcpy for=None since=None result=0
		END
	)
	# the same places as in the summary, which names them where there are no lines
	recorded mix blocked segments | grep -q '^app+0x[0-9a-f]* aclrtMemcpy_entry'
}

@test "a recording: memory as the timeline has it" {
	"$aclcheck" timeline -c chrome.json "$BATS_FILE_TMPDIR/mix"
	python3 - <<-END >expected
		import json
		for e in json.load(open("chrome.json"))["traceEvents"]:
		    if e.get("ph") == "C":
		        print(e["args"]["device"], e["args"]["host"])
	END
	recorded mix memory rows >rows
	[ "$(grep -c ': device: [0-9]' rows)" -eq 6 ]
	awk '{ print $1 }' expected | uniq >device
	sed -n 's/.*: device: \([0-9]*\) .*/\1/p' rows | diff device -
	awk '{ print $2 }' expected | uniq | sed '1{/^0$/d}' >host
	sed -n 's/.*, host: \([0-9]*\) .*/\1/p' rows | diff host -
}

@test "a recording that began later: how many blocks from before were freed" {
	for option in "" --one-event; do
		record early$option --on-request $option -- "$app" early
		babeltrace2 --clock-seconds early$option | "$compass" "$analyses/aclcheck-memory.xml" rows >rows
		grep -q ', number of blocks freed whose allocation is not recorded: 1 ' rows
		grep -q ', device 0: device: 4096 \|, device unknown: device: 4096 ' rows
	done
}

@test "a recording: findings as rows, and as a table" {
	recorded mix findings rows | grep -E ': (warning|error)|rule:' | sed 's/^[0-9]*/T/' | diff - <(
		cat <<-END
			T: warning aclcheck:finding.1 aclrtMemcpyAsync_exit.4
			T: error aclcheck:finding.2 aclcheck:finding.3
			T: warning aclcheck:finding.3 aclrtSetDevice_exit.2
			T > rule: uninit-device-read aclcheck:finding.1 aclrtMemcpyAsync_exit.4
			T > rule: device-id-out-of-range aclcheck:finding.2 aclcheck:finding.3
			T > rule: api-error aclcheck:finding.3 aclrtSetDevice_exit.2
		END
	)
	"$compass" "$analyses/aclcheck-findings.xml" segments <"$BATS_FILE_TMPDIR/mix.text" >table
	[ "$(wc -l <table)" -eq "$(grep -c aclcheck:finding: "$BATS_FILE_TMPDIR/mix.text")" ]
	grep -q '^api-error \([0-9]*\) \1 severity=warning status=counted call=aclrtSetDevice title=The runtime returned' table
}

@test "the pictures of the README are those of the analyses" {
	mkdir pictures
	"$ACLCHECK_SOURCE/tracepoints/tracecompass/picture" "$ACLCHECK_BUILD" pictures
	for f in "$ACLCHECK_SOURCE"/tracepoints/tracecompass/*.svg; do
		cmp "$f" "pictures/${f##*/}"
		grep -q "(${f##*/})" "$ACLCHECK_SOURCE/tracepoints/tracecompass/README.md"
	done
	[ "$(ls pictures | wc -l)" -eq "$(ls "$ACLCHECK_SOURCE"/tracepoints/tracecompass/*.svg | wc -l)" ]
}
