#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What the generator refuses: a model that says too little or something that does not fit is no model.

setup() {
	model=$BATS_TEST_TMPDIR/api.json
	cp "$ACLCHECK_SOURCE/include/acl/api.json" "$model"
}

# change FUNCTION OLD NEW: in the block of a function, which must hold OLD.
change() {
	awk -v name="{\"name\": \"$1\"," -v old="$2" -v new="$3" '
		substr($0, 1, 3) == "  {" { inside = index($0, name) }
		inside && !done && (at = index($0, old)) {
			$0 = substr($0, 1, at - 1) new substr($0, at + length(old)); done = 1
		}
		{ print }
		END { exit !done }' "$model" >"$model.new"
	mv "$model.new" "$model"
}

# refused TEXT: the generator ends, with a message that names the file and holds TEXT.
refused() {
	run "$ACLCHECK_BUILD/tools/acl-gen" "$model" "$BATS_TEST_TMPDIR/out" "$ACLCHECK_SOURCE/checks/rules"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *api.json* ]]
	[[ $output == *"$1"* ]]
}

@test "the model as it is passes" {
	"$ACLCHECK_BUILD/tools/acl-gen" "$model" "$BATS_TEST_TMPDIR/out" "$ACLCHECK_SOURCE/checks/rules"
}

@test "a wrapped function without an operation" {
	change aclrtMemcpy '"operation": "copy.linear", ' ''
	refused 'functions aclrtMemcpy: "operation" is missing'
}

@test "a granule that is no power of two, or of a function that does not allocate" {
	change aclrtMallocAlign32 '"granule": 32' '"granule": 33'
	refused 'aclrtMallocAlign32: "granule" is no power of two'
	cp "$ACLCHECK_SOURCE/include/acl/api.json" "$model"
	change aclrtMemcpy '"operation": "copy.linear", ' '"operation": "copy.linear", "granule": 32, '
	refused 'aclrtMemcpy: "granule" and "spare" are for what allocates'
}

@test "an unknown operation" {
	change aclrtMemcpy copy.linear copy.lineal
	refused 'aclrtMemcpy: unknown operation "copy.lineal"'
}

@test "an operation in other letters" {
	change aclrtMemcpy copy.linear Copy.linear
	refused '"Copy.linear" is neither "group" nor "group.leaf"'
}

@test "an operation that no function does" {
	change copy.linear '"copy.linear"' '"copy.nothing"}, {"name": "copy.linear"'
	refused 'no function does "copy.nothing"'
}

@test "the operations of a group stand together" {
	change process.init '{"name": "process.init"' '{"name": "copy.early"}, {"name": "process.init"'
	refused 'the operations of group "copy" do not stand together'
}

@test "an unknown role" {
	change aclrtMemset '"role": "bytes"' '"role": "octets"'
	refused 'aclrtMemset: count: unknown role "octets"'
}

@test "an unknown trait" {
	change aclrtDestroyStreamForce '"trait": "forced"' '"trait": "rough"'
	refused 'aclrtDestroyStreamForce: unknown trait "rough"'
}

@test "a trait that no function has" {
	sed -i 's/^"traits": \[/"traits": ["rough",/' "$model"
	refused 'no function is "rough" of "traits"'
}

@test "two parameters with one role" {
	change aclrtMemset '"role": "limit"' '"role": "dst"'
	refused 'aclrtMemset: devPtr and maxCount both have the role "dst"'
}

@test "a function without a role of its operation" {
	change aclrtMemset '"role": "dst", ' ''
	refused 'aclrtMemset: operation "set.bytes" needs a parameter with the role "dst"'
}

@test "a role that no parameter has" {
	sed -i 's/^"roles": \[/"roles": ["unused",/' "$model"
	refused 'no parameter has "unused"'
}

@test "a role that would end its enum" {
	sed -i 's/^"roles": \[/"roles": ["count",/' "$model"
	refused 'role "count" would be confused'
}

@test "a pointer without an access" {
	change aclrtFree '"access": "none", "memory": "device", ' ''
	refused 'aclrtFree: devPtr: a pointer without "access"'
}

@test "an untyped pointer without its memory" {
	change aclrtFree '"memory": "device", ' ''
	refused 'aclrtFree: devPtr: the pointer could go anywhere'
}

@test "an untyped pointer without an extent" {
	change aclrtReduceAsync ', "bytes": "count"' ''
	refused 'aclrtReduceAsync: dst: how far the access goes is missing'
}

@test "an access to something that is no pointer" {
	change aclrtMemcpy '"name": "kind"' '"access": "read", "name": "kind"'
	refused 'aclrtMemcpy: kind: "access" of something that is no pointer'
}

@test "an unknown word of an access" {
	change aclrtMemcpy '"access": "write"' '"access": "scribble"'
	refused 'aclrtMemcpy: unknown access "scribble"'
}

@test "an operand that is no parameter" {
	change aclrtMemcpy2d '"rows": "height"' '"rows": "lines"'
	refused 'aclrtMemcpy2d: dst: "rows": no parameter "lines"'
}

@test "rows without a pitch" {
	change aclrtMemcpy2d ', "pitch": "dpitch"' ''
	refused 'aclrtMemcpy2d: dst: "rows" and "pitch" come together'
}

@test "each of something that is no array" {
	change aclrtMemcpy '"bytes": "count"' '"bytes": "count", "each": {"access": "read", "memory": "any"}'
	refused 'aclrtMemcpy: dst: "each" of something that is no counted array'
}

@test "a variant of another class" {
	change aclrtMemcpyAsyncWithCondition '["memory", "copy"]' '["memory"]'
	refused 'does "copy.linear" as aclrtMemcpy'
	refused 'its class is another'
}

@test "a variant that returns at once where the others wait" {
	change aclrtSynchronizeStreamWithTimeout '"mode": "blocking"' '"mode": "immediate"'
	refused 'its mode is another'
}

@test "a variant that a capture treats otherwise" {
	change aclrtMemcpyAsyncWithCondition '"capture": "captured"' '"capture": "illegal-any-mode"'
	refused 'its capture is another'
}

@test "a variant whose handle is of another kind" {
	change aclrtStreamWaitEventWithTimeout '"handle": "event"' '"handle": "notify"'
	refused 'its object is another'
}

@test "a variant that reads what the others write" {
	change aclrtMemsetAsync '"access": "write"' '"access": "read"'
	refused 'its access is another'
}

@test "a variant that writes another memory" {
	change aclrtMemsetAsync '"memory": "any"' '"memory": "device"'
	refused 'its access is another'
}

@test "a reason for what does not differ" {
	change aclrtMemsetAsync '"operation": "set.bytes"' '"operation": "set.bytes", "differs": {"class": "never"}'
	refused 'aclrtMemsetAsync: "differs": its class is as in the other functions'
}

@test "a fact that cannot differ" {
	change aclrtFreeWithDevSync '{"mode"' '{"moods"'
	refused 'aclrtFreeWithDevSync: unknown key "moods"'
}

# rule_refused OLD NEW TEXT: so changed, the entry of event-cross-device ends the generator, with its file named.
rule_refused() {
	rm -rf "$BATS_TEST_TMPDIR/rules"
	cp -r "$ACLCHECK_SOURCE/checks/rules" "$BATS_TEST_TMPDIR/rules"
	file=$BATS_TEST_TMPDIR/rules/stream/event.json
	cp "$file" "$file.before"
	sed -i "/\"id\": \"event-cross-device\"/,/^ *}/ s/$1/$2/" "$file"
	run cmp "$file" "$file.before"
	[ "$status" -eq 1 ]
	run "$ACLCHECK_BUILD/tools/acl-gen" "$model" "$BATS_TEST_TMPDIR/out" "$BATS_TEST_TMPDIR/rules"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"stream/event.json: rule \"event-cross-device\": $3"* ]]
}

@test "a rule with a word or a member that there is not" {
	rule_refused '"severity": "[a-z]*"' '"severity": "advice"' 'severity: advice, is one of error, warning, perf, portability'
	rule_refused '"severity": "[a-z]*"' '"severity": "off"' 'severity: off, is one of'
	rule_refused '"severity": "[a-z]*",' '' 'severity: missing, is one of'
	rule_refused '"yields"' '"yeilds"' 'yeilds: is no member of a rule'
	rule_refused '"aclrt[A-Za-z]*"' '"aclrtRecordEvnt"' 'apis: aclrtRecordEvnt is no function'
}
