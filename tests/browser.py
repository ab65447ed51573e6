#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""browser.py BROWSER PLACE: one headless browser for many pages, as starting it costs more than most pages.

Each line of PLACE/ask is the width of the window and the address of a page; when it is loaded, and its promise "settled" is kept if it has
one, its title is written as it is to PLACE/title. Ends when PLACE/ask says "end".
"""
import fcntl
import json
import os
import subprocess
import sys

BROWSER, PLACE = sys.argv[1:]
HEIGHT = 800


class Browser:
    """Chromium's debugging protocol over its pipe: messages are JSON, each ended by a zero."""

    def __init__(self):
        to_read, self.to = os.pipe()
        self.of, from_write = os.pipe()
        # The browser reads from 3 and writes to 4; neither may be one of the others.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, from_write)]
        self.process = subprocess.Popen(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", f"--window-size=1200,{HEIGHT}",
             f"--user-data-dir={PLACE}/profile", "--remote-debugging-pipe", "about:blank"], pass_fds=(3, 4),
            preexec_fn=lambda: [os.dup2(end, number) for end, number in zip(ends, (3, 4))],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (to_read, from_write, *ends):
            os.close(end)
        self.rest, self.number, self.session = b"", 0, None

    def message(self):
        while b"\0" not in self.rest:
            more = os.read(self.of, 1 << 16)
            if not more:
                raise EOFError("the browser ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, until=None, **parameters):
        """Its result; then waits for the event "until"."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        result = None
        while result is None or until:
            got = self.message()
            if got.get("id") == self.number:
                result = got.get("result", {})
            elif got.get("method") == until:
                until = None
        return result

    def open_page(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def title(self, width, address):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=HEIGHT, deviceScaleFactor=0, mobile=False)
        self.call("Page.navigate", url=address, until="Page.loadEventFired")
        title = "Promise.resolve(window.settled).then(() => document.querySelector('title').textContent)"
        return self.call("Runtime.evaluate", expression=title, awaitPromise=True)["result"]["value"]


def main():
    browser = Browser()
    browser.open_page()
    while True:
        with open(os.path.join(PLACE, "ask"), encoding="utf-8") as file:
            asked = file.read().strip()
        if asked == "end":
            break
        width, address = asked.split(" ", 1)
        title = browser.title(int(width), address)
        with open(os.path.join(PLACE, "title"), "w", encoding="utf-8") as file:
            file.write(title)
    browser.session = None
    browser.call("Browser.close")
    browser.process.wait()


if __name__ == "__main__":
    main()
