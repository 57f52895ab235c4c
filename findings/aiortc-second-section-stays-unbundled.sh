#!/bin/bash
# aiortc: of two sections of one kind, the second one is left on a transport that nobody uses, if the first section of
#   the offer is of the other kind: it stays silent for ever, and nothing is reported.
#
# Expected: an offer with video, audio that is sent and audio that is received, all in one BUNDLE group, and an answer
#   with the same group. RFC 9143, section 7.3.3: all three then use the transport of the first one.
# Seen: the third section has no connection. Its transport was shared with the second section from the beginning, which
#   counts as bundled, so it is not moved with that. With bundlePolicy "max-bundle" all three are connected.
# Versions: aiortc 1.16.0 (PyPI), both ends, CPython 3.11. Seen on 2026-11-30. Known there as issue 1414, for
#   renegotiation; a first offer is enough.
# What to do: a member of a room, which sends and receives several sections, sets RTCBundlePolicy.MAX_BUNDLE.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet aiortc==1.16.0 || { echo "PyPI has no aiortc 1.16.0" >&2; exit 2; }
timeout 60 "$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import importlib.metadata
import sys

from aiortc import RTCBundlePolicy, RTCConfiguration, RTCPeerConnection

print("aiortc:  ", importlib.metadata.version("aiortc"))


async def states(policy):
    offerer = RTCPeerConnection(RTCConfiguration(iceServers=[], bundlePolicy=policy))
    answerer = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    for kind, direction in [("video", "sendonly"), ("audio", "sendonly"), ("audio", "recvonly")]:
        offerer.addTransceiver(kind, direction=direction)
    await offerer.setLocalDescription(await offerer.createOffer())
    await answerer.setRemoteDescription(offerer.localDescription)
    await answerer.setLocalDescription(await answerer.createAnswer())
    assert "a=group:BUNDLE 0 1 2" in answerer.localDescription.sdp
    await offerer.setRemoteDescription(answerer.localDescription)
    await asyncio.sleep(3)
    found = [transceiver.receiver.transport.state for transceiver in offerer.getTransceivers()]
    await offerer.close()
    await answerer.close()
    return found


async def main():
    balanced = await states(RTCBundlePolicy.BALANCED)
    bundled = await states(RTCBundlePolicy.MAX_BUNDLE)
    print("balanced:  ", balanced)
    print("max-bundle:", bundled)
    return balanced[:2] == ["connected"] * 2 and balanced[2] != "connected" and bundled == ["connected"] * 3


if not asyncio.run(main()):
    print("changed: the third section is connected with the default policy, or none is")
    sys.exit(1)
print("as described")
PYTHON
