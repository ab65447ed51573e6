# SPDX-License-Identifier: Apache-2.0
"""look.py tap|html|png FILE: is the file well formed, and what does it say? Of a picture: the first pixel."""
import base64
import hashlib
import html.parser
import json
import re
import sys
import zlib


def tap(text):
    lines = text.split("\n")
    assert lines[0] == "TAP version 14" and lines[-1] == "", "frame"
    planned = int(re.fullmatch(r"1\.\.(\d+)", lines[1]).group(1))
    number, inside, seen = 0, False, []
    for line in lines[2:-1]:
        if inside:
            if line == "  ...":
                inside = False
                continue
            key, value = re.fullmatch(r"  ([a-z_]+): (.*)", line).groups()
            json.loads(value)
            continue
        if line == "  ---":
            inside = True
            continue
        match = re.fullmatch(r"(not )?ok (\d+) - ((?:[^#\\]|\\.)*)( # SKIP .*)?", line)
        number += 1
        assert match and int(match.group(2)) == number, line
        assert not re.search(r"[\x00-\x1f\x7f]", line), "control character"
        seen.append("fail" if match.group(1) else "skip" if match.group(4) else "ok")
    assert number == planned and not inside, "plan"
    print(" ".join(seen))


class Page(html.parser.HTMLParser):
    void = {"meta", "br", "input"}

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []
        self.policy, self.own = "", {"style": [], "script": []}

    def handle_starttag(self, tag, attributes):
        assert tag not in ("iframe", "img", "link", "object", "base"), tag
        assert tag not in ("script", "style") or not attributes, tag
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attributes:
            self.policy = dict(attributes)["content"]
        for name, value in attributes:
            assert not name.startswith("on") and name not in ("src", "style"), name
            assert name != "href" or value.startswith(("#", "https://")), value
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] in self.own:
            self.own[self.open[-1]].append(data)
        else:
            self.text.append(data)

    def check_policy(self):
        """Nothing runs and nothing is fetched but the page's own style and script."""
        wanted = ["default-src 'none'"]
        for tag, parts in self.own.items():
            digest = base64.b64encode(hashlib.sha256("".join(parts).encode()).digest()).decode()
            wanted.append(f"{tag}-src 'sha256-{digest}'")
        assert self.policy.split("; ") == wanted, (self.policy, wanted)


def page(text):
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text), "control character"
    parser = Page()
    parser.feed(text)
    parser.close()
    assert not parser.open, parser.open
    parser.check_policy()
    print("".join(parser.text))


def picture(data):
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "signature"
    at, packed = 8, b""
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += size + 12
    # Whatever filter the first line has, its first pixel is as it is.
    print(*zlib.decompress(packed)[1:4])


if sys.argv[1] == "png":
    with open(sys.argv[2], "rb") as file:
        picture(file.read())
else:
    with open(sys.argv[2], encoding="utf-8") as file:
        {"tap": tap, "html": page}[sys.argv[1]](file.read())
