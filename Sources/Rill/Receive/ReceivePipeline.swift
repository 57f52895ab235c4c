public import RillCodec
public import RillCore
public import RillReceive

/// The receiving side of one stream: datagrams in, pictures out to a sink, feedback back to the sender.
///
///     let pipeline = try ReceivePipeline(settings, sink: screen, feedback: socket)
///     pipeline.insert(datagram, at: now)
///     let next = try pipeline.poll(at: now)  // call again at `next`, or after the next packet
///
/// It owns no thread and reads no clock; ``LiveReceiver`` runs many of them. One owner, one thread at a time.
public final class ReceivePipeline<Feedback: PacketSink> {
    private let receiver: StreamReceiver
    private let decoder: StreamDecoder
    private let feedback: Feedback
    private var payload: [UInt8] = []

    /// A pipeline that has received nothing.
    ///
    /// - Parameters:
    ///   - sink: gets the pictures, in playout order.
    ///   - feedback: gets RTCP packets for the sender: key-frame requests and receiver reports.
    public init(_ settings: ReceiveSettings, sink: any FrameSink, feedback: Feedback) throws(CodecError) {
        self.receiver = StreamReceiver(settings)
        self.decoder = try StreamDecoder(settings, sink: sink)
        self.feedback = feedback
    }

    /// Takes a datagram of the stream, RTP or RTCP. `nil`: it was no RTP packet.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        receiver.insert(datagram, at: now)
    }

    /// Decodes and shows what is due, and says when to ask again if no packet comes before.
    ///
    /// - Throws: what the sink throws.
    public func poll(at now: MediaTime) throws -> MediaTime {
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

    var wakeTime: MediaTime { receiver.wakeTime }
    var isIdle: Bool { receiver.isIdle }

    func next(at now: MediaTime) -> StreamReceiver.Step {
        receiver.poll(at: now, into: &payload, feedback: feedback)
    }

    /// Decodes the frame that ``next(at:)`` gave, and shows its picture.
    func finish(_ frame: ReceivedFrame, decoded: MediaTime, at now: MediaTime) throws {
        if let released = frame.frame.stamps[.released] { receiver.noteDecodeTime(decoded - released, at: now) }
        switch decoder.decode(frame, payload.span) {
        case .picture(let picture): try decoder.show(picture, decoded: decoded, at: now)
        case .decodedOnly: break
        case .refused, .skipped: receiver.decodingFailed(frame, at: now)
        }
    }
}
