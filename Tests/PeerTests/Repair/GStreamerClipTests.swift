import RillCore
import RillRTP
import RillSend
import RillTestSupport
import Testing

private let hasPeers =
    Peer.gstreamer.isInstalled && Peer.ffmpeg.isInstalled && Peer.vpxenc.isInstalled && Peer.vpxdec.isInstalled

/// GStreamer's payloaders and depayloaders as judges of ours.
@Suite(
    .enabled(if: hasPeers, "gst-launch-1.0, ffmpeg, vpxenc or vpxdec is not installed"))
struct GStreamerClipTests {
    let folder = TemporaryFolder()

    @Test(arguments: VideoCodec.allCases, [0, 1, 2])
    func `Its packets are depacketized byte by byte`(codec: VideoCodec, pictureIDMode: Int) throws {
        let clip = try PeerClip(codec, in: folder)
        let path = folder.path("theirs")
        try Peer.gstreamer.run(
            "-q", "filesrc", "location=\(clip.path)", "!", "ivfparse", "!", "rtp\(codec.rawValue.lowercased())pay",
            "picture-id-mode=\(pictureIDMode)", "mtu=300", "!", "rtpstreampay", "!", "filesink", "location=\(path)")
        let packets = try PacketFile.packets(in: path)
        #expect(packets.count > 2 * clip.frames.count)
        let frames = try clip.frames(of: packets)
        #expect(frames == clip.frames)
        for bytes in packets {
            let packet = try RTPPacket(parsing: bytes.span)
            let bitWidth: Int?
            switch codec {
            case .vp8:
                bitWidth = try VP8Payload(parsing: packet.payload).descriptor.pictureID?.bitWidth
            default:
                let payload = try VP9Payload(parsing: packet.payload)
                bitWidth = payload.descriptor.pictureID?.bitWidth
                let size = payload.scalabilityStructure?.size(ofLayer: 0)
                #expect(size == nil || size == VP9ScalabilityStructure.Size(width: 176, height: 144))
            }
            #expect(bitWidth == [nil, 7, 15][pictureIDMode])
        }
    }

    @Test(arguments: [(VideoCodec.vp8, ReferenceSignaling.flexible), (.vp9, .flexible), (.vp9, .nonFlexible)])
    func `What we packetize it decodes to the same pictures`(codec: VideoCodec, mode: ReferenceSignaling) throws {
        let clip = try PeerClip(codec, in: folder)
        let packets = try clip.packets { $0.referenceSignaling = mode }
        let pictures = try clip.pictures()
        #expect(try decode(packets, codec) == pictures)
    }

    @Test(arguments: [ReferenceSignaling.flexible, .nonFlexible])
    func `VP9 in layers it decodes too`(mode: ReferenceSignaling) throws {
        let clip = try PeerClip(layersIn: folder)
        let packets = try clip.packets(.l1t3) { $0.referenceSignaling = mode }
        let pictures = try clip.pictures()
        #expect(try decode(packets, .vp9) == pictures)
    }

    /// What GStreamer makes of packets.
    private func decode(_ packets: [[UInt8]], _ codec: VideoCodec) throws -> [[UInt8]] {
        let (ours, samples) = (folder.path("ours"), folder.path("samples"))
        try PacketFile.write(packets, to: ours)
        let name = codec.rawValue.lowercased()
        try Peer.gstreamer.run(
            "-q", "filesrc", "location=\(ours)", "!",
            "application/x-rtp-stream,media=video,clock-rate=90000,encoding-name=\(codec.rawValue),payload=96", "!",
            "rtpstreamdepay", "!", "rtp\(name)depay", "!", "\(name)dec", "!", "filesink", "location=\(samples)")
        return PeerClip.pictures(in: try read(samples))
    }

    // MARK: Layers of real VP9 streams

    @Test(arguments: [ReferenceSignaling.flexible, .nonFlexible])
    func `Without the packets above a layer the rest decodes to the same pictures`(mode: ReferenceSignaling) throws {
        let clip = try PeerClip(layersIn: folder)
        let packets = try clip.packets(.l1t3) { $0.referenceSignaling = mode }
        let whole = try clip.pictures()
        for highest in 0...2 {
            let kept = try packets.filter { bytes in
                let packet = try RTPPacket(parsing: bytes.span)
                let payload = try VP9Payload(parsing: packet.payload)
                return payload.descriptor.layer.map { Int($0.temporalIndex) <= highest } ?? false
            }
            let pictures = try clip.decode(try clip.frames(of: kept), in: folder)
            let expected = whole.indices.filter { TemporalPattern.l1t3.step(at: $0).temporalIndex <= highest }
            #expect(pictures.count == expected.count, "up to layer \(highest)")
            #expect(pictures == expected.map { whole[$0] }, "up to layer \(highest)")
        }
    }
}
