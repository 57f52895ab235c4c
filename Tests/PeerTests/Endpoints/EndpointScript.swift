/// An endpoint of WHIP and WHEP by aiortc: it decodes what is published, and sends a changing gray to viewers. HTTP is
/// what the standard library has.
enum EndpointScript {
    /// Arguments: the port, 0 for any, and a token if one is asked for.
    static let text = """
        import asyncio, json, secrets, sys
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

        sessions = {}
        seen = {"decoded": 0, "sizes": [], "posts": 0, "deletes": 0, "patches": 0, "layers": [], "refused": 0}
        token = sys.argv[2] if len(sys.argv) > 2 else None

        async def count(track):
            try:
                while True:
                    frame = await track.recv()
                    seen["decoded"] += 1
                    size = f"{frame.width}x{frame.height}"
                    if size not in seen["sizes"]:
                        seen["sizes"].append(size)
            except MediaStreamError:
                pass

        def problem(status, detail):
            return status, [("Content-Type", "application/problem+json")], json.dumps({"detail": detail})

        async def post(way, headers, body):
            seen["posts"] += 1
            if headers.get("content-type") != "application/sdp":
                return problem(415, "an offer, please")
            connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
            connection.on("track", lambda track: asyncio.ensure_future(count(track)))
            await connection.setRemoteDescription(RTCSessionDescription(body, "offer"))
            if way == "whep":
                connection.addTrack(Gray())
            await connection.setLocalDescription(await connection.createAnswer())
            name = secrets.token_hex(8)
            sessions[name] = connection
            layers = f'<../layers/{name}>; rel="urn:ietf:params:whep:ext:core:layer"'
            return 201, [("Content-Type", "application/sdp"), ("Location", f"../session/{name}"),
                         ("ETag", f'"{name}"'), ("Link", layers)], connection.localDescription.sdp

        async def respond(method, path, headers, body):
            parts = path.strip("/").split("/")
            if token and headers.get("authorization") != f"Bearer {token}":
                return problem(401, "another token, please")
            if parts[0] == "moved":
                return 307, [("Location", f"/whip/{parts[1]}")], ""
            if method == "POST" and parts[0] in ("whip", "whep"):
                if parts[1] == "later" and seen["refused"] < 3:
                    seen["refused"] += 1
                    return problem(404, "nobody publishes it")
                return await post(parts[0], headers, body)
            if parts[0] not in ("session", "layers") or parts[1] not in sessions:
                return problem(404, "no such session")
            if method == "DELETE":
                seen["deletes"] += 1
                await sessions.pop(parts[1]).close()
                return 200, [], ""
            if method == "POST":
                seen["layers"].append(json.loads(body)["encodingId"])
                return 200, [], ""
            seen["patches"] += 1
            return problem(405, "no PATCH here")

        async def serve(reader, writer):
            try:
                while line := await reader.readline():
                    method, path, _ = line.decode().split()
                    headers = {}
                    while line := (await reader.readline()).decode().strip():
                        name, value = line.split(":", 1)
                        headers[name.lower()] = value.strip()
                    body = (await reader.readexactly(int(headers.get("content-length", 0)))).decode()
                    status, fields, text = await respond(method, path, headers, body)
                    print(json.dumps(seen), flush=True)
                    fields += [("Content-Length", len(text.encode()))]
                    head = f"HTTP/1.1 {status} -\\r\\n" + "".join(f"{name}: {value}\\r\\n" for name, value in fields)
                    writer.write((head + "\\r\\n" + text).encode())
                    await writer.drain()
            except (asyncio.IncompleteReadError, ConnectionError, ValueError):
                pass
            writer.close()

        async def main():
            server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]))
            print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
            await server.serve_forever()

        asyncio.run(main())
        """
}
