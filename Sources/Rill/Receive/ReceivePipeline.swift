import RillCodec
public import RillCore
public import RillReceive

/// The receiving side of one stream: datagrams in, pictures out to a sink, feedback back to the sender.
///
///     let pipeline = try ReceivePipeline(settings, sink: screen, feedback: socket)
///     pipeline.insert(datagram, at: now)
///     let next = try pipeline.poll(at: now)  // call again at `next`, or after the next packet
///
/// It owns no thread and reads no clock; ``LiveReceiver`` runs many of them. One owner, one thread at a time. The sink, the
/// feedback and the observer may call back into it: a packet that is retransmitted at once can be inserted at once.
public final class ReceivePipeline<Feedback: PacketSink> {
    private let receiver: StreamReceiver
    private let decoder: StreamDecoder
    private let feedback: Feedback
    private var payload: [UInt8] = []
    private let output = ReceiveOutput()
    private var isPolling = false

    /// A pipeline that has received nothing.
    ///
    /// - Parameters:
    ///   - sink: gets the pictures, in playout order.
    ///   - feedback: gets RTCP packets for the sender: key-frame requests and receiver reports.
    /// - Throws: ``PipelineError/codec(_:)`` or ``PipelineError/receive(_:)``.
    public init(_ settings: ReceiveSettings, sink: any FrameSink, feedback: Feedback) throws(PipelineError) {
        do throws(ReceiveError) { try settings.stream.validate() } catch { throw .receive(error) }
        self.receiver = StreamReceiver(settings.stream)
        do throws(CodecError) { self.decoder = try StreamDecoder(settings, sink: sink) } catch { throw .codec(error) }
        self.feedback = feedback
    }

    /// Takes a datagram of the stream, RTP or RTCP. `nil`: it was no RTP packet.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        receiver.insert(datagram, at: now)
    }

    /// Decodes and shows what is due, and says when to ask again if no packet comes before. Called by what it calls, it leaves
    /// the work to the call that is under way.
    ///
    /// - Throws: what the sink throws.
    public func poll(at now: MediaTime) throws -> MediaTime {
        guard !isPolling else { return now }
        isPolling = true
        defer { isPolling = false }
        while true {
            switch next(at: now) {
            case .decode(let frame): try finish(frame, decoded: now, at: now)
            case .wait(let time): return time
            }
        }
    }

    /// No packet will follow: the sink writes what is still to be written.
    public func finish() throws {
        try decoder.finish()
    }

    /// What the stream has been through.
    public var statistics: ReceiveStatistics {
        ReceiveStatistics(receiver, decoder)
    }

    // The two halves of `poll`, for a driver in whose time decoding lasts.

    package var wakeTime: MediaTime { receiver.wakeTime }
    package var isIdle: Bool { receiver.isIdle }

    package func next(at now: MediaTime) -> StreamReceiver.Step {
        let step = receiver.poll(at: now, into: &payload, output: output)
        output.handOut(to: feedback)
        return step
    }

    /// Decodes the frame that ``next(at:)`` gave, and shows its picture.
    package func finish(_ frame: ReceivedFrame, decoded: MediaTime, at now: MediaTime) throws {
        let outcome = decoder.decode(frame, payload.span)
        receiver.finish(frame, outcome.ofFrame, decoded: decoded, at: now)
        if case .picture(let picture) = outcome { try decoder.show(picture, decoded: decoded, at: now) }
    }
}
