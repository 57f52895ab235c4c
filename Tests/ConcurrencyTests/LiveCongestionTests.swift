import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillRTP
import RillTestSupport
import RillTransport
import Testing

@testable import Rill

/// A call whose bitrate follows the feedback of its peer: over sockets, and over an emulated network. Run under the
/// thread sanitizer by the test script.
@Suite struct LiveCongestionTests {
    private static let size = Resolution(width: 320, height: 240)
    private static let startRate = 200_000
    private static let layers = [LayerSettings.high(size, bitrate: .kilobits(800)), .low]

    private static func congestion(_ kind: StreamDescription.CongestionFeedback) -> CongestionSettings {
        var settings = CongestionSettings(bitrates: .kilobits(30) ... .megabits(2))
        settings.startBitrate = Bitrate(bitsPerSecond: startRate)
        settings.feedback = kind
        return settings
    }

    @Test(arguments: StreamDescription.CongestionFeedback.allCases)
    func `A peer reports the packets of all streams together`(
        kind: StreamDescription.CongestionFeedback
    ) async throws {
        var settings = VideoCallSettings(layers: Self.layers)
        settings.send.congestion = Self.congestion(kind)
        let transports = try (1...2).map { seed in
            LossyTransport(
                try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)), loss: 0, seed: UInt64(seed), keepsPassages: true
            )
        }
        let sending = try VideoCall(settings, source: try LoopedPictures(Self.size, frameCount: 30 * 120))
        let receiving = try VideoCall(settings, source: nil)
        let us = try sending.connect(to: transports[1].localAddress, over: transports[0], key: nil)
        try receiving.add(ParticipantSettings(at: transports[0].localAddress, key: nil), over: transports[1]) { them in
            for layer in them.layers { try them.show(layer, on: CountingSink()) }
        }
        var rate: Int { us.statistics.session.congestion?.availableOutgoingBitrate ?? 0 }
        let isFollowing = try await eventually {
            us.statistics.session.transport.packetsSent > 300 && rate > Self.startRate * 2
        }
        #expect(isFollowing, "\(us.statistics.session)")
        sending.setMuted(true)
        // Without loss every packet that was sent is reported as received, whatever stream it belongs to.
        func packets() -> PacketLog { PacketLog(transports[0].passages, settings.send) }
        let areReported = try await eventually { packets().unreported.isEmpty }
        let log = packets()
        #expect(areReported, "\(log.unreported.count) of \(log.sent.count) packets were never reported")
        #expect(log.unreadableCount == 0, "datagrams that are no valid RTP or RTCP")
        #expect(log.sources.count >= 2 && log.reporters.count == 1, "\(log.reporters) report")
        await sending.end()
        await receiving.end()
    }

    @Test func `A loopback in real time loses nothing at its end`() throws {
        var settings = LoopbackSettings(layers: Self.layers)
        settings.congestion = Self.congestion(.transportWide)
        settings.measuresQuality = false
        let report = try Loopback(settings) { try LoopedPictures(Self.size, frameCount: 15) }.runLive()
        let encoded = report.layers.map(\.sent.framesEncoded)
        #expect(report.layers.map(\.received.framesReceived) == encoded && encoded.allSatisfy { $0 > 0 }, "\(encoded)")
    }

    @Test func `A loopback in real time follows its network`() throws {
        var settings = LoopbackSettings(
            layers: Self.layers, network: try LinkSettings(notation: "rate=2M,queue=300ms,delay=10ms"))
        settings.congestion = Self.congestion(.transportWide)
        settings.measuresQuality = false
        settings.isRecorded = true
        // Three seconds of pictures, and more until the rate has risen: on a busy machine it does later.
        let (highest, goal) = (Monitor(0), Self.startRate * 3 / 2)
        let loopback = try Loopback(settings) {
            try EndingPictures(Self.size, frameCounts: 90...(30 * 60)) { highest.withLock { $0 > goal } }
        }
        let report = try loopback.runLive { _ in
            let rate = loopback.networkTimeline.last?.availableOutgoingBitrate ?? 0
            highest.withLock { $0 = max($0, rate) }
        }
        #expect(report.layers.allSatisfy { $0.received.framesShown > 3 }, "\(report.layers.map(\.received))")
        #expect(highest.withLock { $0 } > goal, "\(loopback.networkTimeline)")
    }
}

/// What passed the sending end of a call.
private struct PacketLog {
    /// Packets, by the numbers that feedback names them with.
    private(set) var sent: Set<PacketName> = []
    private(set) var received: Set<PacketName> = []
    private(set) var sources: Set<SSRC> = []
    private(set) var reporters: Set<SSRC> = []
    private(set) var unreadableCount = 0
    var unreported: Set<PacketName> { sent.subtracting(received) }

    /// A packet, by the number that feedback names it with.
    enum PacketName: Hashable {
        case numbered(SequenceNumber)
        case ofStream(SSRC, SequenceNumber)
    }

    init(_ passages: [LossyTransport.Passage], _ settings: SendSettings) {
        var settings = settings
        settings.addTransportNumbers()
        let id = settings.headerExtensions[.transportSequenceNumber]
        for passage in passages {
            do throws(RTPError) {
                if PacketKind(of: passage.bytes.span) == .rtcp {
                    if passage.isIncoming { try note(feedback: passage.bytes.span) }
                } else if !passage.isIncoming {
                    try note(packet: passage.bytes.span, id)
                }
            } catch {
                unreadableCount += 1
            }
        }
    }

    private mutating func note(packet: Span<UInt8>, _ id: UInt8?) throws(RTPError) {
        let header = try RTPPacket(parsing: packet).header
        let number = id.flatMap { TransportSequenceNumber(id: $0, inRTP: packet)?.number }
        sources.insert(header.ssrc)
        sent.insert(number.map { .numbered($0) } ?? .ofStream(header.ssrc, header.sequenceNumber))
    }

    private mutating func note(feedback: Span<UInt8>) throws(RTPError) {
        var packets = RTCPCompound(feedback)
        while let packet = try packets.next() {
            switch try RTCPMessage(parsing: packet) {
            case .transportFeedback(let feedback):
                reporters.insert(feedback.sender)
                var packets = feedback.packets
                while let packet = packets.next() {
                    if packet.arrival != nil { received.insert(.numbered(packet.sequenceNumber)) }
                }
            case .congestionControlFeedback(let feedback):
                reporters.insert(feedback.sender)
                var streams = feedback.reports
                while let stream = streams.next() {
                    for index in stream.packets.indices {
                        guard case .received = stream.packets[index] else { continue }
                        received.insert(.ofStream(stream.ssrc, stream.number(at: index)))
                    }
                }
            default: break
            }
        }
    }
}
