"use strict";
// Draws what "aclcheck timeline" put into the page: facts (JSON), calls and memory (numbers of timeline_html.c).

/* --- what was recorded ------------------------------------------------------- */

const byId = (id) => document.getElementById(id);
const facts = JSON.parse(byId("facts").textContent);
// In the reader's language, which the page was made for.
const words = Object.fromEntries([...document.querySelectorAll("#words li")].map((item) => [item.dataset.word, item.textContent]));
const word = (english) => words[english] || english;

// Numbers of seven bits a byte, the lowest first; the highest bit says that more follow.
function Numbers(id) {
	const text = atob(byId(id).textContent.trim());
	let at = 0;
	this.more = () => at < text.length;
	this.next = () => {
		let value = 0, unit = 1, byte;
		do {
			byte = text.charCodeAt(at++);
			value += (byte & 127) * unit;
			unit *= 128;
		} while (byte & 128);
		return value;
	};
	this.signed = () => {
		const value = this.next();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	};
}

const INSIDE = 1, COPY = 2, RESULT = 4, ON_STREAM = 8, WAITS = 16, OPEN = 32, END_LOST = 64, KILLED = 128;

const n = facts.calls;
const call = {
	start: new Float64Array(n), end: new Float64Array(n), thread: new Uint32Array(n), name: new Uint16Array(n), flags: new Uint8Array(n),
	number: new Uint32Array(n), object: new Uint32Array(n), stream: new Uint32Array(n), place: new Uint32Array(n), kind: new Uint8Array(n), bytes: new Float64Array(n),
	result: new Float64Array(n),
};
// Lanes, from top to bottom: of each process its memory, threads and streams. A lane has rows, a row has calls one after the other.
const lanes = [], laneOfThread = [], laneOfStream = [];
const arrows = []; // {from, fromLane, to, toLane}: a record and the wait for it

function makeLanes() {
	facts.processes.forEach((process, number) => {
		lanes.push({kind: "process", name: process, rows: []});
		const memory = facts.memory.find((m) => m.process === number);
		if (memory)
			lanes.push({kind: "memory", name: word(memory.partial ? "memory in use, of what was recorded" : "memory in use"), rows: [], process: number, points: []});
		facts.threads.forEach((thread, i) => {
			if (thread.process === number)
				lanes.push(laneOfThread[i] = {kind: "thread", name: thread.name, rows: [], captures: []});
		});
		facts.streams.forEach((stream, i) => {
			if (stream.process === number)
				lanes.push(laneOfStream[i] = {kind: "stream", name: stream.name, rows: [], captures: []});
		});
	});
	facts.captures.forEach((c) => laneOfStream[c.stream].captures.push(c));
}

const rowOf = (lane, i) => lane.rows[i] || (lane.rows[i] = []);

function readCalls() {
	const numbers = new Numbers("calls"), last = [], open = [];
	let time = 0;
	for (let i = 0; i < n; i++) {
		time += numbers.next();
		call.start[i] = time;
		call.end[i] = time + numbers.next();
		const thread = call.thread[i] = numbers.next();
		call.name[i] = numbers.next();
		const flags = call.flags[i] = numbers.next();
		last[thread] = call.number[i] = (last[thread] || 0) + 1 + numbers.signed();
		call.object[i] = numbers.next();
		call.stream[i] = numbers.next();
		call.place[i] = numbers.next();
		call.kind[i] = flags & COPY ? numbers.next() : 0;
		call.bytes[i] = flags & COPY ? numbers.next() : 0;
		call.result[i] = flags & RESULT ? numbers.signed() : 0;
		if (flags & ON_STREAM) {
			const lane = laneOfStream[numbers.next()];
			rowOf(lane, numbers.next()).push(i);
			if (flags & WAITS)
				arrows.push({fromLane: laneOfStream[numbers.next()], from: time - numbers.next(), to: time, toLane: lane});
		}
		// Calls in a call are a row below it.
		const inside = open[thread] || (open[thread] = []);
		while (inside.length && inside[inside.length - 1] <= time)
			inside.pop();
		rowOf(laneOfThread[thread], inside.length).push(i);
		inside.push(call.end[i]);
	}
	for (const lane of lanes)
		lane.rows = lane.rows.map((row) => Uint32Array.from(row));
}

function readMemory() {
	const numbers = new Numbers("memory"), times = [];
	const lane = lanes.reduce((all, l) => { if (l.kind === "memory") all[l.process] = l; return all; }, []);
	while (numbers.more()) {
		const process = numbers.next(), time = times[process] = (times[process] || 0) + numbers.next();
		lane[process].points.push([time, ...facts.memory_kinds.map(() => numbers.next())]);
	}
	for (const l of lane.filter(Boolean))
		l.high = facts.memory_kinds.map((_, i) => l.points.reduce((high, p) => Math.max(high, p[i + 1]), 0));
}

makeLanes();
readCalls();
readMemory();

/* --- words ------------------------------------------------------------------- */

function timeText(ns) {
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
	const [size, unit] = units.find(([size]) => Math.abs(ns) >= size) || units[3];
	return +(ns / size).toPrecision(6) + " " + unit;
}

function bytesText(bytes) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let i = 0;
	for (; bytes >= 1024 && i < 4; i++)
		bytes /= 1024;
	return +bytes.toPrecision(4) + " " + units[i];
}

/* --- colours ------------------------------------------------------------------ */

const classes = [["call", "call"], ["blocked", "host waits for the device"], ["launch", "work put on a stream"], ["to-device", "copy to the device"],
	["to-host", "copy to the host"], ["on-device", "copy on devices"], ["other-copy", "other copy"], ["record", "record"],
	["wait", "wait of a stream"], ["capture", "capture"], ["bad", "error or finding"], ["match", "search match"]];
const CLASS = Object.fromEntries(classes.map(([name], i) => [name, i]));
let colours, lettering, ink;

// Black or white, whichever has the greater contrast with a colour such as #9aa7b8.
function letteringOn(colour) {
	const linear = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => part <= .04 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
	return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2] > .179 ? "#000" : "#fff";
}

function readColours() {
	const style = getComputedStyle(document.documentElement), value = (name) => style.getPropertyValue("--" + name).trim();
	colours = classes.map(([name]) => value(name));
	lettering = colours.map(letteringOn);
	ink = {fg: value("fg"), bg: value("bg"), dim: value("dim"), line: value("line"), card: value("card")};
	byId("legend").replaceChildren(...classes.map(([, text], i) => {
		const item = document.createElement("li"), box = document.createElementNS("http://www.w3.org/2000/svg", "svg");
		const square = document.createElementNS("http://www.w3.org/2000/svg", "rect");
		square.setAttribute("width", "10"), square.setAttribute("height", "10"), square.setAttribute("fill", colours[i]);
		box.append(square);
		item.append(box, word(text));
		return item;
	}));
}

const COPY_CLASS = {ACL_MEMCPY_HOST_TO_DEVICE: "to-device", ACL_MEMCPY_DEVICE_TO_HOST: "to-host", ACL_MEMCPY_DEVICE_TO_DEVICE: "on-device"};
const classOfName = facts.names.map((name) => CLASS[name.does] || CLASS[name.blocking ? "blocked" : "call"]);
const classOfKind = facts.copy_kinds.map((kind) => CLASS[COPY_CLASS[kind] || "other-copy"]);

function classOf(i) {
	const flags = call.flags[i];
	if (flags & RESULT)
		return CLASS.bad;
	if (flags & COPY)
		return classOfKind[call.kind[i]];
	const plain = classOfName[call.name[i]];
	return plain === CLASS.call && flags & ON_STREAM ? CLASS.launch : plain;
}

/* --- drawing ------------------------------------------------------------------- */

const canvas = byId("drawing"), paper = canvas.getContext("2d");
const AXIS = 22, ROW = 16, GAP = 6, MEMORY_HEIGHT = 52, BAR = 10, MOST_ARROWS = 2000, MOST_LISTED = 500;
let GUTTER = 190; // as wide as the names of lanes need
const span = Math.max(facts.span, 1000);
const view = {from: 0, to: span, top: 0, width: 0, height: 0, selected: -1, finding: -1};
let matches = null; // per call, while something is searched

const heightOf = (lane) => lane.kind === "memory" ? MEMORY_HEIGHT : ROW * Math.max(lane.rows.length, 1);

function placeLanes() {
	let y = 0;
	for (const lane of lanes) {
		lane.y = y;
		y += heightOf(lane) + GAP;
	}
	view.content = y;
}

const xOf = (time) => GUTTER + (time - view.from) / (view.to - view.from) * (view.width - GUTTER);
const timeOf = (x) => view.from + (x - GUTTER) / (view.width - GUTTER) * (view.to - view.from);

// The first of a row for which value is at least wanted.
function firstAt(row, value, wanted, from = 0) {
	let low = from, high = row.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (value[row[middle]] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function drawRow(row, y) {
	const scale = (view.width - GUTTER) / (view.to - view.from);
	for (let k = firstAt(row, call.end, view.from); k < row.length;) {
		const i = row[k];
		if (call.start[i] > view.to)
			break;
		const x = Math.max(xOf(call.start[i]), GUTTER), right = Math.min(xOf(call.end[i]), view.width);
		let shown = i, width = Math.max(right - x, 1);
		let next = k + 1;
		// All that share a pixel are one; what was found shows through.
		if (width <= 1) {
			next = firstAt(row, call.start, view.from + (Math.floor(x) + 1 - GUTTER) / scale, next);
			for (let m = k; matches && m < next && m < k + 64; m++)
				if (matches[row[m]])
					shown = row[m];
		}
		paper.globalAlpha = matches && !matches[shown] ? 0.25 : 1;
		paper.fillStyle = colours[matches && matches[shown] && width <= 2 ? CLASS.match : classOf(shown)];
		paper.fillRect(x, y, width, ROW - 2);
		if (matches && matches[shown] || shown === view.selected) {
			paper.strokeStyle = shown === view.selected ? ink.fg : colours[CLASS.match];
			paper.strokeRect(x + .5, y + .5, Math.max(width - 1, 1), ROW - 3);
		}
		if (width > 40) {
			paper.fillStyle = lettering[classOf(i)];
			paper.fillText(fitting(facts.names[call.name[i]].name, width - 6), x + 3, y + ROW - 5);
		}
		k = Math.max(next, k + 1);
	}
	paper.globalAlpha = 1;
}

// Of a few.
const shortened = (text, width) => paper.measureText(text).width <= width ? text : fitting(text, width);

// All letters are about as wide as this one.
let letter = 7;
const fitting = (text, width) => text.length * letter <= width ? text : text.slice(0, Math.max(Math.floor(width / letter) - 1, 0)) + "…";

function drawMemory(lane, y) {
	facts.memory_kinds.forEach((kind, k) => {
		const high = lane.high[k];
		if (!high)
			return;
		const points = lane.points, start = Math.max(pointAt(points, view.from) - 1, 0);
		paper.strokeStyle = paper.fillStyle = colours[[CLASS["to-device"], CLASS["to-host"], CLASS["on-device"], CLASS.record][k]];
		paper.beginPath();
		let level = 0, before = -1;
		for (let p = start; p < points.length && points[p][0] <= view.to;) {
			const x = Math.max(xOf(points[p][0]), GUTTER);
			const next = Math.max(p + 1, pointAt(points, timeOf(Math.floor(x) + 1)));
			let top = level;
			for (let q = p; q < next; q++)
				top = Math.max(top, points[q][k + 1]);
			const at = (value) => y + MEMORY_HEIGHT - 2 - value / high * (MEMORY_HEIGHT - 6);
			if (before < 0)
				paper.moveTo(x, at(level));
			paper.lineTo(x, at(level)), paper.lineTo(x, at(top)), paper.lineTo(x, at(level = points[next - 1][k + 1]));
			before = x;
			p = next;
			const end = Math.min(p < points.length ? xOf(points[p][0]) : xOf(span), view.width);
			paper.lineTo(end, at(level));
		}
		paper.stroke();
	});
}

function pointAt(points, time) {
	let low = 0, high = points.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (points[middle][0] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

function drawArrows() {
	let low = 0, high = arrows.length, drawn = 0;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (arrows[middle].to < view.from)
			low = middle + 1;
		else
			high = middle;
	}
	paper.strokeStyle = paper.fillStyle = colours[CLASS.wait];
	for (; low < arrows.length && drawn < MOST_ARROWS; low++) {
		const a = arrows[low];
		if (a.from > view.to)
			continue;
		drawn++;
		const x = xOf(a.from), y = AXIS + a.fromLane.y - view.top + ROW / 2, x2 = xOf(a.to), y2 = AXIS + a.toLane.y - view.top + ROW / 2;
		if (Math.max(x, x2) < GUTTER || Math.min(x, x2) > view.width || Math.max(y, y2) < AXIS || Math.min(y, y2) > view.height)
			continue;
		// The lines must not hide the calls below them; the one of the chosen wait stands out.
		paper.globalAlpha = view.selected >= 0 && call.start[view.selected] === a.to ? 1 : .5;
		paper.beginPath();
		paper.moveTo(x, y), paper.bezierCurveTo(x + 20, y, x2 - 20, y2, x2, y2);
		paper.stroke();
		paper.globalAlpha = 1;
		paper.beginPath();
		paper.moveTo(x2, y2), paper.lineTo(x2 - 6, y2 - 3), paper.lineTo(x2 - 6, y2 + 3);
		paper.fill();
	}
}

function drawFindings() {
	facts.findings.forEach((f, i) => {
		const x = xOf(f.time), y = AXIS + laneOfThread[f.thread].y - view.top;
		if (x < GUTTER || x > view.width || y < AXIS)
			return;
		paper.fillStyle = colours[CLASS.bad];
		paper.beginPath();
		paper.moveTo(x, y + 8), paper.lineTo(x - 5, y - 3), paper.lineTo(x + 5, y - 3);
		paper.fill();
		if (i === view.finding) {
			paper.strokeStyle = ink.fg;
			paper.stroke();
		}
	});
}

function drawAxis() {
	paper.fillStyle = ink.card;
	paper.fillRect(0, 0, view.width, AXIS);
	const wanted = (view.to - view.from) / Math.max((view.width - GUTTER) / 110, 1), power = 10 ** Math.floor(Math.log10(wanted));
	const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= wanted);
	for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
		paper.fillStyle = ink.line;
		paper.fillRect(xOf(t), 0, 1, view.height);
		paper.fillStyle = ink.dim;
		paper.fillText(timeText(Math.round(t)), xOf(t) + 3, AXIS - 7);
	}
}

function drawProcess(lane, y) {
	paper.fillStyle = ink.card;
	paper.fillRect(0, y - 2, view.width, ROW + 4);
	paper.fillStyle = ink.fg;
	paper.fillText(shortened(lane.name, view.width - 2 * BAR), 6, y + ROW - 5);
}

// Whose lanes are at the top stays there, until the next process comes.
function drawProcessAbove() {
	const heads = lanes.filter((lane) => lane.kind === "process"), next = heads.findIndex((lane) => lane.y > view.top);
	const head = heads[next < 0 ? heads.length - 1 : next - 1];
	if (!head || head.y === view.top)
		return;
	drawProcess(head, AXIS + Math.min(0, next < 0 ? 0 : heads[next].y - view.top - ROW - GAP));
}

// Where in all lanes the ones are that are shown.
function barOf() {
	const room = view.height - AXIS, size = Math.max(room * room / Math.max(view.content, 1), 20);
	return {size, top: AXIS + view.top / Math.max(mostTop(), 1) * (room - size), room: room - size, needed: mostTop() > 0};
}

function drawBar() {
	const bar = barOf();
	if (!bar.needed)
		return;
	paper.fillStyle = ink.card;
	paper.fillRect(view.width - BAR, AXIS, BAR, view.height);
	paper.fillStyle = ink.dim;
	paper.fillRect(view.width - BAR + 2, bar.top, BAR - 4, bar.size);
}

function drawGutter() {
	paper.fillStyle = ink.bg;
	paper.fillRect(0, AXIS, GUTTER - 2, view.height);
	paper.fillStyle = ink.line;
	paper.fillRect(GUTTER - 2, AXIS, 1, view.height);
	for (const lane of lanes) {
		const y = AXIS + lane.y - view.top;
		if (y + heightOf(lane) < AXIS || y > view.height)
			continue;
		if (lane.kind === "process") {
			drawProcess(lane, y);
			continue;
		}
		paper.fillStyle = ink.dim;
		paper.fillText(shortened(lane.name, GUTTER - 18), 14, y + ROW - 5);
		if (lane.kind === "memory")
			lane.high.forEach((high, k) => { if (high && k < 2) paper.fillText(facts.memory_kinds[k] + " ≤ " + bytesText(high), 14, y + ROW * (k + 2) - 5); });
	}
	drawProcessAbove();
	paper.fillStyle = ink.card;
	paper.fillRect(0, 0, GUTTER - 1, AXIS);
}

function draw() {
	paper.fillStyle = ink.bg;
	paper.fillRect(0, 0, view.width, view.height);
	drawAxis();
	paper.save();
	paper.beginPath();
	paper.rect(GUTTER - 1, AXIS, view.width, view.height);
	paper.clip();
	for (const lane of lanes) {
		const y = AXIS + lane.y - view.top;
		if (y + heightOf(lane) < AXIS || y > view.height)
			continue;
		(lane.captures || []).forEach((c) => {
			paper.fillStyle = colours[CLASS.capture];
			paper.fillRect(xOf(c.from), y - 2, Math.max(xOf(c.to) - xOf(c.from), 1), heightOf(lane) + 2);
		});
		lane.rows.forEach((row, i) => drawRow(row, y + i * ROW));
		if (lane.kind === "memory")
			drawMemory(lane, y);
	}
	drawArrows();
	drawFindings();
	paper.restore();
	drawGutter();
	drawBar();
}

let wanted = false;
function redraw() {
	if (wanted)
		return;
	wanted = true;
	requestAnimationFrame(() => { wanted = false; draw(); });
}

function fit() {
	const ratio = window.devicePixelRatio || 1;
	view.width = canvas.clientWidth;
	view.height = canvas.clientHeight;
	canvas.width = view.width * ratio;
	canvas.height = view.height * ratio;
	paper.setTransform(ratio, 0, 0, ratio, 0, 0);
	paper.font = "12px system-ui, sans-serif";
	letter = paper.measureText("aclrtMemcpyAsync").width / 16;
	const longest = lanes.reduce((most, lane) => lane.kind === "process" ? most : Math.max(most, paper.measureText(lane.name).width), 0);
	GUTTER = Math.round(Math.min(Math.max(longest + 24, 130), 260, view.width * .35));
	scrollTo(view.top);
	draw();
}

/* --- moving ---------------------------------------------------------------------- */

const mostTop = () => Math.max(view.content + AXIS + GAP - view.height, 0);

function scrollTo(top) {
	view.top = Math.min(Math.max(top, 0), mostTop());
}

function look(from, to) {
	const width = Math.min(Math.max(to - from, 10), span * 1.1);
	view.from = Math.min(Math.max(from, -span * .05), span * 1.05 - width);
	view.to = view.from + width;
	redraw();
}

function zoom(factor, at = (view.from + view.to) / 2) {
	look(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function pan(share) {
	const by = (view.to - view.from) * share;
	look(view.from + by, view.to + by);
}

function showTime(time, duration, lane) {
	const width = Math.min(view.to - view.from, Math.max(duration * 20, 1000));
	if (time < view.from || time > view.to || duration * 200 < view.to - view.from)
		look(time + duration / 2 - width / 2, time + duration / 2 + width / 2);
	if (lane.y < view.top + ROW + GAP || lane.y + heightOf(lane) > view.top + view.height - AXIS)
		scrollTo(lane.y - view.height / 3);
	redraw();
}

/* --- what is clicked --------------------------------------------------------------- */

function describe(title, rows) {
	const list = document.createElement("dl"), head = document.createElement("b");
	head.textContent = title;
	for (const [name, value] of rows) {
		if (value === undefined || value === "")
			continue;
		const term = document.createElement("dt"), text = document.createElement("dd");
		term.textContent = word(name);
		text.textContent = value;
		list.append(term, text);
	}
	byId("details").replaceChildren(head, list);
}

function threadText(thread) {
	return facts.threads[thread].name + ", " + facts.processes[facts.threads[thread].process];
}

function showCall(i) {
	const flags = call.flags[i], result = call.result[i];
	const waits = flags & WAITS && arrows.find((a) => a.to === call.start[i]);
	view.selected = i;
	view.finding = -1;
	describe(facts.names[call.name[i]].name, [
		["at", timeText(call.start[i])],
		["took", flags & END_LOST ? word("unknown: its end was lost") : flags & OPEN ? timeText(call.end[i] - call.start[i]) + ", " + word(flags & KILLED ? "the process was killed in it" : "had not returned") : timeText(call.end[i] - call.start[i])],
		["thread", threadText(call.thread[i]) + ", " + word("its call") + " " + call.number[i]],
		["called at", call.place[i] ? facts.places[call.place[i] - 1] : ""],
		["made by", flags & INSIDE ? word("the runtime itself") : ""],
		["copy", flags & COPY ? facts.copy_kinds[call.kind[i]] + ", " + bytesText(call.bytes[i]) + " (" + call.bytes[i] + " bytes)" : ""],
		["stream", call.stream[i] ? facts.objects[call.stream[i] - 1] : ""],
		["object", call.object[i] ? facts.objects[call.object[i] - 1] : ""],
		["waits for", waits ? word("the record on") + " " + waits.fromLane.name + ", " + timeText(waits.to - waits.from) + " " + word("before") : ""],
		["result", flags & RESULT ? result + " " + (facts.errors[result] || "") : ""],
	]);
	redraw();
}

function showFinding(i) {
	const f = facts.findings[i];
	view.finding = i;
	view.selected = -1;
	describe(f.rule + ": " + f.title, [["severity", f.severity + (f.status === "counted" ? "" : ", " + f.status)], ["at", timeText(f.time)], ["call", f.call], ["thread", threadText(f.thread)],
		["what", f.detail], ["times so far", f.repeat > 1 ? f.repeat : ""], ["stack", f.stack.join("\n")], ["why", f.why], ["remedy", f.hint], ["document", f.source]]);
	redraw();
}

function goToFinding(i) {
	const f = facts.findings[i];
	showTime(f.time, 0, laneOfThread[f.thread]);
	showFinding(i);
}

function nextFinding(step) {
	const count = facts.findings.length;
	if (count)
		goToFinding((view.finding + step + (view.finding < 0 && step < 0 ? 1 : 0) + count) % count);
}

const findingAt = (x, y) => facts.findings.findIndex((f) => Math.abs(xOf(f.time) - x) < 6 && Math.abs(AXIS + laneOfThread[f.thread].y - view.top + 2 - y) < 8);

// -1: there is none.
function callAt(x, y) {
	const at = y - AXIS + view.top, lane = lanes.find((l) => at >= l.y && at < l.y + heightOf(l));
	const row = lane && lane.rows[Math.floor((at - lane.y) / ROW)];
	if (!row || x < GUTTER || y < AXIS)
		return -1;
	const k = firstAt(row, call.end, timeOf(x - 1));
	return k < row.length && call.start[row[k]] <= timeOf(x + 1) ? row[k] : -1;
}

function clicked(x, y) {
	const near = findingAt(x, y), i = near < 0 ? callAt(x, y) : -1;
	if (near >= 0)
		showFinding(near);
	else if (i >= 0)
		showCall(i);
}

// What the pointer is over.
function titleAt(x, y) {
	const near = findingAt(x, y), i = callAt(x, y);
	if (near >= 0)
		return facts.findings[near].rule;
	if (i >= 0)
		return facts.names[call.name[i]].name + (call.flags[i] & END_LOST ? "" : ", " + timeText(call.end[i] - call.start[i]));
	const lane = x < GUTTER && lanes.find((l) => y - AXIS + view.top >= l.y && y - AXIS + view.top < l.y + heightOf(l));
	return lane ? lane.name : "";
}

/* --- search ------------------------------------------------------------------------- */

let foundCalls = [];

function search(words) {
	words = words.trim().toLowerCase();
	matches = null;
	foundCalls = [];
	if (words) {
		const names = facts.names.map((name) => name.name.toLowerCase().includes(words));
		const objects = facts.objects.map((object) => object === words);
		matches = new Uint8Array(n);
		for (let i = 0; i < n; i++)
			if (names[call.name[i]] || call.object[i] && objects[call.object[i] - 1] || call.stream[i] && objects[call.stream[i] - 1])
				matches[i] = 1, foundCalls.push(i);
	}
	const rules = words ? facts.findings.filter((f) => f.rule.includes(words)).length : 0;
	byId("found").textContent = words ? foundCalls.length + " " + word("calls") + (rules ? ", " + rules + " " + word("findings") : "") : "";
	redraw();
}

function nextMatch(words) {
	const rule = facts.findings.findIndex((f, i) => i > view.finding && f.rule.includes(words.trim().toLowerCase()));
	if (!foundCalls.length)
		return rule >= 0 && goToFinding(rule);
	const i = foundCalls.find((i) => i > view.selected) ?? foundCalls[0];
	showTime(call.start[i], call.end[i] - call.start[i], laneOfThread[call.thread[i]]);
	showCall(i);
}

/* --- hands ---------------------------------------------------------------------------- */

const keys = {
	ArrowLeft: () => pan(-.15), a: () => pan(-.15), ArrowRight: () => pan(.15), d: () => pan(.15),
	PageUp: () => { scrollTo(view.top - view.height * .8); redraw(); }, PageDown: () => { scrollTo(view.top + view.height * .8); redraw(); },
	ArrowUp: () => { scrollTo(view.top - 40); redraw(); }, ArrowDown: () => { scrollTo(view.top + 40); redraw(); },
	"+": () => zoom(.7), "=": () => zoom(.7), w: () => zoom(.7), "-": () => zoom(1 / .7), s: () => zoom(1 / .7),
	0: () => look(0, span), Home: () => look(0, span), f: () => nextFinding(1), F: () => nextFinding(-1), n: () => nextMatch(byId("search").value),
	"/": () => byId("search").focus(),
};

function listen() {
	let drag = null;
	canvas.addEventListener("pointerdown", (e) => {
		drag = {x: e.offsetX, y: e.offsetY, from: view.from, to: view.to, top: view.top, moved: false, bar: e.offsetX > view.width - BAR && barOf().needed};
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener("pointermove", (e) => {
		if (!drag) {
			canvas.title = titleAt(e.offsetX, e.offsetY);
			return;
		}
		if (drag.bar) {
			scrollTo(drag.top + (e.offsetY - drag.y) * mostTop() / barOf().room), redraw();
			return;
		}
		drag.moved = drag.moved || Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) > 4;
		canvas.classList.toggle("dragged", drag.moved);
		const by = (drag.x - e.offsetX) / (view.width - GUTTER) * (drag.to - drag.from);
		scrollTo(drag.top + drag.y - e.offsetY);
		look(drag.from + by, drag.to + by);
	});
	canvas.addEventListener("pointerup", (e) => {
		if (drag && !drag.moved && !drag.bar)
			clicked(e.offsetX, e.offsetY);
		drag = null;
		canvas.classList.remove("dragged");
	});
	canvas.addEventListener("wheel", (e) => {
		e.preventDefault();
		if (e.ctrlKey || e.metaKey)
			zoom(1.0015 ** e.deltaY, timeOf(e.offsetX));
		else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			pan((e.deltaX || e.deltaY) / view.width);
		else
			scrollTo(view.top + e.deltaY), redraw();
	}, {passive: false});
	document.addEventListener("keydown", (e) => {
		if (e.target.tagName === "INPUT" || e.ctrlKey || e.metaKey || e.altKey || !keys[e.key])
			return;
		e.preventDefault();
		keys[e.key]();
	});
	byId("search").addEventListener("input", (e) => search(e.target.value));
	byId("search").addEventListener("keydown", (e) => { if (e.key === "Escape") e.target.value = "", search(""), canvas.focus(); });
	byId("searching").addEventListener("submit", (e) => { e.preventDefault(); nextMatch(byId("search").value); });
	byId("nearer").onclick = keys["+"];
	byId("farther").onclick = keys["-"];
	byId("whole").onclick = keys[0];
	byId("finding").onclick = keys.f;
	byId("finding").hidden = !facts.findings.length;
	byId("findings").replaceChildren(...facts.findings.slice(0, MOST_LISTED).map((f, i) => {
		const button = document.createElement("button");
		button.type = "button";
		button.className = f.severity === "error" ? "error" : "";
		button.textContent = timeText(f.time) + "  " + f.severity + "  " + f.rule + "  " + f.call + "  " + f.detail;
		button.title = f.title;
		button.onclick = () => goToFinding(i);
		return button;
	}));
	if (facts.findings.length > MOST_LISTED)
		byId("findings").append("+ " + (facts.findings.length - MOST_LISTED) + " " + word("findings"));
	// Also when what is below becomes larger.
	new ResizeObserver(fit).observe(canvas);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); draw(); });
}

placeLanes();
readColours();
fit();
listen();
