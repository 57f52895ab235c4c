/// aiortc as a WebRTC end: it sends a changing gray, and counts what it receives.
enum AiortcScript {
    static let text = """
        import asyncio, json, sys, time
        from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription, VideoStreamTrack
        from aiortc.mediastreams import MediaStreamError
        from av import VideoFrame

        class Gray(VideoStreamTrack):
            count = 0
            async def recv(self):
                frame = VideoFrame(width=320, height=240)
                frame.pts, frame.time_base = await self.next_timestamp()
                for plane in frame.planes:
                    plane.update(bytes([self.count * 3 % 256]) * plane.buffer_size)
                self.count += 1
                return frame

        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        camera = Gray()
        received, start, first = [], 0, None

        async def watch(track, place):
            global first
            try:
                while True:
                    await track.recv()
                    received[place] += 1
                    first = first or (time.monotonic() - start) * 1000
            except MediaStreamError:
                pass

        @connection.on("track")
        def on_track(track):
            if track.kind == "video":
                received.append(0)
                asyncio.ensure_future(watch(track, len(received) - 1))

        async def handle(command):
            global start
            if command["do"] == "offer":
                connection.addTrack(camera)
                await connection.setLocalDescription(await connection.createOffer())
                return {"sdp": connection.localDescription.sdp}
            if command["do"] == "answer":
                start = time.monotonic()
                await connection.setRemoteDescription(RTCSessionDescription(command["sdp"], "offer"))
                connection.addTrack(camera)
                await connection.setLocalDescription(await connection.createAnswer())
                return {"sdp": connection.localDescription.sdp}
            if command["do"] == "accept":
                start = time.monotonic()
                await connection.setRemoteDescription(RTCSessionDescription(command["sdp"], "answer"))
                return {}
            return {"state": connection.connectionState, "sent": [camera.count], "decoded": received,
                    "firstPicture": first}

        async def main():
            loop = asyncio.get_running_loop()
            while True:
                line = await loop.run_in_executor(None, sys.stdin.readline)
                if not line:
                    break
                print(json.dumps(await handle(json.loads(line))), flush=True)

        asyncio.run(main())
        """
}
