import RillCodec
public import RillCore
public import RillReceive
package import RillSession

/// The receiving side of a call: datagrams in, pictures out to a sink, feedback back to the sender.
///
/// ```swift
/// let pipeline = try ReceivePipeline(settings, sink: screen, feedback: socket)
/// pipeline.insert(datagram, at: now)
/// let next = try pipeline.poll(at: now)  // call again at `next`, or after the next packet
/// ```
///
/// It owns no thread and reads no clock; a ``VideoCall`` receives many streams on threads. It has one owner; use it
/// from one thread at a time. The sink, the feedback sink and the observer may call back into it, for example to
/// insert a packet that is retransmitted at once.
public final class ReceivePipeline<Feedback: PacketSink> {
    private let session: SharedSession
    private let feedback: Feedback
    private var streams: [ReceivingStreamID: Stream] = [:]
    private var payload: [UInt8] = []
    private var isPolling = false
    /// Why the session has ended, by an error of ours, until it is thrown.
    private var failure: PipelineError?

    /// A stream and its decoder.
    private final class Stream {
        let decoder: StreamDecoder
        let observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?
        /// The bytes of the current frame.
        var payload: [UInt8] = []

        init(_ decoder: StreamDecoder, _ observer: (@Sendable (ReceiveEvent, MediaTime) -> Void)?) {
            self.decoder = decoder
            self.observer = observer
        }
    }

    /// What to do next.
    package typealias Step = SharedSession.Step

    /// Creates a pipeline of one stream.
    ///
    /// - Parameters:
    ///   - settings: how the stream is received and decoded.
    ///   - sink: receives the pictures, in playout order.
    ///   - feedback: receives RTCP packets for the sender: receiver reports, NACKs and key frame requests.
    /// - Throws: ``PipelineError/codec(_:)`` or ``PipelineError/receive(_:)``.
    public convenience init(
        _ settings: ReceiveSettings, sink: any FrameSink, feedback: Feedback
    ) throws(PipelineError) {
        self.init(on: SharedSession(RTPSessionSettings(receiving: settings.stream)), feedback: feedback)
        _ = try add(settings, sink: sink, at: .zero)
    }

    /// Creates a pipeline without streams, on a session that others may share.
    package init(on session: SharedSession, feedback: Feedback) {
        self.session = session
        self.feedback = feedback
    }

    /// Adds a stream. The session ignores the RTCP part of its settings.
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

    /// Inserts a datagram, RTP or RTCP. `nil`: it was not an RTP packet of a stream.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        insert(datagram, at: now, arrival: now)
    }

    /// Inserts a datagram that arrived at another time, not after `now`.
    @discardableResult
    package func insert(_ datagram: Span<UInt8>, at now: MediaTime, arrival: MediaTime) -> InsertResult? {
        let result = session.look { $0.insert(datagram, at: now, arrival: arrival) }
        guard case .media(_, let result) = result else { return nil }
        return result
    }

    /// Decodes and shows what is due. If it is called from within itself, it leaves the work to the outer call.
    ///
    /// - Parameter now: the current time.
    /// - Returns: when to call again if no packet arrives before.
    /// - Throws: what the sink throws; ``PipelineError/session(_:)`` if the session has ended by an error of Rill's.
    public func poll(at now: MediaTime) throws -> MediaTime {
        guard !isPolling else { return now }
        isPolling = true
        defer { isPolling = false }
        while true {
            switch next(at: now) {
            case .decode(let frame, let stream): try finish(frame, of: stream, decoded: now, at: now)
            case .wait(let time):
                if let failure {
                    self.failure = nil
                    throw failure
                }
                return time
            }
        }
    }

    /// Ends the streams: no packet follows, and the sinks write what is still pending.
    public func finish() throws {
        for stream in streams.values { try stream.decoder.finish() }
    }

    /// Sets whether the sender has paused all streams, as signaling reports it.
    ///
    /// Nothing is requested on a muted stream, and missing pictures are not a freeze. If the sender's RTCP reports it
    /// (PAUSED, RFC 7728 §8.2), this call is not needed.
    public func setMuted(_ isMuted: Bool) {
        for (id, stream) in streams {
            session.look { $0.setMuted(isMuted, of: id) }
            stream.decoder.interrupt()
        }
    }

    /// The stream's statistics; of several streams, those of the first that was added.
    public var statistics: ReceiveStatistics {
        guard let first = streams.keys.min(by: { $0.number < $1.number }), let statistics = statistics(of: first) else {
            preconditionFailure("a pipeline without streams")
        }
        return statistics
    }

    /// Returns one stream's statistics; `nil` for an unknown stream.
    package func statistics(of id: ReceivingStreamID) -> ReceiveStatistics? {
        guard let stream = streams[id] else { return nil }
        return session.look { ReceiveStatistics($0, id, stream.decoder) }
    }

    // The two halves of `poll`, for a driver in whose time decoding takes time.

    package var wakeTime: MediaTime { session.look { $0.nextPoll } }
    package var isIdle: Bool { session.look { $0.isIdle } }

    /// Sends pending output, and returns the next frame to decode. A stream returns no other frame before that one is
    /// finished.
    package func next(at now: MediaTime) -> Step {
        let step = session.poll(at: now, into: &payload, delivering: { $0.deliver(to: feedback) }) { event in
            switch event {
            case .packetsRequested(let id, let count): streams[id]?.observer?(.packetsRequested(count: count), now)
            case .keyFrameRequested(let id): streams[id]?.observer?(.keyFrameRequested, now)
            case .muted(let id), .unmuted(let id): streams[id]?.decoder.interrupt()
            case .failed(let error): failure = PipelineError(error)
            default: break
            }
        }
        if case .decode(let frame, let id) = step, let stream = streams[id] {
            swap(&stream.payload, &payload)
            stream.observer?(.released(frame), now)
        }
        return step
    }

    /// Decodes a frame from ``next(at:)``, and shows its picture.
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
    /// Creates settings for a session that only receives one stream, with that stream's RTCP settings.
    package init(receiving stream: StreamReceiverSettings) {
        self.init(canonicalName: stream.canonicalName, seed: UInt64(stream.ssrc.rawValue))
        ssrc = stream.ssrc
        reportInterval = stream.reportInterval
        announcesItself = false
    }
}
