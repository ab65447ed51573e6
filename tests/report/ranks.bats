#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Many processes: launchers, ranks, what is left of killed ones.

load helper

setup() {
	own_tmpdir || return
	export ACLCHECK_LOG=off
}

teardown() {
	nothing_stays
}

launch() {
	python3 "$SOURCE/tests/report/ranks.py" "$@"
}

@test "every launcher's variable is the rank" {
	unset ACLCHECK_LOG
	for variable in OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK PALS_RANKID MV2_COMM_WORLD_RANK SLURM_PROCID RANK RANK_ID; do
		env -u RANK "$variable=12" ACLCHECK_JOB=$variable "ACLCHECK_REPORT=$variable.%r.json" "$FINDINGS" 2>/dev/null
		[ "$(json $variable.12.json 'r["rank"]')" = 12 ]
	done
	# Under srun, or one mpirun a node, torchrun's workers share the node's variables.
	SLURM_PROCID=1 OMPI_COMM_WORLD_RANK=1 PMI_RANK=1 RANK=9 LOCAL_RANK=1 ACLCHECK_REPORT='t.%r.json' "$FINDINGS" 2>/dev/null
	[ "$(json t.9.json 'r["rank"]')" = 9 ]
	# What is no number is no rank.
	RANK='../x' ACLCHECK_REPORT='bad.%r.json' "$FINDINGS" 2>/dev/null
	[ "$(json bad.[0-9]*.json 'r.get("rank")')" = None ]
}

@test "200 ranks at once: a report each, one finding, all ranks" {
	LD_PRELOAD=$BUILD/libaclcheck.so ACLCHECK_REPORT=$PWD/d/%h-%r.json bash -c 'mkdir d; exec "$@"' - \
		python3 "$SOURCE/tests/report/ranks.py" 200 "$PROGRAM" bug
	[ "$(ls d | wc -l)" = 200 ]
	[ -s "d/$(uname -n)-0.json" ]
	[ -s "d/$(uname -n)-199.json" ]
	run "$ACLCHECK" merge d -o m.json
	[ "$status" = 97 ]
	[ "$(json m.json '[(f["rule"], f["count"], f["processes"], f["ranks"] == list(range(200))) for f in r["findings"]]')" = \
		"[('async-copy-alignment', 200, 200, True)]" ]
	[ "$(json m.json 'len(r["processes"]), r["inconclusive"]')" = "(200, [])" ]
	"$ACLCHECK" report m.json | grep -q '200 processes, ranks 0-199'
}

@test "the same under aclcheck run, a few of them with a mistake and one killed" {
	run "$ACLCHECK" run --softnpu --report r.json -- python3 "$SOURCE/tests/report/ranks.py" 40 "$PROGRAM" clean abort=7
	[ "$status" = 98 ]
	[ "$(json r.json '[(d["reason"], d.get("ranks")) for d in r["inconclusive"]]')" = "[('process-killed', [7])]" ]
	[ "$(json r.json '[(p["rank"], [c["call"] for c in p["last_calls"][0]["calls"]][-1]) for p in r["processes"] if p["end"] == "killed"]')" = \
		"[(7, 'aclrtMemcpyAsync')]" ]
	run "$ACLCHECK" run --softnpu --report r.json -- python3 "$SOURCE/tests/report/ranks.py" 40 "$PROGRAM" bug=3 bug=31 abort=7
	[ "$status" = 97 ]
	[ "$(json r.json '[(f["rule"], f["ranks"]) for f in r["findings"]]')" = "[('async-copy-alignment', [3, 31])]" ]
	# What is left without the checker's end record fails the launcher, too: its own code on request.
	run "$ACLCHECK" run --softnpu --keep-exit-code -- python3 "$SOURCE/tests/report/ranks.py" 8 "$PROGRAM" clean abort=7
	[ "$status" = 1 ]
}

@test "several machines: reports of hosts with the same process ids and ranks stay apart" {
	unshare -u true 2>/dev/null || skip "no host name of one's own can be had"
	mkdir d
	for host in node1 node2; do
		unshare -u sh -c "hostname $host; RANK=0 ACLCHECK_REPORT=$PWD/d/%h-%r.json '$FINDINGS' error" || [ $? = 0 ]
	done
	[ "$(ls d)" = "$(printf 'node1-0.json\nnode2-0.json')" ]
	run "$ACLCHECK" merge d -o m.json
	[ "$(json m.json 'sorted(p["host"] for p in r["processes"]), r["findings"][0]["processes"]')" = "(['node1', 'node2'], 2)" ]
}

mpi() {
	command -v mpirun >/dev/null || skip "mpirun is not installed"
	# Root asks twice, and so does a machine of few cores.
	mpirun --allow-run-as-root --oversubscribe --mca plm isolated --mca btl self,vader true >/dev/null 2>&1 ||
		skip "mpirun does not run here"
	MPI=(mpirun --allow-run-as-root --oversubscribe --mca plm isolated)
}

@test "mpirun" {
	mpi
	run "$ACLCHECK" run --softnpu --report r.json -- "${MPI[@]}" -n 4 "$PROGRAM" clean
	[ "$status" = 0 ]
	[ "$(json r.json 'sorted(p["rank"] for p in r["processes"])')" = "[0, 1, 2, 3]" ]
	run "$ACLCHECK" run --softnpu --report r.json -- "${MPI[@]}" -n 3 "$PROGRAM" bug : -n 1 "$PROGRAM" clean
	[ "$status" = 97 ]
	[ "$(json r.json 'r["findings"][0]["ranks"]')" = "[0, 1, 2]" ]
}

@test "mpirun: a rank that dies, and the variables handed on by mpirun itself" {
	mpi
	run "$ACLCHECK" run --softnpu --report r.json -- "${MPI[@]}" -n 2 "$PROGRAM" clean abort
	[ "$status" = 98 ]
	[[ $(json r.json '[d["reason"] for d in r["inconclusive"]]') == *process-killed* ]]
	mkdir d
	run "${MPI[@]}" -x LD_PRELOAD="$BUILD/libaclcheck.so" -x ACLCHECK_REPORT="$PWD/d/%r.json" -n 3 "$PROGRAM" clean
	[ "$status" = 0 ]
	[ "$(ls d)" = "$(printf '0.json\n1.json\n2.json')" ]
	run "$ACLCHECK" merge d
	[ "$status" = 0 ]
}
