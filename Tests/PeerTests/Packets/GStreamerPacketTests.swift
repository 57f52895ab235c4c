import RillCongestion
import RillRTP
import RillTestSupport
import Testing

/// What GStreamer and FFmpeg send, read by us as tshark reads it.
///
/// GStreamer 1.22 has no element for abs-send-time, playout delay or video orientation: their bytes are compared with
/// their definitions, in HeaderExtensionValueTests.
@Suite(.enabled(if: Peer.tshark.isInstalled, "tshark is not installed"))
struct GStreamerPacketTests {
    private static let transportNumberID: UInt8 = 5

    /// Two sessions in one pipeline: one sends a second of VP8, the other receives it and says how it went.
    private func pipeline(rtp: UInt16, rtcp: UInt16) -> String {
        let sink = "udpsink host=127.0.0.1 sync=false async=false"
        let kind = HeaderExtensionKind.transportSequenceNumber
        return """
            rtpsession name=a rtcp-min-interval=200000000 rtp-profile=avpf
            rtpsession name=b rtcp-min-interval=200000000 rtp-profile=avpf
            videotestsrc num-buffers=45 is-live=true ! video/x-raw,width=160,height=120,framerate=30/1
            ! vp8enc deadline=1 cpu-used=8 ! rtpvp8pay auto-header-extension=true picture-id-mode=2
            ! application/x-rtp,extmap-\(GStreamerPacketTests.transportNumberID)=(string)\(kind.uri),\
            rtcp-fb-transport-cc=(boolean)true ! a.send_rtp_sink
            a.send_rtp_src ! tee name=t ! queue ! \(sink) port=\(rtp)
            t. ! queue ! b.recv_rtp_sink b.recv_rtp_src ! fakesink sync=false async=false
            a.send_rtcp_src ! tee name=u ! queue ! \(sink) port=\(rtcp)
            u. ! queue ! b.recv_rtcp_sink
            b.send_rtcp_src ! \(sink) port=\(rtcp)
            """
    }

    @Test(.enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"))
    func `GStreamer's packets, extensions and reports`() throws {
        let (rtpSocket, rtcpSocket) = (try LocalSocket(), try LocalSocket())
        let pipeline = pipeline(rtp: rtpSocket.port, rtcp: rtcpSocket.port)
        // A second and a half of video; the end of the stream sometimes gets lost between the two sessions.
        let arguments = ["-q"] + pipeline.split(whereSeparator: \.isWhitespace).map(String.init)
        try Peer.gstreamer.run(arguments, stoppedAfter: 8, asExpected: true)
        let (packets, compounds) = (try rtpSocket.received(), try rtcpSocket.received())
        #expect(packets.count >= 30)
        try expectAgreement(on: packets, .rtp, "GStreamer's RTP")
        try expectAgreement(on: compounds, .rtcp, "GStreamer's RTCP")

        // All packets bear their transport-wide numbers, one after the other, and the feedback tells of all of them.
        let numbers = try packets.map(transportNumber)
        let first = try #require(numbers.first)
        #expect(numbers == numbers.indices.map { first.advanced(by: $0) })
        let counts = try compounds.reduce(into: MessageCounts()) { try $0.note($1) }
        #expect(counts.senderReports > 2 && counts.receiverReports > 2 && counts.names > 4)
        #expect(counts.received.isSubset(of: Set(numbers)) && counts.received.count > numbers.count / 2)
        try expectOutcomes(of: packets, first: first, from: compounds, received: counts.received.count)
    }

    /// Our history takes GStreamer's feedback as if we had sent its packets: each that it lists as received gets one
    /// outcome, and the times are those of a live source.
    private func expectOutcomes(
        of packets: [[UInt8]], first: SequenceNumber, from compounds: [[UInt8]], received: Int
    ) throws {
        var history = SentPacketHistory()
        for _ in 0..<first.rawValue { _ = history.record(.media, byteCount: 1, at: .zero) }
        history.reset()
        for packet in packets { _ = history.record(.media, byteCount: packet.count + 28, at: .zero) }
        var arrivals: [Int64: MediaTime] = [:]
        var outcomeCount = 0
        for datagram in compounds {
            var compound = RTCPCompound(datagram.span)
            while let packet = try compound.next() {
                guard case .transportFeedback(let feedback) = try RTCPMessage(parsing: packet) else { continue }
                history.take(feedback) { packet, outcome in
                    outcomeCount += 1
                    if case .received(let arrival) = outcome { arrivals[packet.number] = arrival }
                }
            }
        }
        let refusals = history.refusals
        #expect(
            arrivals.count == received && outcomeCount >= received,
            "\(arrivals.count) of \(received), \(outcomeCount) outcomes")
        #expect(refusals.neverSent == 0 && refusals.outdated == 0 && refusals.forgotten == 0, "\(refusals)")
        let times = arrivals.sorted { $0.key < $1.key }.map(\.value)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        // 45 frames at 30 a second, unless the machine is slow.
        let span = ((times.last ?? .zero) - (times.first ?? .zero)).seconds
        #expect(span > 0.5 && span < 8, "\(span) s")
    }

    @Test(
        .enabled(if: Peer.gstreamer.isInstalled, "gst-launch-1.0 is not installed"),
        arguments: ["vp8", "vp9"], [0, 1, 2])
    func `GStreamer's payloaders, in each picture-id-mode`(codec: String, mode: Int) throws {
        let packets = try gstreamerPackets(codec, pictureIDMode: mode)
        #expect(packets.count > 60, "\(codec), picture-id-mode \(mode)")
        try expectAgreement(on: packets, .rtp, "GStreamer's \(codec), picture-id-mode \(mode)")
    }

    @Test(.enabled(if: Peer.ffmpeg.isInstalled, "ffmpeg is not installed"))
    func `FFmpeg's packets and reports`() throws {
        let (rtpSocket, rtcpSocket) = (try LocalSocket(), try LocalSocket())
        try Peer.ffmpeg.run(
            "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=30:duration=1", "-c:v", "libvpx",
            "-cpu-used", "8", "-deadline", "realtime", "-f", "rtp", "-cname", "rill@test", "-rtpflags", "+send_bye",
            "rtp://127.0.0.1:\(rtpSocket.port)?rtcpport=\(rtcpSocket.port)")
        let (packets, compounds) = (try rtpSocket.received(), try rtcpSocket.received())
        #expect(packets.count >= 30)
        try expectAgreement(on: packets, .rtp, "FFmpeg's RTP")
        try expectAgreement(on: compounds, .rtcp, "FFmpeg's RTCP")
        let counts = try compounds.reduce(into: MessageCounts()) { try $0.note($1) }
        #expect(counts.senderReports >= 1 && counts.names >= 1 && counts.goodbyes == 1)
    }

    private func transportNumber(of bytes: [UInt8]) throws -> SequenceNumber {
        let packet = try RTPPacket(parsing: bytes.span)
        var map = HeaderExtensionMap()
        try map.set(.transportSequenceNumber, id: GStreamerPacketTests.transportNumberID)
        if var elements = packet.headerExtension?.elements {
            while let element = try elements.next() {
                guard map[element.id] == .transportSequenceNumber else { continue }
                return try TransportSequenceNumber(parsing: element.data).number
            }
        }
        throw TestFailure("packet \(packet.header.sequenceNumber) has no transport-wide number")
    }
}

/// What was in some compounds.
private struct MessageCounts {
    var (senderReports, receiverReports, names, goodbyes) = (0, 0, 0, 0)
    /// Transport-wide numbers of packets that came.
    var received: Set<SequenceNumber> = []

    mutating func note(_ datagram: [UInt8]) throws {
        var compound = RTCPCompound(datagram.span)
        while let packet = try compound.next() {
            switch try RTCPMessage(parsing: packet) {
            case .senderReport: senderReports += 1
            case .receiverReport: receiverReports += 1
            case .sourceDescription(var description):
                while let item = try description.next() { names += item.type == .canonicalName ? 1 : 0 }
            case .goodbye: goodbyes += 1
            case .transportFeedback(let feedback):
                var packets = feedback.packets
                while let packet = packets.next() {
                    if packet.status != .notReceived { received.insert(packet.sequenceNumber) }
                }
            default: break
            }
        }
    }
}
