# SPDX-License-Identifier: Apache-2.0
"""ranks.py COUNT PROGRAM [ARGUMENT]...: what torchrun does, on one machine.

Starts COUNT workers with torchrun's variables, all alive before the first goes on, and ends like torchrun: with 1
when a worker failed. An argument "rank=N" goes to worker N only.
"""
import os
import subprocess
import sys

count, program = int(sys.argv[1]), sys.argv[2]
read_end, write_end = os.pipe()
workers = []
for rank in range(count):
    environment = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(count),
                   "LOCAL_WORLD_SIZE": str(count), "MASTER_ADDR": "localhost", "MASTER_PORT": "29500",
                   "TORCHELASTIC_RUN_ID": "none"}
    arguments = []
    for a in sys.argv[3:]:
        word, equals, number = a.partition("=")
        if not equals:
            arguments.append(a)
        elif int(number) == rank:
            arguments.append(word)
    workers.append(subprocess.Popen([program, "stdin"] + arguments, env=environment, stdin=read_end,
                                    stdout=subprocess.DEVNULL))
os.close(read_end)
os.close(write_end)
sys.exit(any([w.wait() for w in workers]))
