#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No call costs more instructions than tools/bench/figures say: 5 % more is a failure, and so is a figure that
# is missing. `make bench-figures` writes them anew.
set -u
cd "$ACLCHECK_SOURCE" || exit 1
made_by=$(tools/bench/compiler "$CC")
figures=tools/bench/figures counter=valgrind
[ "${made_by##*, }" != aarch64 ] || figures=tools/bench/figures.aarch64 counter=qemu-aarch64
if ! command -v $counter >/dev/null || [ "# $made_by" != "$(head -1 $figures)" ]; then
	echo "1..0 # SKIP the figures are of $(head -1 $figures | cut -c3-), counted by $counter"
	exit 0
fi
counted=$(mktemp)
trap 'rm -f "$counted"' EXIT
tools/bench/instructions "$ACLCHECK_BUILD/bench" checks >"$counted" || exit 1
echo "1..$(wc -l <"$counted")"
awk 'NR == FNR { if (!/^#/) figure[$1] = $2; next }
	{
		good = $1 in figure && $2 <= figure[$1] * 1.05
		printf "%sok %d - %s: %d instructions, %d\n", good ? "" : "not ", FNR, $1, $2, figure[$1]
		if (!good) printf "# more than before; make bench-figures, if that is meant\n"
		if (!good) failed = 1
	}
	END { exit failed }' $figures "$counted"
