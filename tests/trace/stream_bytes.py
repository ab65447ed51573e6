#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: Apache-2.0
"""stream_bytes.py TRACE: how many bytes the events of a recording take, without packets' headers and padding."""
import glob
import struct
import sys

PACKET = struct.Struct('<I16sIQQQQQQQI')  # header and context, as LTTng-UST writes them
total = 0
for name in glob.glob(sys.argv[1] + '/**/64-bit/*_[0-9]*', recursive=True):
    data, at = open(name, 'rb').read(), 0
    while at < len(data):
        magic, _, _, _, _, _, content, packet, *_ = PACKET.unpack_from(data, at)
        if magic != 0xC1FC1FC1:
            sys.exit('%s: no packet at %d' % (name, at))
        total += content // 8 - PACKET.size
        at += packet // 8
print(total)
