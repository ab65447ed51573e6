#!/usr/bin/env bats
# The installed tree, which does not lie where PREFIX says: other tools find all of it.

setup_file() {
	export ROOT="$BATS_FILE_TMPDIR/root" PREFIX=/opt/aclcheck
	export TREE="$ROOT$PREFIX"
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$ACLCHECK_SOURCE" BUILD="$ACLCHECK_BUILD" CC="${CC:-gcc}" \
		install-files DESTDIR="$ROOT" PREFIX="$PREFIX" >"$BATS_FILE_TMPDIR/install.log" 2>&1
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	unset ACLCHECK_REPORT
	cat >good.c <<'END'
#include <acl/acl.h>
#include <aclcheck.h>

int main(int argc, char **argv)
{
	void *device = NULL, *host = NULL;
	aclrtStream stream = NULL;

	(void)argv;
	if (aclInit(NULL) || aclrtSetDevice(0) || aclrtCreateStream(&stream) || aclrtMalloc(&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST) ||
		aclrtMallocHost(&host, 4096))
		return 2;
	aclrtMemcpyAsync(device, 128, (char *)host + (argc > 1 ? 4 : 64), 128, ACL_MEMCPY_HOST_TO_DEVICE, stream);
	aclrtSynchronizeStream(stream);
	aclrtFree(device);
	aclrtFreeHost(host);
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	return aclFinalize();
}
END
}

# Completes the words as bash would with the cursor behind the last; the answers one a line.
complete_words() {
	PATH="$TREE/bin:$PATH" bash -c '
		. "$0"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_aclcheck
		printf "%s\n" "${COMPREPLY[@]}"' "$TREE/share/bash-completion/completions/aclcheck" "$@"
}

@test "a program is compiled with what pkg-config says, and checked by the installed command" {
	export PKG_CONFIG_PATH="$TREE/lib/pkgconfig"
	[ "$(pkg-config --modversion softnpu)" = "$(pkg-config --modversion aclcheck)" ]
	grep -qx "prefix=$PREFIX" "$TREE/lib/pkgconfig/softnpu.pc"
	# The flags are words.
	# shellcheck disable=SC2046
	${CC:-gcc} -o good good.c $(pkg-config --define-variable=prefix="$TREE" --cflags --libs aclcheck softnpu)
	"$TREE/bin/aclcheck" run --softnpu ./good
	run "$TREE/bin/aclcheck" run --softnpu ./good misaligned
	[ "$status" -eq 97 ]
	[[ $output == *async-copy-alignment* ]]
}

@test "CMake finds it, and its tests are verdicts" {
	command -v cmake >/dev/null || skip "no cmake"
	cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(users C)
enable_testing()
find_package(aclcheck 0.1 REQUIRED)
add_executable(good good.c)
target_link_libraries(good aclcheck::aclcheck aclcheck::softnpu)
aclcheck_add_test(NAME right COMMAND good SOFTNPU)
aclcheck_add_test(NAME wrong COMMAND good misaligned SOFTNPU)
aclcheck_add_test(NAME known COMMAND good misaligned SOFTNPU OPTIONS --rules -async-copy-alignment)
END
	CC="${CC:-gcc}" cmake -B build -Daclcheck_DIR="$TREE/lib/cmake/aclcheck" >cmake.log 2>&1 || { cat cmake.log; return 1; }
	cmake --build build >>cmake.log 2>&1 || { cat cmake.log; return 1; }
	run sh -c "cd build && ctest"
	[ "$status" -ne 0 ]
	[[ $output =~ right.*Passed ]]
	[[ $output =~ wrong.*Failed ]]
	[[ $output =~ known.*Passed ]]
	grep -q async-copy-alignment build/wrong.aclcheck.json
}

@test "CMake refuses a newer version than is there" {
	command -v cmake >/dev/null || skip "no cmake"
	printf 'cmake_minimum_required(VERSION 3.16)\nproject(users C)\nfind_package(aclcheck 99 REQUIRED)\n' >CMakeLists.txt
	run env CC="${CC:-gcc}" cmake -B build -Daclcheck_DIR="$TREE/lib/cmake/aclcheck"
	[ "$status" -ne 0 ]
	[[ $output == *99* ]]
}

@test "completion knows every command of --help" {
	complete_words aclcheck "" >commands
	"$TREE/bin/aclcheck" --help | awk '/^  [a-z]/ { print $1 }' >listed
	[ -s listed ]
	while read -r command; do grep -qx -e "$command" commands; done <listed
	[ "$(complete_words aclcheck su | tr '\n' ' ')" = "suppress summary " ]
}

@test "completion knows options, their values, rules and the program's files" {
	complete_words aclcheck run --ta | grep -qx -e --target-cann
	complete_words aclcheck run --target-cann 9 | grep -qx 9.1
	complete_words aclcheck run --format = s | grep -qx sarif
	complete_words aclcheck run --rules -async-copy-al | grep -qx -e -async-copy-alignment
	complete_words aclcheck rules host-reg | grep -qx host-register-flags || complete_words aclcheck rules host-reg | grep -q '^host-reg'
	touch program-of-mine
	complete_words aclcheck run --softnpu -- prog | grep -qx program-of-mine
	[ "$(complete_words aclcheck run --softnpu -- --ta)" = "" ]
}

@test "zsh completes the same" {
	command -v zsh >/dev/null || skip "no zsh"
	cat >words.zsh <<'END'
fpath=($TREE/share/zsh/site-functions $fpath)
path=($TREE/bin $path)
autoload _aclcheck
compadd() { shift; print -rl -- "$@" }
compset() { print -r -- "without $2" }
_files() { print files }
words=("$@") CURRENT=$#
_aclcheck
END
	zsh -f words.zsh aclcheck run --ta | grep -qx -e --target-cann
	zsh -f words.zsh aclcheck run --format=sar >answer
	grep -qx 'without \*=' answer
	grep -qx sarif answer
	[ "$(zsh -f words.zsh aclcheck run --softnpu -- nothing-like-it)" = files ]
	head -1 "$TREE/share/zsh/site-functions/_aclcheck" | grep -qx '#compdef aclcheck'
}

@test "manual pages, schema, Python modules and headers are there" {
	[ -s "$TREE/share/man/man7/libaclcheck.7" ]
	[ -s "$TREE/share/man/man7/softnpu.7" ]
	[ -s "$TREE/share/aclcheck/examples/doubled.c" ]
	[ -s "$TREE/share/aclcheck/ci/gitlab-ci.yml" ]
	cmp "$TREE/share/aclcheck/tracecompass/aclcheck-streams.xml" "$ACLCHECK_BUILD/gen/tracecompass/aclcheck-streams.xml"
	[ -s "$TREE/share/aclcheck/report.schema.json" ]
	[ -s "$TREE/share/aclcheck/python/pytest_aclcheck.py" ]
	[ -s "$TREE/include/softnpu/softnpu.h" ]
	[ -s "$TREE/include/softnpu/acl/acl_rt.h" ]
}

@test "aclcheck(1) has every command with its options, and is clean troff" {
	page=$TREE/share/man/man1/aclcheck.1
	"$TREE/bin/aclcheck" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' | while read -r command; do
		grep -qxF ".SS ${command//-/\\-}" "$page"
	done
	grep -qxF '.B \-\-target\-cann documents|auto|8.1|8.5|9.0|9.1|9.2|main' "$page"
	grep -qxF 'only how many events there are' "$page"
	run env LC_ALL=C grep -nP '[^\x00-\x7f]' "$page"
	[ "$status" -eq 1 ]
	command -v groff >/dev/null || skip "no groff"
	[ -z "$(groff -man -ww -z -rLL=200n "$page" 2>&1)" ]
}

@test "uninstalled, nothing is left but what others have put there" {
	make_here() {
		env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS TMPDIR="$PWD" make -s -C "$ACLCHECK_SOURCE" BUILD="$ACLCHECK_BUILD" \
			CC="${CC:-gcc}" "$@" DESTDIR="$PWD/a root" PREFIX=/opt/aclcheck >make.log 2>&1
	}
	make_here install-files
	[ "$(cd "a root" && find . -type f | wc -l)" = "$(cd "$ROOT" && find . -type f | wc -l)" ]
	mkdir -p "a root/opt/aclcheck/share/aclcheck/python" && touch "a root/opt/aclcheck/share/aclcheck/python/own.py"
	make_here uninstall
	[ "$(cd "a root" && find . ! -type d)" = ./opt/aclcheck/share/aclcheck/python/own.py ]
	rm "a root/opt/aclcheck/share/aclcheck/python/own.py"
	make_here uninstall
	[ -z "$(cd "a root" && find . -mindepth 3 -path '*aclcheck/*aclcheck*')" ]
	# Nor of what it was compared with.
	[ "$(ls)" = "$(printf 'a root\ngood.c\nmake.log')" ]
}
