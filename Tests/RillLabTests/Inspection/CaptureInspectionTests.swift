import RillCore
import RillFiles
import RillMediaSupport
import RillRTP
import RillTestSupport
import Testing

@testable import RillLab

@Suite struct CaptureInspectionTests {
    let folder = TemporaryFolder()
    private let here = UDPAddress(.v4(0x0A00_0001), port: 4000)
    private let there = UDPAddress(.v4(0x0A00_0002), port: 5004)

    /// Writes datagrams a millisecond apart.
    private func capture(_ name: String, _ datagrams: [[UInt8]]) throws -> String {
        let path = folder.path(name)
        let writer = try CaptureWriter(path: path)
        for (index, bytes) in datagrams.enumerated() {
            try writer.write(bytes.span, from: here, to: there, at: .zero + .milliseconds(index))
        }
        try writer.finish()
        return path
    }

    /// The frames of an IVF file.
    private func frames(_ path: String) throws -> (frames: [[UInt8]], timestamps: [Int64]) {
        let file = try IVFReader(path: path)
        var (payload, frames, timestamps): ([UInt8], [[UInt8]], [Int64]) = ([], [], [])
        while let frame = try file.next(into: &payload) {
            frames.append(payload)
            timestamps.append(frame.timestamp)
        }
        return (frames, timestamps)
    }

    private func extract(_ path: String, codec: VideoCodec = .vp8) throws -> FrameExtraction.Report {
        try FrameExtraction(of: CodedClip.ssrc, payloadType: CodedClip.payloadType, codec: codec)
            .run(from: path, to: folder.path("out.ivf"))
    }

    @Test(arguments: ["call.pcap", "call.pcapng", "call.rtpdump"])
    func `A stream is found in every kind of capture, and its frames are the clip's`(name: String) throws {
        let clip = try CodedClip()
        let path = try capture(name, clip.packets.flatMap { $0 })
        let inspection = try FileInspection(of: path)
        #expect(inspection.damage == nil && inspection.streams.count == 1)
        let stream = try #require(inspection.streams.first)
        #expect(stream.ssrc == CodedClip.ssrc.description && stream.codec == "VP8" && stream.payloadType == 96)
        #expect(stream.frames == clip.frames.count && stream.resolution == "640x480")
        #expect(
            stream.descriptor
                == FileInspection.Descriptor(pictureIDBits: 15, temporalLayers: 1, hasTL0PictureIndex: true))
        let count = clip.packets.joined().count
        #expect(stream.packets?.count == count && stream.packets?.lost == 0)
        #expect(stream.packets?.bytes == clip.packets.joined().reduce(0) { $0 + $1.count })
        #expect(stream.packets?.payloadTypes == [FileInspection.PayloadTypeCount(payloadType: 96, count: count)])

        let report = try extract(path)
        let written = try frames(folder.path("out.ivf"))
        #expect(written.frames == clip.frames)
        #expect(written.timestamps == clip.times.map { $0.ticks(rate: 90000) })
        #expect(report.frames == clip.frames.count && report.keyFrames == stream.keyFrames)
        #expect(report.incompleteFrames == 0 && report.framesBeforeKeyFrame == 0)
    }

    @Test(.enabled(if: Peer.editcap.isInstalled, "editcap is not installed"), arguments: [60, 96, 200])
    func `Of packets that were cut the headers are counted`(length: Int) throws {
        var packets = try CodedClip().packets.flatMap { $0 }
        packets.remove(at: 5)
        packets.swapAt(7, 8)
        let (path, cut) = (try capture("call.pcap", packets), folder.path("cut.pcap"))
        try Peer.editcap.run("-s", "\(length)", path, cut)
        let whole = try #require(try FileInspection(of: path).streams.first)
        let inspection = try FileInspection(of: cut)
        let stream = try #require(inspection.streams.first)
        // Without the frames it is not known that it is VP8, and so not the clock of its jitter.
        var expected = try #require(whole.packets)
        #expect(expected.jitter != nil)
        expected.jitter = nil
        #expect(stream.packets == expected && expected.lost == 1 && expected.reordered == 1)
        // Ethernet, IPv4 and UDP have 42 bytes, raw IP has 28.
        #expect([length - 42, length - 28].contains(inspection.capture?.cutBytes ?? 0))
        #expect(inspection.capture?.cut == packets.count { $0.count > (inspection.capture?.cutBytes ?? 0) })
        #expect(abs(stream.duration - Double(packets.count) / 1000) < 0.002)
        let bits = 8 * packets.reduce(0) { $0 + $1.count }
        #expect(abs((stream.bitrate ?? 0) - Double(bits) / stream.duration) < 1)
    }

    @Test(.enabled(if: Peer.vpxenc.isInstalled && Peer.ffmpeg.isInstalled, "vpxenc or ffmpeg is not installed"))
    func `A stream of VP9 is known as one, and its frames are the clip's`() throws {
        let (pictures, coded) = (folder.path("pictures.y4m"), folder.path("vp9.ivf"))
        try Peer.ffmpeg.run("-v", "error", "-i", try CodedClip().path, "-frames:v", "12", pictures)
        try Peer.vpxenc.run(
            "--codec=vp9", "--ivf", "--cpu-used=8", "--rt", "--lag-in-frames=0", "--target-bitrate=600", "-o", coded,
            pictures
        )
        let clip = try CodedClip(path: coded)
        let path = try capture("call.pcap", clip.packets.flatMap { $0 })
        let stream = try #require(try FileInspection(of: path).streams.first)
        #expect(stream.codec == "VP9" && stream.frames == 12 && stream.keyFrames == 1 && stream.resolution == "640x480")
        #expect(
            stream.descriptor
                == FileInspection.Descriptor(
                    pictureIDBits: 7, temporalLayers: 1, spatialLayers: 1, hasTL0PictureIndex: true))
        let report = try extract(path, codec: .vp9)
        #expect(report.frames == 12 && report.incompleteFrames == 0)
        #expect(try frames(folder.path("out.ivf")).frames == clip.frames)
    }

    @Test func `Lost packets cost their frames, reordered and repeated ones none`() throws {
        let clip = try CodedClip()
        var packets = clip.packets
        let broken = try #require(packets.indices.first { $0 > 2 && packets[$0].count > 1 })
        packets[broken].remove(at: 1)
        var datagrams = packets.flatMap { $0 }
        let place = packets[..<(broken + 1)].joined().count + 5
        datagrams.swapAt(place, place + 3)
        datagrams.insert(datagrams[place + 6], at: place + 9)
        let path = try capture("call.pcap", datagrams)

        let packetCounts = try #require(try FileInspection(of: path).streams.first?.packets)
        #expect(packetCounts.lost == 1 && packetCounts.duplicated == 1 && packetCounts.reordered == 3)
        let report = try extract(path)
        var expected = clip.frames
        expected.remove(at: broken)
        #expect(try frames(folder.path("out.ivf")).frames == expected)
        #expect(report.incompleteFrames == 1 && report.frames == expected.count)
    }

    @Test func `Frames before the first key frame are left out`() throws {
        let clip = try CodedClip()
        let packets = clip.packets[1...3] + clip.packets[0...1]
        var datagrams = packets.flatMap { $0 }
        for (index, var datagram) in datagrams.enumerated() {
            (datagram[2], datagram[3]) = (UInt8(index >> 8), UInt8(index & 0xFF))
            datagrams[index] = datagram
        }
        let report = try extract(try capture("call.pcap", datagrams))
        #expect(report.framesBeforeKeyFrame == 3 && report.frames == 2)
        #expect(try frames(folder.path("out.ivf")).frames == Array(clip.frames[0...1]))
    }

    /// Every fifth packet comes again five packets later, captured before the loss or behind it.
    @Test(arguments: [false, true])
    func `A stream of retransmissions is named as one`(areOriginalsLost: Bool) throws {
        let packets = try CodedClip().packets.flatMap { $0 }
        var (datagrams, again): ([[UInt8]], [[UInt8]]) = ([], [])
        for (index, packet) in packets.enumerated() {
            if index % 5 != 2 || !areOriginalsLost { datagrams.append(packet) }
            guard index >= 5, index % 5 == 2 else { continue }
            let (original, number) = (
                packets[index - 5], SequenceNumber(UInt16(truncatingIfNeeded: 65_530 + again.count))
            )
            again.append(
                try [UInt8](capacity: original.count + 2) { output throws(RTPError) in
                    try RetransmittedPacket.write(
                        original.span, payloadType: PayloadType(97), sequenceNumber: number,
                        ssrc: SSRC(0xBEEF), into: &output)
                })
            datagrams.append(again[again.endIndex - 1])
        }
        let streams = try FileInspection(of: try capture("call.pcap", datagrams)).streams
        try #require(streams.count == 2 && again.count > 20)
        #expect(streams[0].codec == "VP8" && streams[0].retransmissionsOf == nil)
        let stream = streams[1]
        #expect(stream.ssrc == SSRC(0xBEEF).description && stream.retransmissionsOf == CodedClip.ssrc.description)
        #expect(stream.codec == nil && stream.frames == 0 && stream.descriptor == nil)
        #expect(stream.packets?.count == again.count && stream.packets?.lost == 0)
    }

    @Test func `Another layer with the same timestamps is not a retransmission stream`() throws {
        let packets = try CodedClip().packets.flatMap { $0 }
        let both = packets.flatMap { packet in
            var other = packet
            other[11] ^= 1
            return [packet, other]
        }
        let streams = try FileInspection(of: try capture("call.pcap", both)).streams
        #expect(streams.map(\.codec) == ["VP8", "VP8"] && streams.allSatisfy { $0.retransmissionsOf == nil })
    }

    @Test func `RTCP is counted by kind, and other packets are not a stream`() throws {
        let report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 9]
        let request: [UInt8] = [0x81, 206, 0, 2, 0, 0, 0, 9, 0, 0, 0xCA, 0xFE]
        let feedback: [UInt8] = [0x8F, 205, 0, 2, 0, 0, 0, 9, 0, 0, 0xCA, 0xFE]
        let byStream: [UInt8] = [0x8B, 205, 0, 2, 0, 0, 0, 9, 0, 1, 0, 0]
        let cut: [UInt8] = [0x80, 200, 0, 9, 0, 0, 0, 9]
        let stun: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42]
        // Looks like RTP, and like nothing that follows.
        let chance: [UInt8] = [0x9F, 0x12, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3]
        let clip = try CodedClip()
        let path = try capture(
            "call.pcap", [report + request, report + feedback + byStream, request, cut, stun, chance] + clip.packets[0])
        let inspection = try FileInspection(of: path)
        #expect(inspection.streams.map(\.ssrc) == [SSRC(9).description, CodedClip.ssrc.description])
        #expect(inspection.streams[0].packets?.rtcp == 4)
        #expect(
            inspection.streams[0].packets?.rtcpKinds == [
                "RR": 2, "PLI": 2, "transport-cc": 1, "ccfb": 1, "unreadable": 1,
            ])
        #expect(inspection.capture?.otherDatagrams == 3)
        #expect(inspection.largestStream(ssrc: nil)?.ssrc == CodedClip.ssrc.description)
        #expect(inspection.largestStream(ssrc: SSRC(9)) == nil)
    }

    @Test func `Packets of another format are not VP8, unless specified`() throws {
        // Sixteen times a marked packet that begins "key frame" without its start code.
        let packets = (0..<16).map {
            [0x80, 0xE0, 0, UInt8($0), 0, 0, 0, UInt8($0), 0, 0, 0, 1, 0x10] + [UInt8](repeating: 0, count: 20)
        }
        let path = try capture("call.pcap", packets)
        let guessed = try #require(try FileInspection(of: path).streams.first)
        #expect(guessed.codec == nil && guessed.frames == 0 && guessed.packets?.count == 16)
        let told = try #require(try FileInspection(of: path, codec: .vp8).streams.first)
        #expect(told.codec == "VP8" && told.frames == 16 && told.keyFrames == 0)
    }

    /// Packets of payload type 98 around payloads, each a timestamp of its own where it has a marker.
    private func stream(of payloads: [(bytes: [UInt8], marker: Bool)]) -> [[UInt8]] {
        var timestamp: UInt32 = 1000
        return payloads.enumerated().map { index, payload in
            defer { if payload.marker { timestamp += 3000 } }
            let number = UInt16(index)
            return [0x80, payload.marker ? 0xE2 : 0x62, UInt8(number >> 8), UInt8(number & 0xFF)]
                + (0..<4).map { UInt8(timestamp >> (24 - 8 * $0) & 0xFF) } + [0, 0, 0, 7] + payload.bytes
        }
    }

    private func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// Payloads as other formats have them; what is coded is noise.
    private func foreignPayloads(_ format: String) -> [(bytes: [UInt8], marker: Bool)] {
        var random = SeededGenerator(seed: 5)
        return (0..<60).map { index in
            let (isLast, body) = (index % 3 == 2, noise(index % 7 * 40 + 30, &random))
            switch format {
            // H.266 (RFC 9328 §4.3): slices of type TRAIL, and fragments of larger ones.
            case "H266": return (index % 2 == 0 ? [0x00, 0x01] + body : [0x00, 0xE9, 0x80] + body, isLast)
            case "H265": return (index % 2 == 0 ? [0x02, 0x01] + body : [0x62, 0x01, 0x81] + body, isLast)
            case "H264": return (index % 2 == 0 ? [0x41] + body : [0x7C, 0x85] + body, isLast)
            // AV1: one OBU, a frame, in each packet; the reserved bit of its header is 0.
            case "AV1": return ([0x10, 0x30] + body, true)
            // FlexFEC (RFC 8627 §4.2.2): of an odd number of packets with header extensions, whose lengths differ.
            case "FlexFEC":
                let length = UInt8(index * 37 % 251)
                return ([0x10, 0x61, 4, length] + noise(4, &random) + [0, 0, 0, UInt8(index), 0x81, 0] + body, true)
            case "ULPFEC": return ([0x00, 0x61, 0, UInt8(index)] + noise(6, &random) + body, isLast)
            default: return (body, isLast)
            }
        }
    }

    @Test(arguments: ["H266", "H265", "H264", "AV1", "FlexFEC", "ULPFEC", "noise"])
    func `Streams of other formats are called neither VP8 nor VP9`(format: String) throws {
        let path = try capture("call.pcap", stream(of: foreignPayloads(format)))
        let found = try #require(try FileInspection(of: path).streams.first)
        #expect(found.codec == nil && found.frames == 0 && found.packets?.count == 60, "\(found.codec ?? "")")
    }

    @Test func `A stream is known without its key frames, and with damaged packets in it`() throws {
        let clip = try CodedClip()
        var packets = clip.packets[1...].flatMap { $0 }
        #expect(try FileInspection(of: try capture("call.pcap", packets)).streams.first?.codec == "VP8")
        // One payload of forty is overwritten.
        for index in stride(from: 5, to: packets.count, by: 40) {
            for byte in 12..<packets[index].count { packets[index][byte] = 0xFF }
        }
        let damaged = try #require(try FileInspection(of: try capture("damaged.pcap", packets)).streams.first)
        #expect(damaged.codec == "VP8" && damaged.frames > clip.frames.count / 2)
    }

    @Test func `The frame rate is that of the RTP timestamps, however fast the packets arrived`() throws {
        let clip = try CodedClip()
        let stream = try #require(
            try FileInspection(of: try capture("call.pcap", clip.packets.flatMap { $0 })).streams.first)
        let rate = try #require(stream.frameRate)
        // The packets of 30 frames a second are a millisecond apart.
        #expect(abs(rate - 30) < 0.01 && abs(stream.duration - Double(clip.frames.count) / 30) < 0.01)
        let bytes = clip.frames.reduce(0) { $0 + $1.count }
        #expect(abs(try #require(stream.bitrate) - Double(bytes * 8) / stream.duration) < 1)
    }

    @Test(arguments: [0, 1, 0x7FFF_FFFF, 0xFFFF_F000] as [UInt32])
    func `A timeline follows timestamps across the wraparound, and the clock at jumps`(start: UInt32) {
        var timeline = FrameTimeline()
        var capture = MediaTime.zero + .seconds(7)
        func step(_ timestamp: UInt32, after time: MediaDuration) -> MediaTime {
            capture = capture + time
            return timeline.time(of: RTPTimestamp(timestamp), capturedAt: capture)
        }
        let first = step(start, after: .zero)
        #expect(step(start &+ 9000, after: .milliseconds(1)) - first == .milliseconds(100))
        // Back by an hour, and on by ten minutes.
        #expect(step(start &- 324_000_000, after: .milliseconds(300)) - first == .milliseconds(400))
        #expect(step(start &- 270_000_000, after: .seconds(2)) - first == .milliseconds(2400))
        #expect(
            step(start &- 269_997_000, after: .zero) - first == .milliseconds(2400)
                + MediaDuration(nanoseconds: 33_333_333))
    }

    @Test func `Without a key frame no file is made, and one that stood there stays`() throws {
        let clip = try CodedClip()
        let path = try capture("call.pcap", clip.packets[1...5].flatMap { $0 })
        let out = folder.path("out.ivf")
        try write(Array("old".utf8), to: out)
        let report = try extract(path)
        #expect(report.frames == 0 && report.framesBeforeKeyFrame == 5)
        #expect(try read(out) == Array("old".utf8))
        // Who has enough in the middle leaves nothing behind either.
        struct Enough: Error {}
        #expect(throws: Enough.self) {
            _ = try FrameExtraction(of: CodedClip.ssrc, payloadType: CodedClip.payloadType, codec: .vp8)
                .run(from: try capture("whole.pcap", clip.packets.flatMap { $0 }), to: out) {
                    if $0 > 20 { throw Enough() }
                }
        }
        #expect(try read(out) == Array("old".utf8))
        #expect(throws: (any Error).self) { try read(folder.path(".out.ivf.part")) }
    }

    @Test func `A truncated capture is read up to its end, and reported`() throws {
        let clip = try CodedClip()
        let path = try capture("call.pcap", clip.packets.flatMap { $0 })
        let bytes = try read(path)
        let half = folder.path("half.pcap")
        try write(Array(bytes[..<(bytes.count / 2)]), to: half)
        let inspection = try FileInspection(of: half)
        #expect(inspection.damage?.contains("ends too early") == true)
        #expect((inspection.streams.first?.frames ?? 0) > 5)
        #expect(try extract(half).damage == inspection.damage)
    }
}
