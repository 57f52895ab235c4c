public import RillCore
import RillRTP

/// The first half of receiving one stream: packets go in, encoded frames come out in decode order, and feedback goes
/// back.
///
/// Call ``insert(_:at:)`` for each packet, then ``poll(at:into:output:)`` until it returns `wait`. Feedback and
/// events collect in the output; deliver it outside the receiver. It has one owner; use it from one thread at a time.
public final class StreamReceiver {
    /// The state, which a session uses directly.
    package let cell: StateCell<StreamReceiverCore>
    private let observer: ReceiveOutput.Observer?

    /// What to do next.
    public enum Step {
        /// Decode this frame, whose bytes are in the array; then poll again.
        case decode(ReceivedFrame)
        /// Do nothing until that time or the next packet.
        case wait(until: MediaTime)
    }

    /// Creates a receiver of one stream. Settings outside their ranges trap.
    public convenience init(_ settings: StreamReceiverSettings) { self.init(settings, isReporting: true) }

    /// Creates a receiver for a session that writes the reports of all its streams itself, if `isReporting` is
    /// `false`.
    package init(_ settings: StreamReceiverSettings, isReporting: Bool) {
        observer = settings.observer
        cell = StateCell(StreamReceiverCore(settings, isReporting: isReporting))
    }

    /// When the stream last asked to be polled.
    public var wakeTime: MediaTime { cell.state.wakeTime }

    /// Inserts a datagram of the stream or of its retransmissions: RTP goes to the jitter buffer, unchanged or
    /// restored, RTCP to the reports. `nil`: it contained no packet for the buffer.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        cell.state.insert(datagram, at: now)
    }

    /// Returns the next frame to decode, or when to poll again. Requests and reports that are due go to `output`.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - payload: receives the frame's bytes.
    ///   - output: receives feedback and events.
    /// - Returns: what to do next.
    public func poll(at now: MediaTime, into payload: inout [UInt8], output: ReceiveOutput) -> Step {
        var bound = PollBound()
        while bound.take() {
            switch cell.state.next(at: now, into: &payload) {
            case .decode:
                let frame = cell.state.releasedFrame
                output.note(.released(frame), at: now, for: observer)
                cell.state.writeFeedback(at: now, to: output.packets)
                return .decode(frame)
            case .requestPackets(let count):
                if count > 0 { output.note(.packetsRequested(count: count), at: now, for: observer) }
            case .requestKeyFrame: output.note(.keyFrameRequested, at: now, for: observer)
            case .wait, .failed:
                cell.state.writeFeedback(at: now, to: output.packets)
                return .wait(until: cell.state.wakeTime)
            }
        }
        return .wait(until: PollBound.wait(until: cell.state.wakeTime, after: now))
    }

    /// Reports the outcome of a released frame. Every driver must call it.
    ///
    /// The decode time determines how early frames are released (`JitterBuffer.noteDecodeTime`); a skipped frame took
    /// none. After a frame that was not decoded the reference chain is broken.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - outcome: the outcome.
    ///   - decoded: when the decoder finished it.
    ///   - now: the current time.
    public func finish(
        _ frame: ReceivedFrame, _ outcome: DecodeOutcome, decoded: MediaTime, at now: MediaTime
    ) {
        cell.state.finish(frame, outcome, decoded: decoded, at: now)
    }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool { cell.state.isIdle }

    /// The stream's statistics.
    public var statistics: InboundStatistics { cell.state.statistics }

    /// The statistics of retransmissions and FEC packets.
    public var repairStatistics: RepairStatistics { cell.state.repairStatistics }

    /// The round-trip time to the sender.
    public var roundTripStatistics: RoundTripStatistics { cell.state.reporter.roundTripStatistics }
}
