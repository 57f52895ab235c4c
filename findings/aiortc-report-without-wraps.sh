#!/bin/bash
# aiortc: the "extended highest sequence number" of its receiver reports has no cycle count: it falls at each wrap.
#
# Expected: two RTCPeerConnections, one sends silence (50 packets a second) whose first number is 65450. RFC 3550,
#   section 6.4.1: the high 16 bits of the field extend the number with the count of cycles, so that after the wrap
#   the reports go on above 65535. aiortc counts the cycles, and its loss and its statistics use them.
# Seen: the reported numbers rise towards 65535, and then go on from 0.
# Versions: aiortc 1.16.0 (PyPI), both ends, CPython 3.11. Seen on 2026-11-28.
# What to do: compare the numbers of two reports modulo 2^16, with what was sent as the limit. Else a difference
#   shows minus 65,000 packets, and a watch for "no progress" (RFC 8083, section 4.2) sees a stop where there is none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet aiortc==1.16.0 || { echo "PyPI has no aiortc 1.16.0" >&2; exit 2; }
timeout 60 "$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import importlib.metadata
import sys

import aiortc
from aiortc import rtcrtpsender
from aiortc.mediastreams import AudioStreamTrack
from aiortc.rtp import RtcpRrPacket, RtcpSrPacket

print("aiortc:  ", importlib.metadata.version("aiortc"))
# Any first number is right (RFC 3550, section 5.1); with this one the test need not wait for the wrap.
rtcrtpsender.random_sequence_number = lambda: 65450
numbers = []
handle = rtcrtpsender.RTCRtpSender._handle_rtcp_packet


async def record(self, packet):
    if isinstance(packet, (RtcpRrPacket, RtcpSrPacket)):
        numbers.extend(report.highest_sequence for report in packet.reports if report.ssrc == self._ssrc)
    await handle(self, packet)


rtcrtpsender.RTCRtpSender._handle_rtcp_packet = record


async def main():
    sender, receiver = aiortc.RTCPeerConnection(), aiortc.RTCPeerConnection()
    receiver.on("track", lambda track: asyncio.ensure_future(consume(track)))
    sender.addTrack(AudioStreamTrack())
    await sender.setLocalDescription(await sender.createOffer())
    await receiver.setRemoteDescription(sender.localDescription)
    await receiver.setLocalDescription(await receiver.createAnswer())
    await sender.setRemoteDescription(receiver.localDescription)
    await asyncio.sleep(8)
    await sender.close()
    await receiver.close()


async def consume(track):
    try:
        while True:
            await track.recv()
    except aiortc.MediaStreamError:
        pass


asyncio.run(main())
print("reported:", *numbers)
before, after = [n for n in numbers if n >= 65450], [n for n in numbers if n < 1000]
if before and after and max(numbers) <= 65535:
    print("as described: the numbers start again from 0")
else:
    print("not as described")
    sys.exit(1)
PYTHON
