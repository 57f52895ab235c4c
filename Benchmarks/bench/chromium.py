"""Calls of Chromium with itself through `rill relay`: pages of one browser, in which each flow is a pair of peer connections."""

import json
import re
import tempfile
import time
from pathlib import Path

from .clip import Clip
from .process import CommandFailed, Process, command, installed

# The sender knows the receiver by the relay's port only; the receiver learns the sender's address from its checks.
PAGE = """<!DOCTYPE html><title>calls</title><body><script>
const flows = FLOWS;
const say = words => console.log("SAYS " + words + ";");
const sleep = milliseconds => new Promise(done => setTimeout(done, milliseconds));
const gathered = async (connection, description) => {
  await connection.setLocalDescription(description);
  while (connection.iceGatheringState !== "complete") await sleep(10);
  return connection.localDescription.sdp;
};
const hidden = text => text.split("\\r\\n").filter(line => !line.startsWith("a=candidate:")).join("\\r\\n");
const candidate = port => `candidate:1 1 udp 2122260223 127.0.0.1 ${port} typ host generation 0`;
(async () => {
  const stream = await navigator.mediaDevices.getUserMedia({video: {width: WIDTH, height: HEIGHT, frameRate: 30}});
  const calls = [];
  for (const flow of flows) {
    const [sender, receiver] = [new RTCPeerConnection(), new RTCPeerConnection()];
    const track = stream.getVideoTracks()[0].clone();
    const sending = sender.addTransceiver(track, {direction: "sendonly", sendEncodings: [{maxBitrate: flow.most}]});
    const vp8 = RTCRtpSender.getCapabilities("video").codecs.filter(one => /VP8|rtx/.test(one.mimeType));
    sending.setCodecPreferences(vp8);
    receiver.ontrack = event => {
      const video = document.createElement("video");
      [video.muted, video.autoplay, video.width] = [true, true, 320];
      video.srcObject = new MediaStream([event.track]);
      document.body.append(video);
    };
    const offer = await gathered(sender, await sender.createOffer());
    await receiver.setRemoteDescription({type: "offer", sdp: hidden(offer)});
    const answer = await gathered(receiver, await receiver.createAnswer());
    const local = answer.split("\\r\\n").find(line => /^a=candidate:.* udp .* 127\\.0\\.0\\.1 /i.test(line));
    say("port " + (local ? local.split(" ")[5] : answer.split("\\r\\n").filter(line => line.startsWith("a=candidate"))));
    calls.push({sender, receiver, sending, answer: hidden(answer), flow});
  }
  const begin = performance.now();
  for (const call of calls) setTimeout(async () => {
    await call.sender.setRemoteDescription({type: "answer", sdp: call.answer});
    await call.sender.addIceCandidate({candidate: candidate(call.flow.relay), sdpMLineIndex: 0});
  }, 1000 * call.flow.start + 1000);
  while (true) {
    await sleep(500);
    const found = [];
    for (const call of calls) {
      const figures = {time: (performance.now() - begin) / 1000 - 1};
      for (const one of (await call.receiver.getStats()).values())
        if (one.type === "inbound-rtp") for (const name of ["framesDecoded", "freezeCount", "totalFreezesDuration", "frameWidth",
          "bytesReceived", "nackCount", "packetsLost", "keyFramesDecoded"]) figures[name] = one[name];
      for (const one of (await call.sender.getStats()).values())
      {
        if (one.type === "candidate-pair" && one.availableOutgoingBitrate) figures.estimate = one.availableOutgoingBitrate;
        if (one.type === "outbound-rtp") [figures.limited, figures.target] = [one.qualityLimitationReason, one.targetBitrate];
      }
      found.push(figures);
    }
    say("figures " + JSON.stringify(found));
  }
})().catch(error => say("failed " + error));
</script></body>
"""


class Flow:
    """A call of Chromium's: when it begins, the relay's port that stands for the receiver, and its maximum bitrate."""

    def __init__(self, start: float, relay: int, most: int) -> None:
        self.words = {"start": start, "relay": relay, "most": most}


class Calls:
    """A browser with a page of calls. They begin a second after the last receiver's port is known, and later ones at their time."""

    def __init__(self, flows: list[Flow], clip: Clip) -> None:
        chromium = installed("chromium")
        if chromium is None:
            raise CommandFailed("chromium is not installed: Scripts/setup peers")
        self._folder = tempfile.TemporaryDirectory(prefix="rill-bench-chromium-", ignore_cleanup_errors=True)
        width, height = clip.size.split("x")
        page = PAGE.replace("FLOWS", json.dumps([flow.words for flow in flows])).replace("WIDTH", width).replace("HEIGHT", height)
        path = Path(self._folder.name) / "page.html"
        path.write_text(page)
        self._browser = Process(command(
            chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--allow-loopback-in-peer-connection", "--enable-logging=stderr",
            "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={clip.path}",
            "--autoplay-policy=no-user-gesture-required", "--disable-features=WebRtcHideLocalIpsWithMdns",
            f"--user-data-dir={self._folder.name}/profile", f"file://{path}"))
        try:
            self.ports = self._ports(len(flows))
        except BaseException:
            self.stop()
            raise

    def _said(self, word: str) -> list[str]:
        return re.findall(rf"SAYS {word} (.*?);\"?", self._browser.printed())

    def _ports(self, count: int) -> list[int]:
        for _ in range(600):
            if len(found := self._said("port")) == count:
                return [int(port) for port in found]
            if failed := self._said("failed"):
                raise CommandFailed(f"Chromium's page: {failed[0]}")
            time.sleep(0.05)
        raise CommandFailed(f"Chromium's page named {len(self._said('port'))} of {count} ports:\n{self._browser.printed()[-2000:]}")

    def figures(self) -> list[list[dict]]:
        """The receivers' statistics, twice a second: of each flow."""
        return [json.loads(each.replace('\\"', '"')) for each in self._said("figures")]

    def stop(self) -> None:
        self._browser.stop()
        self._folder.cleanup()
