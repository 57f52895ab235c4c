import RillCore
import RillPacketSupport
import RillRTP
import RillTestSupport
import Testing

/// Debian's tshark 4.0 reads VP8 payload descriptors and frame headers as we do, ours and others'.
@Suite(.enabled(if: Peer.tshark.isInstalled, "tshark is not installed"))
struct VP8WiresharkTests {
    private static let descriptorNames = [
        "vp8.pld.x", "vp8.pld.n", "vp8.pld.s", "vp8.pld.partid", "vp8.pld.i", "vp8.pld.l", "vp8.pld.t", "vp8.pld.k",
        "vp8.pld.pictureid", "vp8.pld.tl0picidx", "vp8.pld.tid", "vp8.pld.y", "vp8.pld.keyidx",
    ]
    private static let frameNames = [
        "vp8.hdr.frametype", "vp8.hdr.version", "vp8.hdr.show", "vp8.hdr.partition_size", "vp8.keyframe.width",
        "vp8.keyframe.height",
    ]

    /// The start of a key frame of 160x120, of which the first partition has nine bytes.
    private static let keyFrame: [UInt8] = [0x30, 0x01, 0x00, 0x9D, 0x01, 0x2A, 0xA0, 0x00, 0x78, 0x00, 1, 2, 3, 4, 5]

    @Test func `It agrees on every shape of our descriptors`() throws {
        var random = SeededGenerator(seed: 72)
        let packets = (0..<64 as Range<UInt8>).flatMap { shape in
            (0..<4).map { _ in packet(shape: shape, &random) }
        }
        try expectAgreement(on: packets, payloadType: 96, "ours")
    }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: [0, 1, 2])
    func `It agrees on GStreamer's packets, in each picture-id-mode`(mode: Int) throws {
        let packets = try gstreamerPackets("vp8", pictureIDMode: mode)
        #expect(packets.count > 60)
        let fields = try expectAgreement(on: packets, payloadType: 96, "GStreamer, picture-id-mode \(mode)")
        #expect(fields.contains { $0["vp8.keyframe.width"] == ["160"] })
        #expect(fields.allSatisfy { ($0["vp8.pld.pictureid"] != nil) == (mode > 0) })
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `It agrees on FFmpeg's packets`() throws {
        let socket = try LocalSocket()
        try Peer.ffmpeg.run(
            "-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=30:duration=2", "-c:v", "libvpx",
            "-deadline", "realtime", "-g", "20", "-f", "rtp", "rtp://127.0.0.1:\(socket.port)?pkt_size=600")
        let packets = try socket.received()
        #expect(packets.count > 60)
        let fields = try expectAgreement(on: packets, payloadType: 96, "FFmpeg")
        #expect(fields.contains { $0["vp8.keyframe.height"] == ["120"] })
    }

    // MARK: Both readings

    /// A packet whose descriptor has the fields that the six bits of `shape` say, with random values.
    private func packet(shape: UInt8, _ random: inout SeededGenerator) -> [UInt8] {
        var descriptor = VP8PayloadDescriptor(
            isNonReference: .random(using: &random), startsPartition: shape & 1 != 0,
            partitionIndex: shape & 1 != 0 ? 0 : .random(in: 0...7, using: &random))
        if shape & 2 != 0 {
            descriptor.pictureID =
                shape & 4 != 0
                ? .long(.random(in: 0...32767, using: &random)) : .short(.random(in: 0...127, using: &random))
        }
        if shape & 8 != 0 { descriptor.tl0PictureIndex = .random(in: .min ... .max, using: &random) }
        if shape & 16 != 0 {
            descriptor.temporalLayer = VP8PayloadDescriptor.TemporalLayer(
                index: .random(in: 0...3, using: &random), isLayerSync: .random(using: &random))
        }
        if shape & 32 != 0 { descriptor.keyIndex = .random(in: 0...31, using: &random) }
        let header = RTPHeader(
            marker: true, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(UInt16(shape)),
            timestamp: RTPTimestamp(90), ssrc: SSRC(7))
        return [UInt8](capacity: 64) { output in
            header.write(into: &output)
            descriptor.write(into: &output)
            for byte in VP8WiresharkTests.keyFrame { output.append(byte) }
        }
    }

    /// What we read, in Wireshark's words.
    private func ourFields(of bytes: [UInt8]) throws -> WiresharkFields {
        var fields = WiresharkFields()
        let packet = try RTPPacket(parsing: bytes.span)
        let (descriptor, byteCount) = try vp8Descriptor(at: packet.payload)
        func flag(_ name: String, _ isSet: Bool) { fields.add(name, isSet ? 1 : 0) }
        flag("vp8.pld.x", byteCount > 1)
        flag("vp8.pld.n", descriptor.isNonReference)
        flag("vp8.pld.s", descriptor.startsPartition)
        fields.add("vp8.pld.partid", descriptor.partitionIndex)
        if byteCount > 1 {
            flag("vp8.pld.i", descriptor.pictureID != nil)
            flag("vp8.pld.l", descriptor.tl0PictureIndex != nil)
            flag("vp8.pld.t", descriptor.temporalLayer != nil)
            flag("vp8.pld.k", descriptor.keyIndex != nil)
        }
        if let picture = descriptor.pictureID { fields.add("vp8.pld.pictureid", picture.value) }
        if let index = descriptor.tl0PictureIndex { fields.add("vp8.pld.tl0picidx", index) }
        if descriptor.temporalLayer != nil || descriptor.keyIndex != nil {
            // Wireshark shows all of the byte where either part of it counts; we write zeros in the other.
            fields.add("vp8.pld.tid", descriptor.temporalLayer?.index ?? 0)
            flag("vp8.pld.y", descriptor.temporalLayer?.isLayerSync ?? false)
            fields.add("vp8.pld.keyidx", descriptor.keyIndex ?? 0)
        }
        guard descriptor.startsFrame else { return fields }
        let frame = try VP8FrameHeader(parsing: packet.payload.extracting(byteCount...))
        fields.add("vp8.hdr.frametype", frame.keyFrame == nil ? 1 : 0)
        fields.add("vp8.hdr.version", frame.version)
        flag("vp8.hdr.show", frame.isShown)
        fields.add("vp8.hdr.partition_size", frame.firstPartitionByteCount)
        if let key = frame.keyFrame {
            fields.add("vp8.keyframe.width", key.width)
            fields.add("vp8.keyframe.height", key.height)
        }
        return fields
    }

    @discardableResult
    private func expectAgreement(
        on packets: [[UInt8]], payloadType: Int, _ comment: String
    ) throws -> [WiresharkFields] {
        let names = VP8WiresharkTests.descriptorNames + VP8WiresharkTests.frameNames
        let lines = try tshark(packets, names + ["_ws.malformed"], "rtp.pt==\(payloadType),vp8")
        #expect(lines.count == packets.count)
        for (theirs, bytes) in zip(lines, packets) {
            let ours = try ourFields(of: bytes)
            for name in names {
                #expect(theirs[name] ?? [] == ours[name] ?? [], "\(comment), \(name): \(bytes.prefix(24))")
            }
            #expect(theirs["_ws.malformed"] == nil, "\(comment): \(bytes.prefix(24))")
        }
        return lines
    }
}
