import RillTestSupport

/// What GStreamer's encoder and payloader make of two seconds of its test picture, 160x120, in packets of 600 bytes.
///
/// - Parameters:
///   - codec: `vp8` or `vp9`.
///   - mode: `picture-id-mode` of the payloader: 0 for none, 1 for 7 bits, 2 for 15.
func gstreamerPackets(_ codec: String, pictureIDMode mode: Int) throws -> [[UInt8]] {
    let socket = try LocalSocket()
    try Peer.gstreamer.run(
        [
            "-q", "videotestsrc", "num-buffers=60", "!", "video/x-raw,width=160,height=120,framerate=30/1", "!",
            "\(codec)enc", "deadline=1", "cpu-used=8", "keyframe-max-dist=20", "!", "rtp\(codec)pay",
            "picture-id-mode=\(mode)", "mtu=600", "!", "udpsink", "host=127.0.0.1", "port=\(socket.port)", "sync=false",
        ], stoppedAfter: 60)
    return try socket.received()
}
