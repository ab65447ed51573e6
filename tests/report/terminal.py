# SPDX-License-Identifier: Apache-2.0
"""terminal.py STEP... -- COMMAND...: runs a command on a terminal of its own and plays its user.

Steps: "wait TEXT" until it is printed, "type TEXT" (^C and ^Z for those keys), "stopped" until the whole job has
stopped, "continue" as the shell's fg does. Prints what the terminal showed, and the exit status.
"""
import os
import pty
import signal
import sys
import time

LIMIT = 20


GONE = (FileNotFoundError, ProcessLookupError)  # a process that ended while we looked


def children(pid):
    out = [pid]
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
                for child in f.read().split():
                    out += children(int(child))
    except GONE:
        pass
    return out


def is_stopped(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            name, _, rest = f.read().rpartition(")")
    except GONE:
        return False
    # The command's own processes beside the program have no job to stop.
    return rest.split()[0] == "T" or "aclcheck-group" in name or "aclcheck-clean" in name


def stopped(pid):
    return all(is_stopped(p) for p in children(pid)[1:])


def lead(command):
    """The shell of the terminal: one job, which SIGUSR1 continues."""
    job = os.fork()
    if not job:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execvp(command[0], command)
    signal.signal(signal.SIGUSR1, lambda *_: os.killpg(job, signal.SIGCONT))
    while True:
        code = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])
        os._exit(code if code >= 0 else 128 - code)


class User:
    def __init__(self, command):
        self.seen = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            lead(command)
        os.set_blocking(self.fd, False)
        self.end = time.monotonic() + LIMIT

    def read(self):
        try:
            self.seen += os.read(self.fd, 65536)
        except BlockingIOError:
            time.sleep(0.01)
        except OSError:
            return False
        if time.monotonic() > self.end:
            for p in children(self.pid):
                os.kill(p, signal.SIGKILL)
            sys.exit(f"too late; seen: {self.seen!r}")
        return True

    def step(self, words):
        verb, _, text = words.partition(" ")
        if verb == "wait":
            while text.encode() not in self.seen and self.read():
                pass
        elif verb == "type":
            os.write(self.fd, text.replace("^C", "\x03").replace("^Z", "\x1a").replace("^\\", "\x1c").encode() +
                     (b"" if "^" in text else b"\n"))
        elif verb == "stopped":
            while not stopped(self.pid):
                self.read()
        elif verb == "continue":
            os.kill(self.pid, signal.SIGUSR1)
        else:
            sys.exit(f"no step: {words}")


split = sys.argv.index("--")
user = User(sys.argv[split + 1:])
for s in sys.argv[1:split]:
    user.step(s)
while user.read():
    pass
status = os.waitpid(user.pid, 0)[1]
print(user.seen.decode(errors="replace").replace("\r\n", "\n"))
print("status", os.waitstatus_to_exitcode(status))
