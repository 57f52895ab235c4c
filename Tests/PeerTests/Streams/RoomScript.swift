/// Members of a room by aiortc, over PyPI's websockets: they publish, want each other, write, mute, and leave.
enum RoomScript {
    /// Arguments: the server's WebSocket, and how many members. It prints what each has seen.
    static let text = """
        import asyncio, json, sys
        from aiortc import RTCBundlePolicy, RTCConfiguration, RTCPeerConnection, RTCSessionDescription, VideoStreamTrack
        from aiortc.mediastreams import AudioStreamTrack, MediaStreamError
        from av import VideoFrame
        import websockets

        class Gray(VideoStreamTrack):
            count = 0
            async def recv(self):
                frame = VideoFrame(width=320, height=240)
                frame.pts, frame.time_base = await self.next_timestamp()
                for plane in frame.planes:
                    plane.update(bytes([self.count * 3 % 256]) * plane.buffer_size)
                self.count += 1
                return frame

        class Member:
            def __init__(self, name):
                self.name, self.seen, self.log, self.slots, self.answers, self.number = name, {}, [], {}, {}, 0
                self.exchanges = 0
            async def join(self, url, others):
                # With another policy a second section of sound has no connection: see findings.
                self.peer = RTCPeerConnection(RTCConfiguration([], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE))
                self.peer.addTransceiver(Gray(), direction="sendonly")
                self.peer.addTransceiver(AudioStreamTrack(), direction="sendonly")
                slots = [self.peer.addTransceiver("video", direction="recvonly") for _ in range(others)]
                slots.append(self.peer.addTransceiver("audio", direction="recvonly"))
                await self.peer.setLocalDescription(await self.peer.createOffer())
                self.socket = await websockets.connect(url, max_size=1 << 20)
                self.tasks = [asyncio.ensure_future(self.read())]
                offer = self.peer.localDescription.sdp
                welcome = await self.ask(type="join", room="lobby", name=self.name, offer=offer)
                assert welcome["type"] == "welcome", welcome
                self.uid, self.first = welcome["uid"], welcome["number"]
                await self.peer.setRemoteDescription(RTCSessionDescription(welcome["answer"], "answer"))
                self.exchanges += 1
                self.tasks += [asyncio.ensure_future(self.watch(slot)) for slot in slots]
                self.tasks.append(asyncio.ensure_future(self.live()))
                for kind in ["video", "sound"]:
                    await self.ask(type="publish", kind=kind)
            async def live(self):
                while True:
                    await asyncio.sleep(1)
                    await self.send(type="alive", number=self.log[-1]["number"] if self.log else self.first)
            async def send(self, **request):
                await self.socket.send(json.dumps(request))
            async def ask(self, **request):
                self.number += 1
                self.answers[self.number] = asyncio.get_running_loop().create_future()
                await self.send(id=self.number, **request)
                return await asyncio.wait_for(self.answers[self.number], 10)
            async def read(self):
                async for text in self.socket:
                    message = json.loads(text)
                    if message["type"] in ("welcome", "done", "error"):
                        self.answers.pop(message["id"]).set_result(message)
                    elif message["type"] == "slot":
                        self.slots[message["mid"]] = message
                    elif "number" in message:
                        self.log.append(message)
            async def watch(self, slot):
                try:
                    while True:
                        await slot.receiver.track.recv()
                        self.seen[slot.mid] = self.seen.get(slot.mid, 0) + 1
                except MediaStreamError:
                    pass
            def count(self, uid, kind):
                mids = [mid for mid, slot in self.slots.items() if slot.get("uid") == uid and slot.get("kind") == kind]
                return sum(self.seen.get(mid, 0) for mid in mids)
            async def end(self):
                for task in self.tasks:
                    task.cancel()
                await self.peer.close()

        async def main(url, count):
            members = [Member(f"member {index}") for index in range(count)]
            for member in members:
                await member.join(url, count - 1)
            for member in members:
                for other in members:
                    for kind in ["video", "sound"] if other is not member else []:
                        answer = await member.ask(type="want", uid=other.uid, kind=kind, picture="high")
                        assert answer["type"] == "done", answer
            async def wait(condition, seconds=15):
                for _ in range(seconds * 10):
                    if condition():
                        return True
                    await asyncio.sleep(0.1)
                return False
            pairs = [(member, other) for member in members for other in members if other is not member]
            seen = await wait(lambda: all(member.count(other.uid, "video") > 30 for member, other in pairs))
            heard = await wait(lambda: all(sum(m.count(o.uid, "sound") for o in members) > 30 for m in members))
            text = "hello <b> \\u00e9 \\u202e"
            await members[0].ask(type="chat", key="1", text=text)
            read = await wait(lambda: all(any(e.get("text") == text for e in member.log) for member in members))
            await members[1].ask(type="mute", kind="video")
            await asyncio.sleep(1)
            before = members[0].count(members[1].uid, "video")
            await asyncio.sleep(1)
            muted = members[0].count(members[1].uid, "video") - before
            await members[1].ask(type="unmute", kind="video")
            unmuted = await wait(lambda: members[0].count(members[1].uid, "video") > before + 20)
            await members[1].send(type="leave")
            left = await wait(lambda: members[0].log[-1]["type"] == "offline")
            gaps = 0
            for member in members:
                numbers = [event["number"] for event in member.log]
                gaps += sum(1 for a, b in zip([member.first] + numbers, numbers) if b != a + 1)
            print(json.dumps({"seen": seen, "heard": heard, "read": read, "framesWhileMuted": muted, "unmuted": unmuted,
                              "left": left, "gaps": gaps, "exchanges": [member.exchanges for member in members]}))
            for member in members:
                await member.end()

        asyncio.run(main(sys.argv[1], int(sys.argv[2])))
        """

    /// What it prints.
    struct Outcome: Decodable, Equatable {
        /// Whether all see, hear and read all others.
        var seen = true
        var heard = true
        var read = true
        var framesWhileMuted = 0
        var unmuted = true
        var left = true
        /// Events that are missing in a log, or twice.
        var gaps = 0
        /// Offers and answers of each.
        var exchanges: [Int]
    }
}
