#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The short form of fuzzing; FUZZ_ROUNDS and FUZZ_SEED make it longer and other.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
findings=$ACLCHECK_BUILD/tests/report/findings
cd "$directory"
export ACLCHECK_LOG=off
ACLCHECK_JOB=a RANK=3 ACLCHECK_REPORT=r.json "$findings" error nasty repeat advice doubt expect error enough expect enough
ACLCHECK_JOB=b RANK=4 ACLCHECK_REPORT=k.json "$findings" error warning repeat doubt exec kill || true
"$ACLCHECK_BUILD/aclcheck" merge r.json k.json.part -o m.json || true
"$ACLCHECK_BUILD/tests/report/fuzz" "${FUZZ_ROUNDS:-1200}" "${FUZZ_SEED:-1}" \
	"@$ACLCHECK_BUILD/tests/report/misaligned" @r.json @k.json.part @m.json
