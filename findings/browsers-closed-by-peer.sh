#!/bin/bash
# Chromium and Firefox: when the peer closes, connectionState says "connected" for 6 to 10 s more.
#
# Expected: two RTCPeerConnections of one page are connected, one of them is closed. It says goodbye (an alert of DTLS,
#   RFC 8446, section 6.1), and the other one has it within milliseconds; one would look for that in connectionState,
#   or in an event of it.
# Seen: only RTCDtlsTransport.state becomes "closed" at once (and with it the data channels). connectionState stays
#   "connected" until checks of ICE are missed, and goes by "disconnected" (Chromium after about 6 s, Firefox after
#   about 10) to "failed" (Chromium after about 16 s, while iceConnectionState stays "disconnected"). It never becomes
#   "closed". By the letter of W3C webrtc-pc, RTCPeerConnectionState, that is right: closed DTLS transports count as
#   connected ones there. Without data channels, a page that watches connectionState alone shows a dead picture so long.
# Versions: Chromium 156.0.8078.108 (Debian 156.0.8078.108-1~deb12u1), Firefox ESR 153.8.0 (Debian
#   153.8.0esr-1~deb12u1). Seen on 2026-11-29.
# What to do: watch `statechange` of the transports (`sender.transport`, `receiver.transport`, `sctp.transport`) as well:
#   "closed" there, while the own connection is open, is the peer's end.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
version=156.0.8078.108-1~deb12u1
unpack "chromium=$version" "chromium-common=$version" firefox-esr=153.8.0esr-1~deb12u1
alone python3 -B - "$here" "$folder" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from browser import Chromium, Firefox

SCRIPT = """
window.course = async milliseconds => {
  const [a, b] = [1, 2].map(() => new RTCPeerConnection());
  a.onicecandidate = event => b.addIceCandidate(event.candidate);
  b.onicecandidate = event => a.addIceCandidate(event.candidate);
  const open = new Promise(done => { b.ondatachannel = event => { event.channel.onopen = done; }; });
  const channel = a.createDataChannel("one");
  await a.setLocalDescription();
  await b.setRemoteDescription(a.localDescription);
  await b.setLocalDescription();
  await a.setRemoteDescription(b.localDescription);
  await open;
  await new Promise(done => setTimeout(done, 500));
  const events = [], begin = performance.now();
  const note = what => events.push([Math.round(performance.now() - begin), what]);
  const transport = a.sctp.transport;
  const states = () => `${transport.state} | ${a.connectionState} | ${a.iceConnectionState} | ${channel.readyState}`;
  let last = states();
  note(last);
  b.close();
  while (performance.now() - begin < milliseconds) {
    await new Promise(done => setTimeout(done, 20));
    if (states() !== last) note(last = states());
  }
  return events;
};
"""
failures = []
for make, milliseconds in ((Chromium, 17000), (Firefox, 12000)):
    browser = make(sys.argv[2])
    browser.run(SCRIPT)
    print(browser.version)
    print("      ms  RTCDtlsTransport | connectionState | iceConnectionState | channel")
    events = browser.run(f"return course({milliseconds})")
    for time, states in events:
        print(f"  {time:6}  {states}")
    goodbye = next((time for time, states in events if states.startswith("closed |")), None)
    noticed = next((time for time, states in events if "| connected |" not in states), None)
    if goodbye is None or noticed is None or goodbye > 1000 or noticed < 4000 or "| closed | " in str(events):
        failures.append(browser.version)
if failures:
    sys.exit(f"CHANGED: {failures}")
print("as described: the transport is closed at once, connectionState follows seconds later")
PYTHON
