import RillCore
import RillLab
import RillLink
import RillMediaSupport
import RillRTP
import RillTestSupport
import RillThreads
import RillTransport
import Testing

@testable import Rill

/// A sender whose bitrate follows the feedback of a live receiver: over sockets, and over an emulated network. Run
/// under the thread sanitizer by the test script.
@Suite struct LiveCongestionTests {
    @Test(arguments: StreamDescription.CongestionFeedback.allCases)
    func `A receiver reports the packets of all its streams together`(
        kind: StreamDescription.CongestionFeedback
    ) async throws {
        let call = try SocketCall(kind)
        let isFollowing = try await eventually { call.sentCount > 300 && call.rate > SocketCall.startRate * 2 }
        #expect(isFollowing, "\(call.rate) bit/s after \(call.sentCount) packets")
        try call.sender.stop()
        // Without loss every packet that was sent is reported as received, whatever stream it belongs to.
        let areReported = try await eventually { call.unreported.isEmpty }
        let (unreported, sent) = (call.unreported, call.sentCount)
        #expect(areReported, "\(unreported.count) of \(sent) packets were never reported")
        #expect(call.unreadableCount == 0, "datagrams that are no valid RTP or RTCP")
        #expect(call.streamCount >= 2 && call.reporterCount == 1, "\(call.reporterCount) reporters")
        try call.end()
    }

    @Test func `What waits when the source ends still leaves`() throws {
        // The key frames of both layers take longer at this rate than the source.
        let packets = PacketLog()
        let sender = try SocketCall.sender(.transportWide, start: .kilobits(30), frameCount: 2, to: packets)
        try sender.waitUntilFinished()
        let counts = sender.pipeline.statistics.map(\.stream.packetsSent).reduce(0, +)
        #expect(packets.rtpCount == counts && counts > 3, "\(packets.rtpCount) of \(counts)")
        #expect(packets.unreadableCount == 0)
        #expect(packets.areInOrder && packets.duration > sender.duration, "\(packets.duration)")
        #expect(sender.pipeline.session?.look { $0.pacedPacketCount } == 0)
    }

    @Test func `A loopback in real time follows its network`() throws {
        let layers = [LayerSettings.high(SocketCall.size, bitrate: .kilobits(800)), .low]
        var settings = LoopbackSettings(
            layers: layers, network: try LinkSettings(notation: "rate=2M,queue=300ms,delay=10ms"))
        settings.congestion = SocketCall.congestion(.transportWide)
        settings.measuresQuality = false
        let loopback = try Loopback(settings) { try LoopedPictures(SocketCall.size, frameCount: 90) }
        let highest = Monitor(0)
        let report = try loopback.runLive { _ in
            let rate = loopback.sender.session?.look { $0.statistics.congestion }?.availableOutgoingBitrate ?? 0
            highest.withLock { $0 = max($0, rate) }
        }
        let statistics = try #require(loopback.sender.session?.look { $0.statistics.congestion })
        #expect(report.layers.allSatisfy { $0.received.framesShown > 3 }, "\(report.layers.map(\.received))")
        #expect(statistics.refusedReports == 0 && statistics.packetsWaiting == 0, "\(statistics)")
        #expect(highest.withLock { $0 } > SocketCall.startRate * 3 / 2, "\(statistics)")
    }
}

/// A sender and a receiver, each with a socket of its own.
private final class SocketCall: Sendable {
    static let size = Resolution(width: 320, height: 240)
    static let startRate = 200_000

    let sender: LiveSender
    private let receiver: LiveReceiver
    private let sent: PacketLog
    private let reports = Monitor(Reports())
    private let sockets: [ConnectedUDPSocket]
    private let isOver = Monitor(false)
    private let failures = Monitor<[TransportError]>([])
    private let threads = Monitor<[NamedThread]>([])

    static func congestion(_ kind: StreamDescription.CongestionFeedback) -> CongestionSettings {
        var settings = CongestionSettings(bitrates: .kilobits(30) ... .megabits(2))
        settings.startBitrate = Bitrate(bitsPerSecond: startRate)
        settings.feedback = kind
        return settings
    }

    static func sender(
        _ kind: StreamDescription.CongestionFeedback, start: Bitrate = Bitrate(bitsPerSecond: startRate),
        frameCount: Int, to packets: any PacketSink & Sendable
    ) throws -> LiveSender {
        var settings = SendSettings(layers: [.high(size, bitrate: .kilobits(800)), .low], seed: 1)
        settings.congestion = congestion(kind)
        settings.congestion?.startBitrate = start
        return LiveSender(
            try SendPipeline(settings), source: try LoopedPictures(size, frameCount: frameCount), packets: packets)
    }

    init(_ kind: StreamDescription.CongestionFeedback) throws {
        var settings = UDPSocket.Settings()
        settings.receiveBufferByteCount = 4 << 20
        // Both ports are known before either is connected.
        let ports = try (0..<2).map { _ in try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)).localAddress }
        let near = try ConnectedUDPSocket(to: ports[1], from: ports[0], settings: settings)
        let far = try ConnectedUDPSocket(to: ports[0], from: ports[1], settings: settings)
        sockets = [near, far]
        let sent = PacketLog(near)
        self.sent = sent
        receiver = LiveReceiver(feedback: far)
        sender = try SocketCall.sender(kind, frameCount: 30 * 120, to: sent)
        for (index, description) in sender.pipeline.streams.enumerated() {
            let settings = try ReceiveSettings(description, ssrc: SSRC(UInt32(index + 1)))
            try receiver.add(settings, sink: CountingSink())
        }
        let (sender, receiver, reports) = (sender, receiver, reports)
        read(far) { receiver.insert($0) }
        read(near) { datagram in
            reports.withLock { $0.note(datagram) }
            sender.receive(datagram)
        }
    }

    private func read(_ socket: ConnectedUDPSocket, _ take: @escaping @Sendable (Span<UInt8>) -> Void) {
        let (isOver, failures) = (isOver, failures)
        let thread = NamedThread("reading") {
            var bytes: [UInt8] = []
            while !isOver.withLock({ $0 }) {
                do throws(TransportError) {
                    if try socket.receive(into: &bytes, within: .milliseconds(20)) != nil { take(bytes.span) }
                } catch {
                    failures.withLock { $0.append(error) }
                    return
                }
            }
        }
        threads.withLock { $0.append(thread) }
    }

    /// Ends the call; throws if a socket failed.
    func end() throws {
        try receiver.stop()
        isOver.withLock { $0 = true }
        for thread in threads.withLock({ $0 }) { thread.join() }
        if let failure = failures.withLock(\.first) { throw failure }
    }

    var rate: Int { sender.pipeline.session?.look { $0.statistics.congestion }?.availableOutgoingBitrate ?? 0 }
    var sentCount: Int { sent.rtpCount }
    var streamCount: Int { sent.streamCount }
    var unreadableCount: Int { sent.unreadableCount + reports.withLock { $0.unreadableCount } }
    var reporterCount: Int { reports.withLock { $0.reporters.count } }
    var unreported: Set<PacketName> { sent.names.subtracting(reports.withLock { $0.received }) }
}

/// A packet, by the number that feedback names it with.
private enum PacketName: Hashable {
    case numbered(SequenceNumber)
    case ofStream(SSRC, SequenceNumber)
}

/// What feedback reported.
private struct Reports: ~Copyable {
    var received: Set<PacketName> = []
    var reporters: Set<SSRC> = []
    /// Datagrams that are no valid RTCP: a receiver sends nothing else.
    var unreadableCount = 0

    mutating func note(_ datagram: Span<UInt8>) {
        do throws(RTPError) { try read(datagram) } catch { unreadableCount += 1 }
    }

    private mutating func read(_ datagram: Span<UInt8>) throws(RTPError) {
        var packets = RTCPCompound(datagram)
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

/// The packets that a sender sent.
private final class PacketLog: PacketSink, Sendable {
    private let next: (any PacketSink & Sendable)?
    private let state = Monitor(State())

    private struct State: ~Copyable {
        var names: Set<PacketName> = []
        var newest: [SSRC: SequenceNumber] = [:]
        var rtpCount = 0
        var (first, last) = (MediaTime.distantFuture, MediaTime.zero)
        var areInOrder = true
        var unreadableCount = 0
    }

    init(_ next: (any PacketSink & Sendable)? = nil) { self.next = next }

    func send(_ packet: Span<UInt8>, at time: MediaTime) {
        if PacketKind(of: packet) == .rtp { note(packet, at: time) }
        next?.send(packet, at: time)
    }

    private func note(_ packet: Span<UInt8>, at time: MediaTime) {
        do throws(RTPError) {
            let header = try RTPPacket(parsing: packet).header
            // The last free ID of a session without other extensions.
            let number = TransportSequenceNumber(id: 14, inRTP: packet)?.number
            state.withLock { state in
                state.rtpCount += 1
                (state.first, state.last) = (min(state.first, time), max(state.last, time))
                state.names.insert(number.map { .numbered($0) } ?? .ofStream(header.ssrc, header.sequenceNumber))
                if let newest = state.newest[header.ssrc], !header.sequenceNumber.isNewer(than: newest) {
                    state.areInOrder = false
                }
                state.newest[header.ssrc] = header.sequenceNumber
            }
        } catch {
            state.withLock { $0.unreadableCount += 1 }
        }
    }

    var names: Set<PacketName> { state.withLock { $0.names } }
    var rtpCount: Int { state.withLock { $0.rtpCount } }
    /// From the first packet to the last.
    var duration: MediaDuration { state.withLock { $0.last - $0.first } }
    /// Layers, and their retransmissions.
    var streamCount: Int { state.withLock { $0.newest.count } }
    /// Of ours that are no valid RTP.
    var unreadableCount: Int { state.withLock { $0.unreadableCount } }
    var areInOrder: Bool { state.withLock { $0.areInOrder } }
}
