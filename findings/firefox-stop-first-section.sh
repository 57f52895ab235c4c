#!/bin/bash
# Firefox: once the first of two bundled sections is stopped, what the stopping side sends in the other mostly is lost.
#
# Expected: two RTCPeerConnections of one page send video to each other in two bundled sections. One side stops its
#   first transceiver and makes an offer. RFC 9143, sections 7.5 and 7.5.3: the section leaves the group, another one
#   becomes the tagged one, and the rest of the group goes on. W3C webrtc-pc, RTCRtpTransceiver.stop(): only this
#   transceiver ends.
# Seen: both sides stay "connected", with a currentDirection of "sendrecv" and live tracks, and `packetsSent` of the
#   stopping side goes on growing. But the other side receives nothing of it: `packetsReceived` stands still (23 of 26
#   times; at times the other direction too). An ICE restart does not help. When a transceiver is added then, the new
#   section works both ways, and the old one is silent (26 of 26 times, also where it had gone on). To stop the second
#   section instead, to make the first one "inactive", or to add a section without a stop, harms nothing. The cause is
#   not known; it is a race, so the script tries three times.
# Versions: Firefox ESR 153.8.0 (Debian 153.8.0esr-1~deb12u1), both ends. Seen on 2026-11-28.
# What to do: do not stop the first section of a group while others of it are in use: make it "inactive". Judge a
#   sender by what the other side reports, not by packetsSent. Where the first section was stopped, move the tracks of
#   the others to new transceivers.
set -euo pipefail
. "$(dirname "$0")/setup.sh"
unpack firefox-esr=153.8.0esr-1~deb12u1
alone python3 -B - "$here" "$folder" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from browser import Firefox

browser = Firefox(sys.argv[2])
print("browser: ", browser.version)
browser.run("""
const camera = async () => (await navigator.mediaDevices.getUserMedia({video: true})).getVideoTracks()[0];
const add = async () => void a.addTransceiver(await camera(), {direction: "sendrecv"});
window.negotiate = async options => {
  await a.setLocalDescription(await a.createOffer(options));
  await b.setRemoteDescription(a.localDescription);
  for (const one of b.getTransceivers())
    if (!one.currentDirection && !one.sender.track) {
      one.direction = "sendrecv";
      await one.sender.replaceTrack(await camera());
    }
  await b.setLocalDescription();
  await a.setRemoteDescription(b.localDescription);
};
window.begin = async () => {
  window.a = new RTCPeerConnection({bundlePolicy: "max-bundle"});
  window.b = new RTCPeerConnection({bundlePolicy: "max-bundle"});
  a.onicecandidate = event => b.addIceCandidate(event.candidate);
  b.onicecandidate = event => a.addIceCandidate(event.candidate);
  await add();
  await add();
  await negotiate();
};
window.stop = async index => { a.getTransceivers()[index].stop(); await negotiate(); };
window.rest = async () => { a.getTransceivers()[0].direction = "inactive"; await negotiate(); };
window.addOne = async () => { await add(); await negotiate(); };
window.finish = () => { a.close(); b.close(); };
const count = async (connection, mid, type, member) => {
  let sum = 0;
  for (const one of (await connection.getStats()).values())
    if (one.type === type && one.mid === mid) sum += one[member];
  return sum;
};
// Packets within 0.6 s: sent by A, arrived at B, sent by B, arrived at A.
window.rates = async mid => {
  const sent = one => count(one, mid, "outbound-rtp", "packetsSent");
  const arrived = one => count(one, mid, "inbound-rtp", "packetsReceived");
  const all = () => Promise.all([sent(a), arrived(b), sent(b), arrived(a)]);
  const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));
  await wait(900);
  const before = await all();
  await wait(600);
  const direction = a.getTransceivers().find(one => one.mid === mid).currentDirection;
  return {packets: (await all()).map((value, index) => value - before[index]),
          state: [a.connectionState, b.connectionState, direction].join(" ")};
};
""")
print("packets within 0.6 s:                   A sent, B got | B sent, A got")
failures = []


def look(name, script, mid, arrives=None):
    """Whether what A sends in the section arrives at B; `arrives` is what must be, None where either may be."""
    browser.run(script)
    result = browser.run(f"return rates('{mid}')")
    sent, got, sent_back, got_back = result["packets"]
    print(f"  {name:27} section {mid}: {sent:4}, {got:5} | {sent_back:6}, {got_back:5}   {result['state']}")
    if result["state"] != "connected connected sendrecv" or sent < 3 or arrives not in (None, got > 0):
        failures.append(name)
    return got > 0


look("A stops the second one:", "await begin(); await stop(1)", "0", True)
browser.run("finish()")
look("A makes the first inactive:", "await begin(); await rest()", "1", True)
look("A adds a section:", "await addOne()", "1", True)
browser.run("finish()")
silent = 0
for trial in (1, 2, 3):
    print(f" trial {trial}")
    look("two sections:", "await begin()", "1", True)
    if not look("A stops the first one:", "await stop(0)", "1"):
        silent += 1
        look("ICE restart:", "await negotiate({iceRestart: true})", "1", False)
    look("A adds one, the new one:", "await addOne()", "2", True)
    look("A adds one, the old one:", "", "1", False)
    browser.run("finish()")
print(f"silent after the stop: {silent} of 3 times")
if failures or not silent:
    sys.exit(f"CHANGED: {failures}")
print("as described: in the remaining section A counts packets as sent, and B gets none")
PYTHON
