public import RillCore
import RillRTP

/// The first half of receiving one stream: packets go in, coded frames come out in decode order, feedback goes back.
///
/// Feed it with ``insert(_:at:)``, then ask ``poll(at:into:output:)`` until it says when to ask again; what it has to say
/// gathers in the output, which is handed out when nobody is inside the receiver any more. One owner, one thread at a time.
public final class StreamReceiver {
    private let settings: StreamReceiverSettings
    private var restorer: PacketRestorer
    var buffer: JitterBuffer
    var reporter: ReceiverReporter
    /// Reports leave by themselves; else a session writes them, for all of its streams.
    private let isReporting: Bool
    /// When the stream last asked to be woken, whatever comes.
    public internal(set) var wakeTime = MediaTime.distantFuture

    /// A frame's parities follow its packets at once: so long a packet is not asked for that one of them may bring.
    private static let parityDelay = MediaDuration.milliseconds(10)

    /// What is to be done now.
    public enum Step {
        /// Decode this frame, whose bytes are in the array; then ask again.
        case decode(ReceivedFrame)
        /// Nothing before that time or the next packet.
        case wait(until: MediaTime)
    }

    /// A receiver of a stream of which nothing has come. Settings outside their ranges are a violated precondition.
    public convenience init(_ settings: StreamReceiverSettings) {
        self.init(settings, isReporting: true)
    }

    /// The same, for a session where `isReporting` is false: see ``next(at:into:note:)``.
    package init(_ settings: StreamReceiverSettings, isReporting: Bool) {
        precondition(
            settings.reportInterval >= .milliseconds(10), "reports are at least 10 ms apart: \(settings.reportInterval)"
        )
        precondition(
            (1...255).contains(settings.canonicalName.utf8.count), "a canonical name has 1 to 255 bytes")
        self.settings = settings
        self.isReporting = isReporting
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
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        switch PacketKind(of: datagram) {
        case .rtp:
            if isReporting { reporter.notePacket(at: now) }
            let result = insertPackets(of: datagram, at: now)
            // Most packets lie somewhere in a frame, and nothing is to be done before its last one.
            wakeTime = min(wakeTime, reporter.nextReportTime, max(now, buffer.nextPoll))
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

    /// Gives the next frame to decode, or says when to ask again; requests and reports that are due go to `output`.
    public func poll(at now: MediaTime, into payload: inout [UInt8], output: ReceiveOutput) -> Step {
        let step = next(at: now, into: &payload) { output.note($0, at: now, for: settings.observer) }
        reporter.send(on: &buffer, at: now, to: output.packets)
        guard case .wait(let time) = step else { return step }
        wakeTime = min(time, reporter.nextReportTime)
        return .wait(until: wakeTime)
    }

    /// The same without a word to the sender: what is to be asked of it waits for whoever writes it.
    package func next(at now: MediaTime, into payload: inout [UInt8], note: (ReceiveEvent) -> Void) -> Step {
        while true {
            switch buffer.poll(at: now, into: &payload) {
            case .frame:
                let frame = buffer.releasedFrame
                note(.released(frame))
                wakeTime = now
                return .decode(frame)
            case .requestPackets:
                let count = buffer.newlyRequestedCount
                if count > 0 { note(.packetsRequested(count: count)) }
                reporter.requestPackets()
            case .requestKeyFrame:
                note(.keyFrameRequested)
                reporter.requestKeyFrame()
            case .wait(let time):
                wakeTime = time
                return .wait(until: time)
            }
        }
    }

    /// Takes note of what became of a frame that was released, in every driver.
    ///
    /// How long decoding takes says how early frames are released (`JitterBuffer.noteDecodeTime`); one that was passed over
    /// took none. Behind one that was not decoded the chain is broken.
    ///
    /// - Parameters:
    ///   - decoded: when the decoder was done with it.
    ///   - now: the time that it is.
    public func finish(
        _ frame: ReceivedFrame, _ outcome: DecodeOutcome, decoded: MediaTime, at now: MediaTime
    ) {
        switch outcome {
        case .decoded, .refused:
            if let released = frame.frame.stamps[.released] { buffer.noteDecodeTime(decoded - released, at: now) }
        case .skipped: break
        }
        switch outcome {
        case .decoded: break
        case .refused, .skipped:
            buffer.decodingFailed(frame.frame)
            wakeTime = min(wakeTime, now)
        }
    }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool { buffer.occupancy.packets == 0 }

    /// What the stream has been through.
    public var statistics: InboundStatistics { buffer.statistics }

    /// What came of retransmissions and FEC packets.
    public var repairStatistics: RepairStatistics { restorer.statistics }

    /// The time to the sender and back.
    public var roundTripStatistics: RoundTripStatistics { reporter.roundTripStatistics }
}
