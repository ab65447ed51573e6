#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# aclcheck timeline -o: the page, in a browser.

# shellcheck disable=SC2154,SC2086,SC2016 # what places() sets; words are split on purpose; a browser's words
load trace.bash
load ../browser.bash

setup_file() {
	load trace.bash
	load ../browser.bash
	alone
	browser || return 0
	places "$BATS_FILE_TMPDIR"
	record mix -- "$app" mix
	record ordered -- "$app" ordered '</script><b>'
	record job -- sh -c "RANK=0 $app nested & RANK=1 $app threads 3 100 & wait"
	record holes -- $drive holes
	record reported -- "$app" reported
	record lossy --buffers=64K -- "$app" loop 100000 || [ $? -eq 98 ]
	record hang -- $drive hang 700 || [ $? -eq 137 ]
	for t in mix ordered job holes reported lossy hang; do
		"$aclcheck" timeline -o $t.html --chrome $t.json "$t" 2>>said
	done
	browser_opens
}

teardown_file() {
	browser_closes
}

setup() {
	places "$BATS_TEST_TMPDIR"
	browser || skip "no Chromium"
}

# in_page NAME SCRIPT: what the script calls "result" in the page, after the page's own
in_page() {
	sed -e '/Content-Security-Policy/d' "$BATS_FILE_TMPDIR/$1.html" >probe.html
	# A finding's colour is not what is looked for: the script stands behind the page's.
	printf '<script>%s; document.title = "result " + (typeof result === "string" ? result : JSON.stringify(result));</script>\n' "$2" >>probe.html
	title_of "$PWD/probe.html" | sed -n 's|^result ||p'
}

press='const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));'
click='const click = (x, y) => ["pointerdown", "pointerup"].forEach((type) => { const e = new MouseEvent(type, {bubbles: true}); Object.defineProperty(e, "offsetX", {value: x}); Object.defineProperty(e, "offsetY", {value: y}); canvas.setPointerCapture = () => 0; canvas.dispatchEvent(e); });'
details='byId("details").innerText.split("\n").join(" | ")'

@test "every call is where the other format has it, too" {
	for t in mix ordered job holes hang; do
		in_page $t 'const result = [...call.start.keys()].map((i) => [call.start[i], call.flags[i] & END_LOST ? -1 : call.end[i] - call.start[i],
			facts.names[call.name[i]].name, call.result[i], facts.threads[call.thread[i]].name, call.number[i], call.bytes[i]])' >page
		[ -s page ]
		python3 - page "$BATS_FILE_TMPDIR/$t.json" <<-'END'
			import json, sys
			page = sorted(json.load(open(sys.argv[1])))
			whole = json.load(open(sys.argv[2]))
			ns = lambda us: round(us * 1000)
			other = sorted([ns(x["ts"]), ns(x["dur"]) if x["ph"] == "X" else -1, x["name"], x["args"].get("result", 0), "thread %d" % x["tid"],
			                x["args"]["number"], x["args"].get("bytes", 0)]
			               for x in whole["traceEvents"] if x["ph"] in "Xi" and x["cat"] in ("call", "blocking", "inside"))
			assert page and page == other, (page[:3], other[:3])
		END
	done
}

@test "the page's own policy lets it run, and a program's name is text" {
	browse --dump-dom "file://$BATS_FILE_TMPDIR/ordered.html" >dom
	grep -q '<li><svg><rect ' dom
	grep -q '<h1>.*ordered &lt;/script&gt;&lt;b&gt;' dom
	[ "$(in_page ordered 'const result = facts.processes[0].includes("<\/script><b>")')" = true ]
	not grep -qE '(src|href)=' dom
}

@test "lanes: memory, threads, streams, of each rank; captures and arrows" {
	[ "$(in_page ordered 'const result = lanes.map((l) => l.kind + " " + l.name.slice(0, 8)).slice(1)')" = \
		"$(in_page ordered 'const result = ["memory memory i", "thread " + facts.threads[0].name.slice(0, 8), "stream stream 1", "stream stream 2"]')" ]
	[ "$(in_page ordered 'const result = arrows.map((a) => [a.fromLane.name.slice(0, 8), a.toLane.name.slice(0, 8), a.from < a.to])')" = '[["stream 1","stream 2",true]]' ]
	[ "$(in_page ordered 'const result = facts.captures.map((c) => laneOfStream[c.stream].rows[0].filter((i) => call.start[i] >= c.from && call.end[i] <= c.to).length)')" = '[1]' ]
	[ "$(in_page job 'const result = lanes.filter((l) => l.kind === "process").map((l) => l.name.slice(0, 6)).sort().join()')" = "rank 0,rank 1" ]
	# Calls within a call are a row below it.
	[ "$(in_page reported 'const result = laneOfThread[0].rows.map((row) => [...row].map((i) => facts.names[call.name[i]].name)).slice(1)')" = '[["aclrtGetDeviceCount"]]' ]
	[ "$(in_page reported 'const result = laneOfThread[0].rows[0].some((i) => facts.names[call.name[i]].name === "aclrtGetDeviceCount")')" = false ]
	[ "$(in_page mix 'const l = lanes.find((l) => l.kind === "memory"); const result = [l.high[0], l.high[1], l.points[l.points.length - 1][1]]')" = '[3145728,65536,0]' ]
}

@test "a click says what a call was" {
	click_on='const k = classes.length && [...call.start.keys()].find((i) => facts.names[call.name[i]].name === NAME); look(call.start[k] - 1000, call.end[k] + 1000); draw(); click(xOf((call.start[k] + call.end[k]) / 2), AXIS + laneOfThread[call.thread[k]].y - view.top + 5);'
	answer=$(in_page ordered "$click ${click_on/NAME/\"aclrtStreamWaitEvent\"} const result = $details")
	[[ $answer == *"aclrtStreamWaitEvent"*"called at"*"app.c:"*" (app)"*"waits for"*"the record on stream 1 ("* ]]
	answer=$(in_page mix "$click ${click_on/NAME/\"aclrtMemcpyAsync\"} const result = $details")
	[[ $answer == *"copy | ACL_MEMCPY_HOST_TO_DEVICE, 4 KiB (4096 bytes)"* ]]
}

@test "a call that never returned is drawn to its end" {
	[ "$(in_page hang 'const i = n - 1, result = [call.end[i] - call.start[i] >= 7e8, call.end[i] <= facts.span, view.to >= call.end[i]]')" = "[true,true,true]" ]
	[[ $(in_page hang "showCall(n - 1); const result = $details") == *"took | "*" ms, the process was killed in it"* ]]
}

@test "findings: in the list, by key and by click, with rule, remedy and the program's own line" {
	n=$(in_page mix 'const result = facts.findings.length')
	[ "$n" -ge 1 ]
	[ "$(in_page mix 'const result = document.querySelectorAll("#findings button").length')" = "$n" ]
	for way in 'press("f")' 'document.querySelector("#findings button").click()' 'byId("finding").click()' \
		'view.from = facts.findings[0].time - 5000; view.to = view.from + 10000; draw(); click(xOf(facts.findings[0].time), AXIS + laneOfThread[facts.findings[0].thread].y - view.top + 2)'; do
		answer=$(in_page mix "$press $click $way; const result = $details")
		echo "$answer"
		[[ $answer == *"remedy"* && $answer == *"document"* && $answer == *"app.c:"*" (app)"* ]]
	done
}

@test "rank, host and command of the process: of its lanes, of a call, of a finding" {
	for rank in 0 1; do
		[[ $(in_page job 'const result = lanes.filter((l) => l.kind === "process").map((l) => l.name)') == *"rank $rank on $(hostname): $app "* ]]
	done
	[[ $(in_page job "showCall(0); const result = $details") =~ thread\ [0-9]+,\ rank\ [01]\ on\ $(hostname):\ $app\  ]]
	[[ $(in_page mix "showFinding(0); const result = $details") =~ thread\ [0-9]+,\ $app\ mix\ on\ $(hostname) ]]
}

@test "search, zoom and keys" {
	[ "$(in_page mix 'search("memcpyasync"); const result = byId("found").textContent')" = \
		"$(in_page mix 'const result = call.name.filter((k) => facts.names[k].name === "aclrtMemcpyAsync").length + " calls"')" ]
	[[ $(in_page mix "byId('search').value = 'aclrtMalloc'; search('aclrtMalloc'); nextMatch('aclrtMalloc'); const result = $details") == *aclrtMalloc* ]]
	[ "$(in_page mix "$press"' const all = view.to - view.from; press("+"); press("w"); const near = view.to - view.from; press("0"); const result = [near < all / 1.9, view.to - view.from === all]')" = "[true,true]" ]
	[ "$(in_page mix "$press"' press("w"); press("w"); const from = view.from; press("d"); const right = view.from > from; press("ArrowLeft"); const result = [right, Math.abs(view.from - from) < 2]')" = "[true,true]" ]
}

@test "light and dark, as the reader's system is; something is drawn" {
	for scheme in 1 0; do
		browse --blink-settings=preferredColorScheme=$scheme --screenshot="$PWD/$scheme.png" "file://$BATS_FILE_TMPDIR/ordered.html" >/dev/null
	done
	[ "$(python3 -S "$ACLCHECK_SOURCE/tests/report/look.py" png 1.png)" = "255 255 255" ]
	[ "$(python3 -S "$ACLCHECK_SOURCE/tests/report/look.py" png 0.png)" = "21 24 28" ]
	# Calls have their colours, from near, as what is less than a pixel wide is drawn with its neighbours; findings are as large from afar.
	seen='const seen = (name, from, to) => { look(from, to); draw(); const d = paper.getImageData(0, 0, canvas.width, canvas.height).data, all = new Set(); for (let i = 0; i < d.length; i += 4) all.add("#" + [0, 1, 2].map((k) => d[i + k].toString(16).padStart(2, "0")).join("")); return all.has(colours[CLASS[name]]); };'
	[ "$(in_page ordered "$seen"' const near = (name) => { const i = [...call.start.keys()].find((k) => classOf(k) === CLASS[name]); return seen(name, call.start[i] - 10, call.end[i] + 10); }; const result = [...["wait", "on-device", "blocked"].map(near), seen("bad", 0, span)]')" = \
		"[true,true,true,true]" ]
}

@test "many lanes: whose they are stays at the top, a bar and keys lead to the others" {
	many='facts.streams.length = 0; for (let i = 0; i < 300; i++) facts.threads.push({process: i % 2, name: "thread " + i + " of many"}); lanes.length = 0; makeLanes(); lanes.forEach((l) => { if (l.kind === "memory") l.high = []; }); placeLanes(); fit();'
	[ "$(in_page job "$many $press"' const before = view.top; press("PageDown"); const result = [lanes.length > 300, barOf().needed, before, view.top > 100, barOf().top > AXIS]')" = "[true,true,0,true,true]" ]
	# The name of the first process is drawn where its lane was, and then that of the second.
	drawn='const texts = []; paper.fillText = (text, x, y) => texts.push([text, y]); const head = () => { texts.length = 0; draw(); return texts.filter(([t, y]) => t.startsWith("rank") && y < AXIS + ROW).map(([t]) => t.slice(0, 6)).join(); };'
	[ "$(in_page job "$many $drawn"' const heads = lanes.filter((l) => l.kind === "process"); const names = heads.map((l) => l.name.slice(0, 6)); scrollTo(heads[1].y - 200); const first = head(); scrollTo(heads[1].y + 200); const result = [first === names[0], head() === names[1]]')" = "[true,true]" ]
	# The bar is dragged.
	drag='canvas.setPointerCapture = () => 0; const hand = (type, x, y) => { const e = new MouseEvent(type, {bubbles: true}); Object.defineProperty(e, "offsetX", {value: x}); Object.defineProperty(e, "offsetY", {value: y}); canvas.dispatchEvent(e); };'
	[ "$(in_page job "$many $drag"' hand("pointerdown", view.width - 3, AXIS + 5); hand("pointermove", view.width - 3, view.height * 2); hand("pointerup", view.width - 3, view.height * 2); const result = [view.top === mostTop(), view.from]')" = "[true,0]" ]
}

@test "what is below the drawing may grow: calls are where they are drawn" {
	sed -e '/Content-Security-Policy/d' "$BATS_FILE_TMPDIR/mix.html" >grown.html
	# Sizes change with a frame, whenever that comes.
	echo '<script>const before = view.height; showFinding(0);
		window.settled = new Promise((done) => { const look = () => {
			const fits = view.height < before && view.height === canvas.clientHeight;
			document.title = fits ? "fits" : "too large";
			fits || performance.now() > 60000 ? done() : setTimeout(look, 20); }; look(); });</script>' >>grown.html
	[ "$(title_of "$PWD/grown.html")" = fits ]
}

@test "names in boxes can be read on every colour, and the pointer says what it is over" {
	[ "$(in_page mix 'const luminance = (c) => [1, 3, 5].map((k) => parseInt(c.slice(k, k + 2), 16) / 255).map((v) => v <= .04 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, k) => sum + v * [.2126, .7152, .0722][k], 0); const result = colours.filter((c, k) => { const back = luminance(c) + .05, front = lettering[k] === "#000" ? .05 : 1.05; return Math.max(back, front) / Math.min(back, front) < 4.5; })')" = "[]" ]
	[[ $(in_page mix 'look(call.start[0] - 10, call.end[0] + 10); const result = titleAt(xOf((call.start[0] + call.end[0]) / 2), AXIS + laneOfThread[call.thread[0]].y - view.top + 5)') == "aclInit, "* ]]
	[[ $(in_page mix 'const result = titleAt(5, AXIS + laneOfThread[0].y + 3)') == "thread "* ]]
}

@test "gaps are said" {
	browse --dump-dom "file://$BATS_FILE_TMPDIR/lossy.html" | grep -q 'Events were lost: there are gaps'
	browse --dump-dom "file://$BATS_FILE_TMPDIR/mix.html" >dom
	not grep -q 'Events were lost' dom
}

@test "a million events: a small file, a picture in seconds, and it moves at once" {
	record large --lossless -- "$app" threads 4 125000
	"$aclcheck" timeline -o "$BATS_FILE_TMPDIR/large.html" large
	rm -r large
	[ "$(stat -c %s "$BATS_FILE_TMPDIR/large.html")" -le 60000000 ]
	in_page large 'const ready = performance.now(), steps = []; for (let i = 0; i < 41; i++) { const began = performance.now(); pan(i % 2 ? .1 : -.07); draw(); paper.getImageData(0, 0, 1, 1); steps.push(performance.now() - began); } steps.sort((a, b) => a - b); const result = {calls: n, ready, step: steps[20]}' >speed
	cat speed
	python3 -S -c 'import json, sys
r = json.load(open("speed"))
assert r["calls"] >= 500000 and r["ready"] <= 5000 and r["step"] <= 100, r'
}

@test "nothing there: one line, and no file" {
	run "$aclcheck" timeline -o x.html nowhere
	[ "$status" -eq 99 ]
	[ ! -e x.html ]
	run "$aclcheck" timeline nowhere
	[ "$status" -eq 99 ]
	[[ $output == *"aclcheck timeline -o FILE.html TRACE..."* ]]
}

@test "in Chinese" {
	ACLCHECK_LANG=zh "$aclcheck" timeline -o "$BATS_FILE_TMPDIR/chinese.html" "$BATS_FILE_TMPDIR/mix"
	[[ $(in_page chinese "showFinding(0); const result = $details") == *"级别"*"文档"* ]]
}
