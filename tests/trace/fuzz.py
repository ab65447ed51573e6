#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzz.py READER TRACE DIRECTORY COUNT [SEED]: damages copies of a trace and lets READER summarise, draw or replay them.

The reader must end by itself with 0, 98 or 99, in time, and with at most one line when it refuses.
Everything follows from the seed: the same command shows the same failure.
"""
import os
import random
import shutil
import subprocess
import sys

reader, trace, directory, count = sys.argv[1:4] + [int(sys.argv[4])]
first = int(sys.argv[5]) if len(sys.argv) > 5 else 1


def damage(path, rng):
    data = bytearray(open(path, 'rb').read())
    how = rng.randrange(4)
    if how == 0:
        del data[rng.randrange(len(data)):]
    elif how == 1:
        at = rng.randrange(len(data))
        del data[at:at + rng.randrange(1, 64)]
    elif how == 2:
        at = rng.randrange(len(data))
        data[at:at + 8] = bytes(rng.choice((0, 255, 127, 128)) for _ in range(8))
    else:
        for _ in range(rng.randrange(1, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    open(path, 'wb').write(data)
    return how


REPORTS = os.path.join(directory, 'replayed')
COMMANDS = (['summary'], ['timeline', '--output', '/dev/null', '--chrome', '/dev/null'], ['replay', REPORTS])
bad = 0
os.makedirs(REPORTS, exist_ok=True)
for seed in range(first, first + count):
    rng = random.Random(seed)
    copy = os.path.join(directory, 'damaged')
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(trace, copy)
    files = sorted(os.path.join(d, f) for d, _, names in os.walk(copy) for f in names
                   if not f.endswith('.idx') and os.path.getsize(os.path.join(d, f)))
    victim = rng.choice(files)
    how = damage(victim, rng)
    try:
        p = subprocess.run([reader, *COMMANDS[seed % 3], copy], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=20)
        lines = p.stderr.decode(errors='replace').splitlines()
        wrong = p.returncode not in (0, 98, 99) or (p.returncode and len(lines) != 1) or b'Sanitizer' in p.stderr
        what = 'exit code %d: %s' % (p.returncode, ' | '.join(lines[:3]))
    except subprocess.TimeoutExpired:
        wrong, what = True, 'no end'
    if wrong:
        print('seed %d (%s, %d): %s' % (seed, os.path.basename(victim), how, what))
        bad += 1
shutil.rmtree(os.path.join(directory, 'damaged'), ignore_errors=True)
shutil.rmtree(REPORTS, ignore_errors=True)
sys.exit(bad != 0)
