#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One table of words in both languages; nothing of the English one is left in Chinese output.

load helper

# english_left ENGLISH CHINESE: phrases of the table that stand in the first file and in the second one as well.
english_left() {
	python3 - "$SOURCE/interpose/common/messages.c" "$1" "$2" <<-'END'
		import re, sys
		table, english, chinese = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
		rows = re.findall(r'\[(MSG_\w+)\] = \{\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)"\s*\}', table)
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

@test "every sentence of a finding has a Chinese one, with the same values" {
	run python3 "$SOURCE/tests/report/sentences.py" "$SOURCE"
	echo "$output"
	[ "$status" = 0 ]
	[ -z "$output" ]
	# It sees one that has none.
	cp -r --parents "$SOURCE/checks/rules" "$SOURCE/interpose/common/sentences.def" .
	sed -i 's/"The stream is being captured: end the capture first."/"This one has no translation."/' ".$SOURCE"/checks/rules/*/*.c
	run python3 "$SOURCE/tests/report/sentences.py" ".$SOURCE"
	[[ $output == *'no Chinese for "This one has no translation."'* ]]
}

@test "the sentence of a finding, by the process and from its report" {
	ACLCHECK_LANG=zh "$ACLCHECK" run --softnpu --report r.json -- "$PROGRAM" 2>zh || [ $? = 97 ]
	grep -q '^   src 0x[0-9a-f]* 超出 64 字节边界 12 字节：src 0x[0-9a-f]* 位于 0x[0-9a-f]* 处的 64 KiB 页锁定主机内存内偏移 12 字节处$' zh
	"$ACLCHECK" report --lang zh r.json | grep '超出 64 字节边界' >again
	cmp <(grep '超出 64 字节边界' zh) again
	[[ $(json r.json 'r["findings"][0]["detail"]') == "src 0x"*" is 12 bytes past a 64-byte boundary: "* ]]
}
