#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One table of words in both languages; nothing of the English one is left in Chinese output.

load helper

# english_left ENGLISH CHINESE: phrases of the table that stand in the first file and in the second one as well.
english_left() {
	python3 - "$SOURCE/interpose/common/messages.def" "$1" "$2" <<-'END'
		import re, sys
		table, english, chinese = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
		rows = re.findall(r'^MESSAGE\((\w+), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)*)"\)', table, re.M)
		assert len(rows) == table.count("\nMESSAGE("), len(rows)
		assert len(rows) > 50, len(rows)
		seen = 0
		for name, en, zh in rows:
		    assert en != zh and re.search("[\u4e00-\u9fff]", zh), name
		    assert re.findall("%.", en) == re.findall("%.", zh), name
		    for phrase in re.split(r"%u|\\n|x %u", en):
		        phrase = phrase.strip(" ,:;()…")
		        # Words that are also keys and values of a report say nothing.
		        if " " not in phrase or len(phrase) < 6:
		            continue
		        seen += phrase in english
		        if phrase in chinese:
		            print(name, phrase)
		assert seen >= 3, "the English output has none of the table"
	END
}

@test "the log of a process" {
	for language in en zh; do
		ACLCHECK_LANG=$language ACLCHECK_MAX_FINDINGS=1 "$FINDINGS" error warning secondary advice repeat 2>$language || true
	done
	[ -z "$(english_left en zh)" ] || { english_left en zh; return 1; }
	grep -q '汇总' zh
}

@test "a report as text, and the summary of a job" {
	run "$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" twelve
	"$ACLCHECK" report --max-findings 1 r.json >en || [ $? = 97 ]
	"$ACLCHECK" report --max-findings 1 --lang zh r.json >zh || [ $? = 97 ]
	[ -z "$(english_left en zh)" ] || { english_left en zh; return 1; }
	grep -q '^错误: async-copy-alignment: ' zh
	grep -q '^   建议: ' zh
	"$ACLCHECK" run --softnpu --lang zh -- "$PROGRAM" >/dev/null 2>job || [ $? = 97 ]
	grep -q '^== aclcheck 汇总: 1 错误, 0 警告, .* 1 个进程$' job
}

@test "what machines read stays English" {
	ACLCHECK_REPORT=r.json "$FINDINGS" error secondary advice 2>/dev/null
	for format in json sarif junit tap github gitlab; do
		"$ACLCHECK" report --format $format r.json >en || [ $? = 97 ]
		ACLCHECK_LANG=zh "$ACLCHECK" report --format $format r.json >zh || [ $? = 97 ]
		cmp en zh
	done
}

# english_in FILE: lines with four English words in a row; names of documents, usage and programs are as they are.
english_in() {
	grep -E "(^|[^A-Za-z0-9_/.-])([A-Za-z]*[a-z]{2},? ){3}[a-z]{2,}" "$1" | grep -Ev "参见: |现有：|用法：|AscendCL data transfer guide|Flame Chart|Latency"
}

chinese_in() {
	LC_ALL=C grep -q $'[\xe4-\xe9][\x80-\xbf][\x80-\xbf]' "$1"
}

@test "no English sentence is left: help of every command, settings, misuse" {
	for command in run report merge diff suppress trace summary trace-compass rules settings; do
		"$ACLCHECK" "$command" --help >en
		ACLCHECK_LANG=zh "$ACLCHECK" "$command" --help >zh
		[ -n "$(english_in en)" ]
		[ -z "$(english_in zh)" ] || { english_in zh; return 1; }
		chinese_in zh
	done
	export ACLCHECK_LANG=zh
	"$ACLCHECK" --help >zh
	"$ACLCHECK" settings >>zh
	"$ACLCHECK" rules | head -50 >>zh
	"$ACLCHECK" rules async-copy-alignment | head -8 >>zh
	for misuse in "rum" "run --repot x" "run --report" "run --l" "run" "run -- ./none" "run --report . -- true" "run --softnpu=8x -- true" \
		"run --soc x -- true" "run --rules x -- true" "run --timeout x -- true" "run --watch x -- true" "run --suppress none -- true" \
		"report none.json" "report --format x r.json" "report --lang fr r.json" "report --max-findings x r" "diff a" "suppress --reason= r" \
		"suppress --until x r" "trace" "trace --buffers x -- true" "trace --class x -- true" "summary" "summary none" "trace-compass" \
		"rules nothing-of-it" "settings x"; do
		# shellcheck disable=SC2086
		! "$ACLCHECK" $misuse >out 2>&1 || { echo "accepted: $misuse"; return 1; }
		chinese_in out || { echo "$misuse"; cat out; return 1; }
		cat out >>zh
	done
	[ -z "$(english_in zh)" ] || { english_in zh; return 1; }
}

@test "no English sentence is left: what the findings of all scenarios say" {
	# Addresses that differ from run to run are left out there.
	sed -n 's/^  says //p' "$SOURCE"/tests/{paired,checks}/*.findings | sed -E 's/somewhere|heap\+[0-9a-fx]+/0x7e0000000000/g' |
		grep ' ' | sort -u >en
	# What conditions of the model say, all of it.
	sed -n 's/^SENTENCE("\([^"]*\)".*/\1/p' "$BUILD/gen/constraint_sentences.def" >>en
	[ "$(wc -l <en)" -gt 1000 ]
	[ -n "$(english_in en)" ]
	"$BUILD/tests/report/translate" <en >zh
	[ -z "$(english_in zh)" ] || { english_in zh; return 1; }
	run env LC_ALL=C.UTF-8 grep -avP '[\x{4e00}-\x{9fff}]' zh
	[ "$status" -eq 1 ]
	# A value with full stops ("0..7", "9.1") is one value.
	run grep -E '。[.0-9a-z]' zh
	[ "$status" -eq 1 ]
}

@test "no English sentence is left: a run, its report and its page" {
	echo '{"lang": "zh", "exitcode": 999}' >c.json
	export ACLCHECK_LANG=zh
	"$ACLCHECK" run --softnpu --watch notes --report r.json -- sh -c '"$1" twelve; "$1" abort; ACLCHECK_CONFIG=c.json "$1"
		ACLCHECK_CHECKS=off "$1"; ACLCHECK_RULES=-all "$1"; env -i python3 -c 0; exit 0' sh "$PROGRAM" >zh 2>&1 || [ $? = 97 ]
	grep -q "^aclcheck: 结论 fail" zh
	grep -q "源内存: 页锁定主机内存 0x.*65536 字节 (64.0 KiB)" zh
	grep -q "位于 copy_in" zh
	grep -q "exitcode：'999' 应为以下范围内的数：1-255" zh
	grep -q "的情况下运行了" zh
	"$ACLCHECK" report r.json >>zh || [ $? = 97 ]
	"$ACLCHECK" run --softnpu --timeout 1 -- sleep 5 >>zh 2>&1 || [ $? = 98 ]
	"$ACLCHECK" run --softnpu -- true >>zh 2>&1 || [ $? = 98 ]
	[ -z "$(english_in zh)" ] || { english_in zh; return 1; }
	"$ACLCHECK" report --format html -o page.html r.json || [ $? = 97 ]
	ACLCHECK_LANG=en "$ACLCHECK" report --format html -o english.html r.json || [ $? = 97 ]
	for page in page english; do
		sed -e '/<style>/,/<\/style>/d' -e '/<script>/,/<\/script>/d' -e 's/<[^>]*>/\n/g' $page.html | grep -v "misaligned" >$page
	done
	[ -n "$(english_in english)" ]
	[ -z "$(english_in page)" ] || { english_in page; return 1; }
	grep -q '<html lang="zh">' page.html
	# The report itself has one language.
	[[ $(json r.json '[d["text"] for d in r["inconclusive"]]') == *"ended without its end record"* ]]
}

@test "no English sentence is left: a recording's numbers, and which failures are handled" {
	# Numbers, names and codes only; the words of the heading stand in their columns.
	"$ACLCHECK" trace -o calls -- env LD_LIBRARY_PATH="$BUILD/softnpu" "$PROGRAM" twelve >/dev/null 2>&1 || [ $? = 97 ]
	"$ACLCHECK" summary calls >en
	ACLCHECK_LANG=zh "$ACLCHECK" summary calls >zh
	grep -q "^ *calls *total *share *mean .*errors  function$" en
	grep -q "^ *调用 *总计 *占比 *平均 .*错误  函数$" zh
	grep -q "^进程 [0-9]*，主机 .*misaligned twelve$" zh
	grep -q "主机阻塞" zh
	[ "$(grep -c . en)" = "$(grep -c . zh)" ]
	[ -z "$(english_in zh)" ] || { english_in zh; return 1; }
	ACLCHECK_LANG=zh "$ACLCHECK" fuzz-errors --softnpu -- "$BUILD/tests/report/faulty" ignore >zh 2>/dev/null || [ $? = 97 ]
	grep -q "^被忽略 *aclrt" zh
	grep -q "^结论 fail$" zh
	[ -z "$(english_in zh)" ] || { english_in zh; return 1; }
}

@test "every sentence has a Chinese one, with the same values" {
	run python3 "$SOURCE/tests/report/sentences.py" "$SOURCE"
	echo "$output"
	[ "$status" = 0 ]
	[ -z "$output" ]
	# It sees one that has none.
	cp -r --parents "$SOURCE/checks/rules" "$SOURCE/interpose/common/"{,message_}sentences.def .
	sed -i 's/"The stream is being captured: end the capture first."/"This one has no translation."/' ".$SOURCE"/checks/rules/*/*.c
	run python3 "$SOURCE/tests/report/sentences.py" ".$SOURCE"
	[[ $output == *'no Chinese for "This one has no translation."'* ]]
	cp -r --parents "$SOURCE/tools/aclcheck" .
	sed -i 's/"out of memory"/"Neither has this one."/' ".$SOURCE"/tools/aclcheck/main.c
	sed -i 's/<h2>By rule/<h2>Nor this heading/' ".$SOURCE"/tools/aclcheck/formats/page/page.html
	run python3 "$SOURCE/tests/report/sentences.py" ".$SOURCE"
	[[ $output == *'no Chinese for "Neither has this one."'* ]]
	[[ $output == *'no Chinese for "Nor this heading"'* ]]
}

@test "the sentence of a finding, by the process and from its report" {
	ACLCHECK_LANG=zh "$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" 2>zh || [ $? = 97 ]
	grep -q '^   src 0x[0-9a-f]* 超出 64 字节边界 12 字节：src 0x[0-9a-f]* 位于 0x[0-9a-f]* 处的 64 KiB 页锁定主机内存内偏移 12 字节处$' zh
	"$ACLCHECK" report --lang zh r.json | grep '超出 64 字节边界' >again
	cmp <(grep '超出 64 字节边界' zh) again
	[[ $(json r.json 'r["findings"][0]["detail"]') == "src 0x"*" is 12 bytes past a 64-byte boundary: "* ]]
}
