/// A viewer by aiortc: WHEP in a few lines.
enum WHEPScript {
    /// Arguments: the endpoint, and for how many seconds to watch. It prints what it has decoded.
    static let text = """
        import asyncio, json, sys, time, urllib.parse, urllib.request
        from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription

        async def main(url, seconds):
            start = time.monotonic()
            connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
            receiver = connection.addTransceiver("video", direction="recvonly").receiver
            await connection.setLocalDescription(await connection.createOffer())
            offer = connection.localDescription.sdp.encode()
            request = urllib.request.Request(url, offer, {"Content-Type": "application/sdp"})
            response = await asyncio.to_thread(urllib.request.urlopen, request)
            await connection.setRemoteDescription(RTCSessionDescription(response.read().decode(), "answer"))
            frames = [await receiver.track.recv()]
            first = time.monotonic()
            while time.monotonic() < first + seconds:
                frames.append(await receiver.track.recv())
                frames[-2] = None
            session = urllib.parse.urljoin(url, response.headers["Location"])
            urllib.request.urlopen(urllib.request.Request(session, method="DELETE"))
            await connection.close()
            print(json.dumps({"frames": len(frames), "size": f"{frames[-1].width}x{frames[-1].height}",
                              "first": round((first - start) * 1000)}))

        asyncio.run(main(sys.argv[1], float(sys.argv[2])))
        """

    /// What it prints.
    struct Outcome: Decodable {
        var frames: Int
        var size: String
        /// From the beginning of the script to the first picture, in ms.
        var first: Int
    }
}
