import RillCore
import RillFiles
import RillPacketSupport
import RillRTP
import RillSend
import RillTestSupport

/// Coded clips that other programs made, and what it takes to send them.
struct PeerClip {
    static let resolution = Resolution(width: 176, height: 144)
    static let pictureByteCount = resolution.pixelCount * 3 / 2
    static let frameCount = 30

    let codec: VideoCodec
    let path: String
    let frames: [[UInt8]]

    /// One that vpxenc made.
    init(_ codec: VideoCodec, in folder: TemporaryFolder) throws {
        let (source, path) = (folder.path("source.y4m"), folder.path("\(codec).ivf"))
        try PeerClip.draw(to: source)
        try Peer.vpxenc.run(
            "--codec=\(codec.rawValue.lowercased())", "--ivf", "--rt", "--cpu-used=5", "--target-bitrate=400", "-o",
            path,
            source)
        try self.init(codec, path: path)
    }

    /// VP9 in three temporal layers in the order 0 2 1 2, made by FFmpeg; error-resilient, so that frames that are left
    /// out take no probabilities with them.
    init(layersIn folder: TemporaryFolder) throws {
        let (source, path) = (folder.path("source.y4m"), folder.path("layers.ivf"))
        try PeerClip.draw(to: source)
        let layers =
            "ts_number_layers=3:ts_target_bitrate=120,180,300:ts_rate_decimator=4,2,1:ts_periodicity=4"
            + ":ts_layer_id=0,2,1,2:ts_layering_mode=3"
        try Peer.ffmpeg.run(
            "-v", "error", "-i", source, "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "5",
            "-lag-in-frames", "0", "-b:v", "300k", "-g", "3000", "-error-resilient", "1", "-ts-parameters", layers,
            "-f",
            "ivf", path)
        try self.init(.vp9, path: path)
    }

    private init(_ codec: VideoCodec, path: String) throws {
        self.codec = codec
        self.path = path
        let reader = try IVFReader(path: path)
        var frames: [[UInt8]] = []
        var payload: [UInt8] = []
        while try reader.next(into: &payload) != nil { frames.append(payload) }
        self.frames = frames
        guard frames.count == PeerClip.frameCount else { throw TestFailure("\(frames.count) frames in \(path)") }
    }

    private static func draw(to path: String) throws {
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc=size=\(resolution):rate=30", "-frames:v", "\(frameCount)",
            "-pix_fmt", "yuv420p", path)
    }

    /// What is known of frame `index`, in a stream of that pattern.
    func frame(_ index: Int, _ pattern: TemporalPattern = .l1t1) -> EncodedFrame {
        let step = pattern.step(at: index)
        var references = FrameReferences()
        if index > 0 { for distance in step.distances { references.append(Int64(index - distance)) } }
        return EncodedFrame(
            codec: codec, layer: StreamLayer(rid: .high, temporalIndex: step.temporalIndex), number: Int64(index),
            references: references, isKey: index == 0, isDiscardable: step.isDiscardable, isLayerSync: step.isLayerSync,
            isSwitchingUpPoint: pattern != .l1t1, resolution: PeerClip.resolution,
            captureTime: FrameRate(30).time(ofFrame: index), byteCount: frames[index].count)
    }

    static let ssrc = SSRC(0xCAFE)

    /// The stream that it is sent as.
    static func settings() -> RTPStreamSettings {
        RTPStreamSettings(ssrc: ssrc, payloadType: PayloadType(96), canonicalName: "a@b")
    }

    /// The clip's packets. `change` may change the settings.
    func packets(
        _ pattern: TemporalPattern = .l1t1, _ change: (inout RTPStreamSettings) -> Void = { _ in }
    ) throws -> [[UInt8]] {
        var settings = PeerClip.settings()
        settings.maximumPacketByteCount = 300
        settings.historyCapacity = 200
        settings.temporalLayerCount = pattern.layerCount
        change(&settings)
        var sender = try RTPStreamSender(settings)
        let sink = CollectingSink()
        for index in frames.indices {
            let payload = frames[index]
            sender.send(frame(index, pattern), payload: payload.span, at: .zero, to: sink)
        }
        return sink.packets
    }

    /// The frames that packets hold.
    func frames(of packets: [[UInt8]]) throws -> [[UInt8]] {
        var (vp8, vp9) = (FrameDepacketizer(.vp8), FrameDepacketizer(.vp9))
        var frame: [UInt8] = []
        var frames: [[UInt8]] = []
        for bytes in packets {
            let packet = try RTPPacket(parsing: bytes.span)
            let outcome = codec == .vp8 ? vp8.insert(packet, into: &frame) : vp9.insert(packet, into: &frame)
            if outcome == .completed { frames.append(frame) }
        }
        return frames
    }

    /// The pictures of coded frames, by libvpx's own decoder, which fails on any that it cannot decode.
    func decode(_ frames: [[UInt8]], in folder: TemporaryFolder) throws -> [[UInt8]] {
        let path = folder.path("decode.ivf")
        let timeBase = try IVFReader(path: self.path).header.timeBase
        let writer = try IVFWriter(path: path, codec: codec, resolution: PeerClip.resolution, timeBase: timeBase)
        for (index, bytes) in frames.enumerated() {
            var frame = frame(0)
            frame.captureTime = FrameRate(30).time(ofFrame: index)
            frame.byteCount = bytes.count
            try writer.consume(frame, payload: bytes.span)
        }
        try writer.finish()
        return PeerClip.pictures(in: try Peer.vpxdec.run("--i420", "-o", "-", path))
    }

    /// The pictures of the clip itself.
    func pictures() throws -> [[UInt8]] {
        PeerClip.pictures(in: try Peer.vpxdec.run("--i420", "-o", "-", path))
    }

    static func pictures(in samples: [UInt8]) -> [[UInt8]] {
        stride(from: 0, to: samples.count, by: pictureByteCount).map { start in
            Array(samples[start..<min(start + pictureByteCount, samples.count)])
        }
    }
}
