"use strict";
(() => {
	const search = document.getElementById("search");
	if (!search)
		return;
	const findings = [...document.querySelectorAll("details.finding")];
	const rules = [...document.querySelectorAll("#rules > details.rule")];
	const groups = [...document.querySelectorAll("input.group")];
	const shown = document.getElementById("shown");
	/* What is searched is everything that a finding says, and what its rule is called. */
	const text = new Map(findings.map((finding) => [finding,
		(finding.closest("details.rule").querySelector("summary").textContent + " " + finding.textContent).toLowerCase()]));

	const filter = () => {
		const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
		const wanted = new Set(groups.filter((box) => box.checked).map((box) => box.value));
		let count = 0;
		for (const finding of findings) {
			finding.hidden = !wanted.has(finding.dataset.group) || !words.every((word) => text.get(finding).includes(word));
			count += !finding.hidden;
		}
		for (const rule of rules) {
			rule.hidden = !rule.querySelector("details.finding:not([hidden])");
			if (words.length)
				rule.open = !rule.hidden && count <= 50;
		}
		shown.textContent = count === findings.length ? "" : [count, shown.dataset.of, findings.length, shown.dataset.findings].join(" ");
	};

	/* A link to a finding opens it and what it lies in, whatever the filter hides. */
	const follow = () => {
		const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
		if (!target)
			return;
		for (let at = target; at; at = at.parentElement)
			if (at.tagName === "DETAILS") {
				at.open = true;
				at.hidden = false;
			}
		target.scrollIntoView();
		target.querySelector("summary").focus({ preventScroll: true });
	};

	const all = (open) => {
		for (const rule of rules)
			rule.open = open && !rule.hidden;
		for (const finding of findings)
			finding.open = open && !finding.hidden && findings.length <= 50;
	};

	search.addEventListener("input", filter);
	groups.forEach((box) => box.addEventListener("change", filter));
	document.getElementById("open").addEventListener("click", () => all(true));
	document.getElementById("close").addEventListener("click", () => all(false));
	addEventListener("hashchange", follow);
	/* The same link again. */
	document.addEventListener("click", (event) => {
		if (event.target.closest('a[href="' + location.hash + '"]') && location.hash)
			follow();
	});
	document.addEventListener("keydown", (event) => {
		if (event.key === "/" && document.activeElement !== search) {
			event.preventDefault();
			search.focus();
		} else if (event.key === "Escape" && document.activeElement === search) {
			search.value = "";
			filter();
		}
	});
	follow();
})();
