import RillCodec
public import RillCore
public import RillReceive
package import RillSession

/// The receiving side of a call: datagrams in, pictures out to a sink, feedback back to the sender.
///
///     let pipeline = try ReceivePipeline(settings, sink: screen, feedback: socket)
///     pipeline.insert(datagram, at: now)
///     let next = try pipeline.poll(at: now)  // call again at `next`, or after the next packet
///
/// It owns no thread and reads no clock; ``LiveReceiver`` receives many streams on threads. One owner, one thread at a time. The
/// sink, the feedback and the observer may call back into it: a packet that is retransmitted at once can be inserted at once.
public final class ReceivePipeline<Feedback: PacketSink> {
    private let session: SharedSession
    private let feedback: Feedback
    private var streams: [ReceivingStreamID: Stream] = [:]
    private var payload: [UInt8] = []
    private var isPolling = false

    /// A stream on its way to its sink.
    private final class Stream {
        let decoder: StreamDecoder
        let observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?
        /// The bytes of the frame in work.
        var payload: [UInt8] = []

        init(_ decoder: StreamDecoder, _ observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?) {
            self.decoder = decoder
            self.observer = observer
        }
    }

    /// What is to be done now.
    package typealias Step = SharedSession.Step

    /// A pipeline of one stream, of which nothing has been received.
    ///
    /// - Parameters:
    ///   - sink: gets the pictures, in playout order.
    ///   - feedback: gets RTCP packets for the sender: key-frame requests and receiver reports.
    /// - Throws: ``PipelineError/codec(_:)`` or ``PipelineError/receive(_:)``.
    public convenience init(
        _ settings: ReceiveSettings, sink: any FrameSink, feedback: Feedback
    ) throws(PipelineError) {
        self.init(on: SharedSession(RTPSessionSettings(receiving: settings.stream)), feedback: feedback)
        _ = try add(settings, sink: sink, at: .zero)
    }

    /// A pipeline without streams, in a call that may have other parts too.
    package init(on session: SharedSession, feedback: Feedback) {
        self.session = session
        self.feedback = feedback
    }

    /// Adds a stream. Of its settings, what concerns RTCP is the session's.
    package func add(
        _ settings: ReceiveSettings, sink: any FrameSink, at now: MediaTime
    ) throws(PipelineError) -> ReceivingStreamID {
        let decoder: StreamDecoder
        do throws(CodecError) { decoder = try StreamDecoder(settings, sink: sink) } catch { throw .codec(error) }
        let id: ReceivingStreamID
        do throws(SessionError) {
            id = try session.look { (session) throws(SessionError) in try session.receive(settings.stream, at: now) }
        } catch {
            throw PipelineError(error)
        }
        streams[id] = Stream(decoder, settings.stream.observer)
        return id
    }

    /// Takes a datagram, RTP or RTCP. `nil`: it was no RTP packet of a stream.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        guard case .media(_, let result) = session.look({ $0.insert(datagram, at: now) }) else { return nil }
        return result
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
            case .decode(let frame, let stream): try finish(frame, of: stream, decoded: now, at: now)
            case .wait(let time): return time
            }
        }
    }

    /// No packet will follow: the sinks write what is still to be written.
    public func finish() throws {
        for stream in streams.values { try stream.decoder.finish() }
    }

    /// The other side sends nothing for a while, or sends again, as signalling says: holds for all streams. Of a muted stream nothing
    /// is asked for, and that no picture comes is no freeze. Where its RTCP says so (PAUSED, RFC 7728 §8.2) this is not needed.
    public func setMuted(_ isMuted: Bool) {
        for (id, stream) in streams {
            session.look { $0.setMuted(isMuted, of: id) }
            stream.decoder.interrupt()
        }
    }

    /// What the stream has been through; of several, the first that was added.
    public var statistics: ReceiveStatistics {
        guard let first = streams.keys.min(by: { $0.number < $1.number }), let statistics = statistics(of: first) else {
            preconditionFailure("a pipeline without streams")
        }
        return statistics
    }

    /// What one stream has been through; `nil` for one that is not there.
    package func statistics(of id: ReceivingStreamID) -> ReceiveStatistics? {
        guard let stream = streams[id] else { return nil }
        return session.look { ReceiveStatistics($0, id, stream.decoder) }
    }

    // The two halves of `poll`, for a driver in whose time decoding lasts.

    package var wakeTime: MediaTime { session.look { $0.nextPoll } }
    package var isIdle: Bool { session.look { $0.isIdle } }

    /// Says what is to be said, and gives the next frame to decode. A stream gives no other before it was finished.
    package func next(at now: MediaTime) -> Step {
        let step = session.poll(at: now, into: &payload, sendingTo: feedback) { event in
            switch event {
            case .packetsRequested(let id, let count): streams[id]?.observer?(.packetsRequested(count: count), now)
            case .keyFrameRequested(let id): streams[id]?.observer?(.keyFrameRequested, now)
            case .muted(let id), .unmuted(let id): streams[id]?.decoder.interrupt()
            default: break
            }
        }
        if case .decode(let frame, let id) = step, let stream = streams[id] {
            swap(&stream.payload, &payload)
            stream.observer?(.released(frame), now)
        }
        return step
    }

    /// Decodes a frame that ``next(at:)`` gave, and shows its picture.
    package func finish(
        _ frame: ReceivedFrame, of id: ReceivingStreamID, decoded: MediaTime, at now: MediaTime
    ) throws {
        guard let stream = streams[id] else { return }
        let outcome = stream.decoder.decode(frame, stream.payload.span)
        session.look {
            $0.finish(frame, of: id, outcome.ofFrame, picture: outcome.resolution, decoded: decoded, at: now)
        }
        if case .picture(let picture) = outcome { try stream.decoder.show(picture, decoded: decoded, at: now) }
    }
}

extension RTPSessionSettings {
    /// A session that only receives one stream, and says of itself what the stream's settings do.
    package init(receiving stream: StreamReceiverSettings) {
        self.init(canonicalName: stream.canonicalName, seed: UInt64(stream.ssrc.rawValue))
        ssrc = stream.ssrc
        reportInterval = stream.reportInterval
        announcesItself = false
    }
}
