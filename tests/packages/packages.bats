#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# make deb, make rpm: what is in the packages, and a root with little more than the C library: installed, used, removed.

setup_file() {
	export PACKAGES="$BATS_FILE_TMPDIR/packages"
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$ACLCHECK_SOURCE" BUILD="$ACLCHECK_BUILD" CC="${CC:-gcc}" \
		PACKAGES="$PACKAGES" deb-files rpm-files >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/log"
		return 1
	}
	VERSION=$("$ACLCHECK_BUILD/aclcheck" --version | cut -d' ' -f2)
	ARCH=$(dpkg --print-architecture)
	export ARCH DEB="$PACKAGES/aclcheck_${VERSION}_$ARCH.deb" DEB_TRACING="$PACKAGES/aclcheck-tracing_${VERSION}_$ARCH.deb"
	export RPM="$PACKAGES/aclcheck-$VERSION-1.$(uname -m).rpm" RPM_TRACING="$PACKAGES/aclcheck-tracing-$VERSION-1.$(uname -m).rpm"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset "${!ACLCHECK_R@}" LD_PRELOAD LD_LIBRARY_PATH
	ROOT=$PWD/root
}

needs_root() {
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || skip "a root directory of its own cannot be had"
}

# A root with a shell, the libraries named and what those need, and nothing else.
bare_root() {
	local file

	mkdir -p "$ROOT"/{bin,usr/lib,tmp,proc,dev,etc,var/lib/dpkg/{info,updates,triggers,parts},var/lib/rpm}
	touch "$ROOT/var/lib/dpkg/status" "$ROOT/var/lib/dpkg/available"
	# libpthread.so.0 and libdl.so.2 come with every C library; since glibc 2.34 there is nothing in them.
	for file in /bin/sh $(ldd "$ACLCHECK_BUILD/aclcheck" | awk '/libjansson|libpthread|libdl/ { print $3 }'); do
		{ ldd "$file" | grep -o '/[^ ]*'; echo "$file"; } | while read -r file; do
			install -D "$(readlink -f "$file")" "$ROOT$file"
		done
	done
	# What dpkg knows of them here it knows there.
	for file in libc6 libjansson4; do
		dpkg -s "$file:$ARCH"
		echo
	done >"$ROOT/var/lib/dpkg/status"
}

# inside COMMAND...: in that root, with /proc and /dev
inside() {
	unshare -m sh -c 'mount --rbind /proc "$1/proc" && mount --rbind /dev "$1/dev" && exec chroot "$@"' - "$ROOT" "$@"
}

# A user's program, compiled with what is installed there.
compile() {
	local flags

	flags=$(PKG_CONFIG_LIBDIR="$ROOT/usr/share/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$ROOT" pkg-config --cflags --libs softnpu)
	# The flags are words.
	# shellcheck disable=SC2086
	${CC:-gcc} -g -w -o "$ROOT/app" -I"$ACLCHECK_SOURCE" "$ACLCHECK_SOURCE/tests/report/misaligned.c" $flags -ldl
}

# use LIBRARY: what README shows, in the root
use() {
	local code

	inside /usr/bin/aclcheck --version
	inside /usr/bin/aclcheck run --softnpu --report /tmp/good.json -- /app clean
	code=0
	inside /usr/bin/aclcheck run --softnpu=2 --report /tmp/report.json -- /app bug 2>said || code=$?
	[ "$code" = 97 ]
	grep -q 'async-copy-alignment' said
	grep -q 'main (.*misaligned.c:[0-9]*)' said
	inside /usr/bin/aclcheck report --format sarif /tmp/report.json | grep -q '"ruleId": *"async-copy-alignment"'
	inside /usr/bin/aclcheck report --format html -o /tmp/report.html /tmp/report.json || [ $? -eq 97 ]
	[ -s "$ROOT/tmp/report.html" ]
	inside /usr/bin/aclcheck rules async-copy-alignment | grep -q async-copy-alignment
	inside /bin/sh -c 'LD_LIBRARY_PATH=/usr/lib/softnpu LD_PRELOAD=$1 /app bug' - "$1" 2>&1 | grep -q 'aclcheck error #1: async-copy-alignment'
	inside /usr/bin/aclcheck suppress --reason "ticket 17" /tmp/report.json >"$ROOT/tmp/known.json"
	inside /usr/bin/aclcheck run --softnpu --suppress /tmp/known.json -- /app bug
	inside /usr/bin/aclcheck merge -o /tmp/all.json /tmp/good.json /tmp/report.json || [ $? -eq 97 ]
	inside /usr/bin/aclcheck diff /tmp/good.json /tmp/report.json | grep -q async-copy-alignment
	inside /usr/bin/aclcheck run --softnpu --inject 'aclrtMalloc:when=1:error=207001' -- /app clean 2>&1 | grep -q '^injected: aclrtMalloc failed with 207001'
	inside /usr/bin/aclcheck fuzz-errors --softnpu --calls 'aclrtMalloc*' -- /app clean 2>/dev/null | grep -q 'aclrtMalloc  main'
	code=0
	inside /usr/bin/aclcheck doctor --softnpu -- /app >doctor || code=$?
	cat doctor
	[ "$code" = 0 ]
	grep -q '^lacks  recording' doctor
	code=0
	inside /usr/bin/aclcheck summary /tmp 2>said || code=$?
	[ "$code" = 99 ]
	grep -q 'install the package aclcheck-tracing' said
	rm -r "$ROOT/tmp"/* "$ROOT/app"
}

# The files of the root that are not the package manager's own, and the directories that can be ours alone.
files() {
	(cd "$ROOT" && find . -path ./var -prune -o -path ./proc -prune -o -path ./dev -prune -o \
		\( ! -type d -o -path '*aclcheck*' -o -path '*softnpu*' \) -print | sort)
}

@test "deb: the checker needs the C library and jansson, recording the rest" {
	[[ "$(dpkg-deb -f "$DEB" Depends)" =~ ^libc6\ \([^\)]*\),\ libjansson4\ \([^\)]*\)$ ]]
	dpkg-deb -f "$DEB_TRACING" Depends >needs
	for package in "aclcheck (=" lttng-tools babeltrace2 libbabeltrace2-0 liblttng-ust1; do grep -qF "$package" needs; done
}

@test "rpm: the same, and the software runtime is not offered as CANN's" {
	[ "$(rpm -qpR "$RPM" | grep -v '^rpmlib\|^rtld\|^ld-linux' | sed 's/[.(].*//' | sort -u | tr '\n' ' ')" = "libc libdl libjansson libpthread " ]
	rpm -qpR "$RPM_TRACING" | grep -q '^libbabeltrace2.so.0'
	rpm -qp --provides "$RPM" >offers
	grep -q '^pkgconfig(softnpu)' offers
	run grep -E 'ascendcl|acl_rt|opapi|nnopbase' offers
	[ "$status" -eq 1 ]
}

# listed: the paths of both packages, files and links only
@test "both kinds hold what make install brings, each file in one package" {
	for kind in deb rpm; do
		mkdir $kind
		if [ $kind = deb ]; then
			for p in "$DEB" "$DEB_TRACING"; do dpkg-deb -c "$p" | grep -v '^d' | awk '{ print $6 }' | sed 's/^\.//' | sort >"$kind/$(basename "$p" | cut -d_ -f1)"; done
		else
			rpm -qpl --dump "$RPM" | awk '$5 !~ /^04/ { print $1 }' | sort >rpm/aclcheck
			rpm -qpl --dump "$RPM_TRACING" | awk '$5 !~ /^04/ { print $1 }' | sort >rpm/aclcheck-tracing
		fi
		[ -z "$(comm -12 $kind/aclcheck $kind/aclcheck-tracing)" ]
		grep -qx /usr/lib/aclcheck/aclcheck-reader $kind/aclcheck-tracing
		grep -qE "^/usr/lib(64)?/libaclcheck-lttng.so" $kind/aclcheck-tracing
		cat $kind/* | grep -v '^/usr/share/doc/' | sed 's/\.gz$//; s|^/usr/lib64/|/usr/lib/|' | sort >$kind.all
	done
	diff deb.all rpm.all
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C "$ACLCHECK_SOURCE" BUILD="$ACLCHECK_BUILD" CC="${CC:-gcc}" install-files \
		DESTDIR="$PWD/whole" PREFIX=/usr >log 2>&1
	(cd whole && find . ! -type d | sed 's/^\.//; s|/lib/pkgconfig/|/share/pkgconfig/|' | sort) >all
	diff all deb.all
}

@test "deb: in a bare root installed, used and removed; nothing is left" {
	needs_root
	bare_root
	files >before
	dpkg --root="$ROOT" -i "$DEB"
	run dpkg --root="$ROOT" -i "$DEB_TRACING"
	[ "$status" -ne 0 ]
	dpkg --root="$ROOT" -r aclcheck-tracing
	compile
	# By its bare name: where the loader looks.
	use libaclcheck.so
	dpkg --root="$ROOT" -r aclcheck
	files | diff before -
}

@test "rpm: in a bare root installed, used and removed; nothing is left" {
	needs_root
	bare_root
	files >before
	# Its own list of packages is empty there: the needs are looked at above.
	rpm --root "$ROOT" --dbpath /var/lib/rpm --nodeps -i "$RPM"
	compile
	# This loader is of another distribution.
	use "$(rpm --eval '%{_libdir}')/libaclcheck.so"
	rpm --root "$ROOT" --dbpath /var/lib/rpm -e aclcheck
	files | diff before -
}

@test "with the second package what is recorded is read" {
	for p in "$DEB" "$DEB_TRACING"; do dpkg-deb -x "$p" "$ROOT"; done
	compile
	# shellcheck source=tests/trace/alone.bash
	source "$ACLCHECK_SOURCE/tests/trace/alone.bash"
	alone
	"$ROOT/usr/bin/aclcheck" trace --softnpu --buffers=8M -o calls -- "$ROOT/app" clean
	"$ROOT/usr/bin/aclcheck" summary calls | grep -q aclrtMemcpyAsync
}
