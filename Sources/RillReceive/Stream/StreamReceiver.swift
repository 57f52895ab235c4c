public import RillCore
import RillRTP
package import RillState

/// The first half of receiving one stream: packets go in, coded frames come out in decode order, feedback goes back.
///
/// Feed it with ``insert(_:at:)``, then ask ``poll(at:into:output:)`` until it says when to ask again; what it has to say
/// gathers in the output, which is handed out when nobody is inside the receiver any more. One owner, one thread at a time.
public final class StreamReceiver {
    /// What a session uses by itself.
    package let cell: StateCell<StreamReceiverCore>
    private let observer: ReceiveOutput.Observer?

    /// What is to be done now.
    public enum Step {
        /// Decode this frame, whose bytes are in the array; then ask again.
        case decode(ReceivedFrame)
        /// Nothing before that time or the next packet.
        case wait(until: MediaTime)
    }

    /// A receiver of a stream of which nothing has come. Settings outside their ranges are a violated precondition.
    public convenience init(_ settings: StreamReceiverSettings) { self.init(settings, isReporting: true) }

    /// The same, for a session where `isReporting` is false: it writes the reports of all of its streams.
    package init(_ settings: StreamReceiverSettings, isReporting: Bool) {
        observer = settings.observer
        cell = StateCell(StreamReceiverCore(settings, isReporting: isReporting))
    }

    /// When the stream last asked to be woken, whatever comes.
    public var wakeTime: MediaTime { cell.state.wakeTime }

    /// Takes a datagram of the stream or of its retransmissions: RTP goes to the jitter buffer, as it is or restored, RTCP
    /// to the reports. `nil`: there was no packet for the buffer in it.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        cell.state.insert(datagram, at: now)
    }

    /// Gives the next frame to decode, or says when to ask again; requests and reports that are due go to `output`.
    public func poll(at now: MediaTime, into payload: inout [UInt8], output: ReceiveOutput) -> Step {
        while true {
            switch cell.state.next(at: now, into: &payload) {
            case .decode:
                let frame = cell.state.releasedFrame
                output.note(.released(frame), at: now, for: observer)
                cell.state.writeFeedback(at: now, to: output.packets)
                return .decode(frame)
            case .requestPackets(let count):
                if count > 0 { output.note(.packetsRequested(count: count), at: now, for: observer) }
            case .requestKeyFrame: output.note(.keyFrameRequested, at: now, for: observer)
            case .wait:
                cell.state.writeFeedback(at: now, to: output.packets)
                return .wait(until: cell.state.wakeTime)
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
        cell.state.finish(frame, outcome, decoded: decoded, at: now)
    }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool { cell.state.isIdle }

    /// What the stream has been through.
    public var statistics: InboundStatistics { cell.state.statistics }

    /// What came of retransmissions and FEC packets.
    public var repairStatistics: RepairStatistics { cell.state.repairStatistics }

    /// The time to the sender and back.
    public var roundTripStatistics: RoundTripStatistics { cell.state.reporter.roundTripStatistics }
}
