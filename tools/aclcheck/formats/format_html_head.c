/* SPDX-License-Identifier: Apache-2.0 */
/* Head and style of the HTML page: no script, no network, light and dark as the reader's system is. */
#include "tools/aclcheck/formats/format_html.h"

const char html_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n<title>aclcheck report</title>\n<style>\n"
	/* colours */
	":root{color-scheme:light dark;--bg:#fff;--fg:#1c2024;--dim:#5b6470;--line:#d9dde2;--card:#f6f7f9;"
	"--bad:#b3261e;--warn:#8a5a00;--good:#1b6e3c;--note:#24518f;--badbg:#fdecea;--warnbg:#fdf3de;"
	"--goodbg:#e6f4ea}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e4e7eb;--dim:#9aa4b0;--line:#343a42;"
	"--card:#1d2126;--bad:#ff8a80;--warn:#f0b95a;--good:#7bd39a;--note:#8db9f5;--badbg:#3a1d1c;"
	"--warnbg:#35290f;--goodbg:#16301f}}\n"
	/* page */
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;max-width:76rem;padding:1.5rem;background:var(--bg);color:var(--fg);"
	"font:15px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.4rem;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2.2rem 0 .5rem}\n"
	"h3{font-size:13px;margin:.9rem 0 .2rem;color:var(--dim);font-weight:600}p{margin:.4rem 0}\n"
	"code,pre,.m{font-family:ui-monospace,monospace;font-size:13px;overflow-wrap:anywhere}\n"
	"pre{white-space:pre-wrap;margin:.4rem 0}a{color:var(--note)}.d{color:var(--dim)}\n"
	".fail,.error{color:var(--bad)}.inconclusive,.warning{color:var(--warn)}.pass{color:var(--good)}"
	".perf,.portability{color:var(--note)}\n"
	/* verdict and reasons */
	".v{display:inline-block;padding:0 .7rem;border-radius:1rem;border:1px solid}"
	".v.fail{background:var(--badbg)}.v.inconclusive{background:var(--warnbg)}"
	".v.pass{background:var(--goodbg)}\n"
	".why{border-left:3px solid var(--warn);background:var(--warnbg);padding:.3rem .8rem}"
	".why.fail{border-color:var(--bad);background:var(--badbg)}.why,.why.fail{color:var(--fg)}\n"
	/* tables */
	".t{overflow-x:auto}.t>table:not(.k){min-width:46rem}table{border-collapse:collapse;width:100%}\n"
	"th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;"
	"border-bottom:1px solid var(--line)}th{font-size:13px;color:var(--dim);white-space:nowrap}\n"
	"th.n,td.n{text-align:right;white-space:nowrap}td.c{white-space:nowrap}table.k{width:auto}table.k "
	"td{border:0;"
	"padding:.05rem 1.2rem .05rem 0}\n"
	/* findings */
	"details{background:var(--card);border:1px solid var(--line);border-radius:6px;margin:.5rem 0;"
	"padding:.5rem .8rem}\n"
	"summary{cursor:pointer}details[open]>summary{margin-bottom:.5rem}"
	"ol,ul{margin:.1rem 0 .4rem;padding-left:1.6rem}\n"
	"b.s{text-transform:uppercase;font-size:12px}.hint{border-left:3px solid var(--good);"
	"padding:.1rem .8rem;margin:.8rem 0 .4rem}\n"
	".strip{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem;margin:.2rem 0}"
	".strip span{border:1px solid var(--line);border-radius:3px;padding:0 .35rem;"
	"background:var(--bg)}.strip i{color:var(--dim);font-style:normal}"
	".strip .here{border-color:var(--bad);color:var(--bad);font-weight:600}"
	".strip .error{border-color:var(--bad)}\n"
	/* rules by family */
	"details.f{padding:.2rem .8rem;margin:.2rem 0}.f summary span{display:inline-block;margin-right:1rem}"
	".w{min-width:9rem}.f .n{min-width:5rem;text-align:right}meter{width:14rem;margin-right:1rem}\n"
	"@media print{body{max-width:none;padding:0}details{break-inside:avoid}}\n"
	"</style>\n</head>\n<body>\n";
