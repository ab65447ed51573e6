#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A wrapper leaves for the real function by a jump: every register that arguments and results travel in is the program's.

load guest.bash

@test "the program and the runtime agree without the library" {
	run "$guest/registers"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "with the library, no check and no trace: registers, stack, return address" {
	run env LD_PRELOAD="$library" ACLCHECK_CHECKS=off "$guest/registers"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ok' <<<"$output")" -eq 7 ]
}

# Where indirect calls must land on such an instruction: each wrapper, dlsym and dlvsym begin with one.
@test "each exported function begins with a landing pad" {
	[ -z "${TEST_EMULATOR-}" ] || library=$ACLCHECK_BUILD/root$library # what programs find there
	case $(readelf -hW "$library") in
	*AArch64*) dump=aarch64-linux-gnu-objdump pad='bti[[:space:]]+c$|paciasp$' ;;
	*) dump=objdump pad='endbr64' ;;
	esac
	command -v "$dump" >/dev/null || dump=objdump
	"$dump" -d --no-show-raw-insn "$library" |
		awk -v pad="$pad" '/^[0-9a-f]+ <(acl[A-Za-z0-9]*|dlsym|dlvsym)(@@[^>]*)?>:$/ { name = $2; next }
			name { n++; if ($0 !~ pad) { print name, $0; bad = 1 } name = "" }
			END { print n; exit bad || n < 300 }'
}
