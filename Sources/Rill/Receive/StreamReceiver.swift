import RillCore
import RillRTP
import RillReceive

/// The first half of receiving one stream: packets go in, coded frames come out in decode order, feedback goes back.
///
/// Feed it with ``insert(_:at:)``, then ask ``poll(at:into:feedback:)`` until it says when to ask again. One owner, one
/// thread at a time.
final class StreamReceiver {
    private let settings: ReceiveSettings
    private var restorer: PacketRestorer
    private var buffer: JitterBuffer
    private var reporter: ReceiverReporter
    /// When the stream last asked to be woken, whatever comes.
    private(set) var wakeTime = MediaTime.distantFuture

    /// A frame's parities follow its packets at once: so long a packet is not asked for that one of them may bring.
    private static let parityDelay = MediaDuration.milliseconds(10)

    /// What is to be done now.
    enum Step {
        /// Decode this frame, whose bytes are in the array; then ask again.
        case decode(ReceivedFrame)
        /// Nothing before that time or the next packet.
        case wait(until: MediaTime)
    }

    /// Settings outside their ranges are the programmer's mistake.
    init(_ settings: ReceiveSettings) {
        precondition(
            settings.reportInterval >= .milliseconds(10), "reports are at least 10 ms apart: \(settings.reportInterval)"
        )
        precondition(
            (1...255).contains(settings.canonicalName.utf8.count), "a canonical name has 1 to 255 bytes")
        precondition(
            (0...20).contains(settings.requestCopies), "\(settings.requestCopies) copies of a request: 0 to 20")
        self.settings = settings
        var jitterBuffer = settings.jitterBuffer
        if settings.repair.fecPayloadType != nil, let delay = jitterBuffer.nack?.firstRequestDelay {
            jitterBuffer.nack?.firstRequestDelay = max(delay, StreamReceiver.parityDelay)
        }
        self.restorer = PacketRestorer(settings.repair, for: settings.jitterBuffer)
        self.buffer = JitterBuffer(jitterBuffer)
        self.reporter = ReceiverReporter(settings)
    }

    /// Takes a datagram of the stream or of its retransmissions: RTP goes to the jitter buffer, as it is or restored, RTCP
    /// to the reports. `nil`: there was no packet for the buffer in it.
    @discardableResult
    func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        switch PacketKind(of: datagram) {
        case .rtp:
            reporter.notePacket(at: now)
            let result = insertPackets(of: datagram, at: now)
            // Most packets lie somewhere in a frame, and nothing is to be done before its last one.
            wakeTime = min(wakeTime, reporter.wakeTime, max(now, buffer.nextPoll))
            return result
        case .rtcp:
            reporter.receive(datagram, for: &buffer, at: now)
            wakeTime = min(wakeTime, now)
            return nil
        case .other:
            return nil
        }
    }

    private func insertPackets(of datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        var result: InsertResult?
        restorer.insert(datagram) { packet in
            switch packet {
            case .media(let bytes, let origin):
                let outcome = buffer.insert(bytes, origin: origin, at: now)
                // What it helped to restore speaks for other packets.
                if origin != .parity { result = outcome }
            case .withoutMedia(let header):
                _ = buffer.notePacketWithoutMedia(header, at: now)  // counted there
            }
        }
        return result
    }

    /// Gives the next frame to decode, or says when to ask again; requests and reports that are due go to `feedback`.
    func poll(
        at now: MediaTime, into payload: inout [UInt8], feedback: some PacketSink
    ) -> Step {
        while true {
            switch buffer.poll(at: now, into: &payload) {
            case .frame:
                let frame = buffer.releasedFrame
                settings.observer?(.released(frame), now)
                reporter.send(on: &buffer, at: now, to: feedback)
                wakeTime = now
                return .decode(frame)
            case .requestPackets:
                settings.observer?(.packetsRequested(count: buffer.requestedPackets.count), now)
                reporter.requestPackets()
            case .requestKeyFrame:
                settings.observer?(.keyFrameRequested, now)
                reporter.requestKeyFrame()
            case .wait(let time):
                reporter.send(on: &buffer, at: now, to: feedback)
                wakeTime = min(time, reporter.wakeTime)
                return .wait(until: wakeTime)
            }
        }
    }

    /// The decoder refused a frame: from there on the chain is broken.
    func decodingFailed(_ frame: ReceivedFrame, at now: MediaTime) {
        buffer.decodingFailed(frame.frame)
        wakeTime = min(wakeTime, now)
    }

    /// A frame took `duration` from its release to its picture.
    func noteDecodeTime(_ duration: MediaDuration, at now: MediaTime) {
        buffer.noteDecodeTime(duration, at: now)
    }

    /// Whether nothing is held that could still be shown.
    var isIdle: Bool { buffer.occupancy.packets == 0 }

    var statistics: InboundStatistics { buffer.statistics }

    var repairStatistics: RepairStatistics { restorer.statistics }

    var roundTripStatistics: RoundTripStatistics { reporter.roundTripStatistics }
}
