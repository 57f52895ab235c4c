public import RillCodec
public import RillCore
public import RillRTP
import RillReceive

/// Receives any number of streams live: packets come in on any thread, and a small fixed set of threads decodes them.
///
///     let receiver = LiveReceiver(feedback: socket)
///     try receiver.add(ReceiveSettings(…), sink: screen)
///     …
///     receiver.insert(datagram)
///
/// Each stream has a jitter buffer and a decoder of its own. A decoding thread serves the streams that were given to it,
/// and sleeps until the next frame of any of them is due. A datagram finds its stream by its SSRC, or by that of its
/// retransmissions.
///
/// Threads: `rill-decode-0` and so on. A stream's sink is called on its decoding thread. They ask the system for long turns,
/// so that what a call sends does not wait for what it receives.
public final class LiveReceiver: Sendable {
    /// The clock that packets and frames are stamped with.
    public let clock: LiveClock
    private let feedback: any PacketSink & Sendable
    private let groups: [Monitor<StreamGroup>]
    private let threads: [NamedThread]
    private let routes = Monitor([SSRC: Route]())

    private struct Route: Sendable, Equatable {
        var group: Int
        var index: Int
    }

    /// A receiver without streams.
    ///
    /// - Parameters:
    ///   - feedback: gets RTCP packets for the senders, from the decoding threads.
    ///   - threadCount: decoding threads, at least 1. One decodes a 720p stream and a dozen thumbnails with ease.
    ///   - clock: the session's clock, if it has one already.
    ///   - placement: where its threads run, beside a sender with the same placement.
    public init(
        feedback: any PacketSink & Sendable, threadCount: Int = 1, clock: LiveClock = LiveClock(),
        placement: ThreadPlacement = .system
    ) {
        precondition(threadCount > 0, "a receiver has at least one decoding thread")
        let groups = (0..<threadCount).map { _ in Monitor(StreamGroup()) }
        self.clock = clock
        self.feedback = feedback
        self.groups = groups
        self.threads = groups.indices.map { index in
            NamedThread("rill-decode-\(index)", turn: .long, on: placement.part(isLargestEncoder: false)) {
                decode(groups[index], clock: clock, feedback: feedback)
            }
        }
    }

    /// Adds a stream, whose SSRC must be known. One that is there already is the programmer's mistake.
    ///
    /// - Parameter sink: gets the pictures; it belongs to the decoding thread from now on.
    public func add(_ settings: ReceiveSettings, sink: sending any FrameSink) throws(CodecError) {
        precondition(settings.jitterBuffer.ssrc != nil, "a stream among others is told apart by its SSRC")
        let decoder = try StreamDecoder(settings, sink: sink)
        routes.withLock { routes in
            for ssrc in settings.sources { precondition(routes[ssrc] == nil, "the stream \(ssrc) is there already") }
            // The thread with the fewest sources to serve.
            let loads = groups.indices.map { group in routes.values.count { $0.group == group } }
            let group = loads.firstIndex(of: loads.min() ?? 0) ?? 0
            let index = groups[group].change { $0.add(StreamGroup.Stream(StreamReceiver(settings), decoder)) }
            for ssrc in settings.sources { routes[ssrc] = Route(group: group, index: index) }
        }
    }

    /// Removes a stream and finishes its sink, which is called no more when this returns. It waits for a picture that is
    /// being decoded or shown, so the stream's own sink must not call it.
    ///
    /// - Returns: what the stream has been through; `nil` for a stream that is not there.
    /// - Throws: what the sink throws, or has thrown.
    @discardableResult
    public func remove(_ ssrc: SSRC) throws -> ReceiveStatistics? {
        let route = routes.withLock { routes -> Route? in
            guard let route = routes[ssrc] else { return nil }
            routes = routes.filter { $0.value != route }
            return route
        }
        guard let route else { return nil }
        let stream = groups[route.group].wait { $0.remove(at: route.index) }
        do { try stream.decoder?.finish() } catch { throw stream.failure ?? error }
        if let failure = stream.failure { throw failure }
        return stream.currentStatistics
    }

    /// Adds a stream whose pictures an app awaits: `for await picture in try receiver.pictures(settings) { … }`.
    ///
    /// Of pictures that nobody has taken yet only the newest is kept. The sequence ends with ``stop()``.
    public func pictures(_ settings: ReceiveSettings) throws(CodecError) -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        try add(settings, sink: AwaitedPictures(continuation))
        return stream
    }

    /// Takes a datagram, RTP or RTCP, on any thread. `false`: it belongs to none of the streams.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>) -> Bool {
        guard let ssrc = SSRC(ofSenderOf: datagram), let route = routes.withLock({ $0[ssrc] }) else { return false }
        let now = clock.now
        // The thread sleeps for all of its streams: it is woken if that is too long now.
        groups[route.group].changeWaking { $0.insert(datagram, for: route.index, at: now) < $0.deadline }
        return true
    }

    /// What the stream has been through; `nil` for a stream that is not there.
    public func statistics(of ssrc: SSRC) -> ReceiveStatistics? {
        guard let route = routes.withLock({ $0[ssrc] }) else { return nil }
        return groups[route.group].withLock { $0.statistics(at: route.index) }
    }

    /// Whether no stream holds anything that could still be shown.
    public var isIdle: Bool {
        groups.allSatisfy { group in group.withLock { $0.isIdle } }
    }

    /// Stops decoding, waits for the threads and finishes the sinks.
    ///
    /// - Throws: the first error that a sink has thrown; its stream was not shown any further.
    public func stop() throws {
        for group in groups { group.change { $0.isStopping = true } }
        for thread in threads { thread.join() }
        // Every sink is finished, whatever happened to the others; the first error is the one that is told.
        let failures = groups.flatMap { group in group.withLock { $0.finish() } }
        if let failure = failures.first { throw failure }
    }

    deinit {
        // No thread outlives a receiver that nobody stopped.
        for group in groups { group.change { $0.isStopping = true } }
    }
}

/// The streams of one decoding thread.
private struct StreamGroup: ~Copyable {
    /// A stream that was removed leaves its place to the next.
    private var streams: [Stream?] = []
    /// When each of them wants to be asked. Side by side, because all are looked at whenever the thread wakes: of a
    /// thousand streams few are due then, and the others are not touched.
    private var wakeTimes: [MediaTime] = []
    /// The stream that is asked first: the one behind that which was served last, so that none starves.
    private var first = 0
    var isStopping = false
    /// What the decoding thread sleeps until, when it sleeps.
    private(set) var deadline = MediaTime.distantFuture

    struct Stream {
        let receiver: StreamReceiver
        /// `nil` while the decoding thread works with it.
        var decoder: StreamDecoder?
        /// As of the last frame that was decoded.
        private var statistics: ReceiveStatistics
        var failure: (any Error)?

        init(_ receiver: StreamReceiver, _ decoder: StreamDecoder) {
            self.receiver = receiver
            self.decoder = decoder
            self.statistics = ReceiveStatistics(receiver, decoder)
        }

        /// A stream whose sink has failed has nothing to do any more.
        var wakeTime: MediaTime { failure == nil ? receiver.wakeTime : .distantFuture }

        /// As of now: packets count even when no frame comes of them.
        var currentStatistics: ReceiveStatistics {
            var current = statistics
            current.stream = receiver.statistics
            current.repair = receiver.repairStatistics
            current.roundTrip = receiver.roundTripStatistics
            return current
        }

        mutating func giveBack(_ decoder: StreamDecoder, failure: (any Error)?) {
            self.decoder = decoder
            self.failure = failure
            self.statistics = ReceiveStatistics(receiver, decoder)
        }
    }

    /// Adds a stream; its place.
    mutating func add(_ stream: Stream) -> Int {
        guard let index = streams.firstIndex(where: { $0 == nil }) else {
            streams.append(stream)
            wakeTimes.append(stream.wakeTime)
            return streams.count - 1
        }
        streams[index] = stream
        wakeTimes[index] = stream.wakeTime
        return index
    }

    /// Takes a stream out; `nil` as long as the decoding thread works with it.
    mutating func remove(at index: Int) -> Stream? {
        guard streams[index]?.decoder != nil else { return nil }
        wakeTimes[index] = .distantFuture
        return streams[index].take()
    }

    /// Gives a datagram to its stream, if that is there still; when that wants to be asked now.
    mutating func insert(_ datagram: Span<UInt8>, for index: Int, at now: MediaTime) -> MediaTime {
        guard let stream = streams[index] else { return .distantFuture }
        stream.receiver.insert(datagram, at: now)
        wakeTimes[index] = stream.wakeTime
        return wakeTimes[index]
    }

    /// The next frame that is due, with the decoder for it; `nil` if none is, and then ``deadline`` says for how long.
    mutating func nextJob(
        at now: MediaTime, into payload: inout [UInt8], feedback: any PacketSink
    ) -> DecodingJob? {
        var next = MediaTime.distantFuture
        for offset in streams.indices {
            var index = first + offset
            if index >= streams.count { index -= streams.count }
            if wakeTimes[index] <= now, let frame = poll(index, at: now, into: &payload, feedback: feedback),
                let decoder = streams[index]?.decoder.take()
            {
                first = index + 1
                return DecodingJob(index: index, frame: frame, decoder: decoder)
            }
            next = min(next, wakeTimes[index])
        }
        deadline = next
        return nil
    }

    /// Asks a stream for its next frame.
    private mutating func poll(
        _ index: Int, at now: MediaTime, into payload: inout [UInt8], feedback: any PacketSink
    ) -> ReceivedFrame? {
        guard let receiver = streams[index]?.receiver else { return nil }
        let step = receiver.poll(at: now, into: &payload, feedback: feedback)
        wakeTimes[index] = receiver.wakeTime
        guard case .decode(let frame) = step else { return nil }
        return frame
    }

    /// Takes back the decoder of a job, with what came of its frame.
    mutating func takeBack(
        _ job: DecodingJob, _ outcome: StreamDecoder.Outcome, failure: (any Error)?, at now: MediaTime
    ) {
        guard let receiver = streams[job.index]?.receiver else { return }
        switch outcome {
        case .picture, .decodedOnly: break
        case .refused, .skipped: receiver.decodingFailed(job.frame, at: now)
        }
        streams[job.index]?.giveBack(job.decoder, failure: failure)
        wakeTimes[job.index] = streams[job.index]?.wakeTime ?? .distantFuture
    }

    func statistics(at index: Int) -> ReceiveStatistics? { streams[index]?.currentStatistics }

    var isIdle: Bool { streams.allSatisfy { $0?.receiver.isIdle ?? true } }

    /// Finishes the sinks; what went wrong, now or before, in the order of the streams.
    func finish() -> [any Error] {
        streams.compactMap { stream in
            guard let stream else { return nil }
            do { try stream.decoder?.finish() } catch { return stream.failure ?? error }
            return stream.failure
        }
    }
}

/// A sink whose pictures are awaited.
private final class AwaitedPictures: FrameSink {
    private let continuation: AsyncStream<VideoFrame>.Continuation

    init(_ continuation: AsyncStream<VideoFrame>.Continuation) {
        self.continuation = continuation
    }

    func consume(_ frame: VideoFrame) { continuation.yield(frame) }
    func finish() { continuation.finish() }
}

// MARK: - The decoding thread

/// A frame to decode, and the decoder for it, which the thread has for itself until it gives it back.
private struct DecodingJob {
    var index: Int
    var frame: ReceivedFrame
    var decoder: StreamDecoder
}

/// Decodes what is due until the group stops.
private func decode(_ group: Monitor<StreamGroup>, clock: LiveClock, feedback: any PacketSink & Sendable) {
    var payload: [UInt8] = []
    while let job = nextJob(in: group, into: &payload, clock: clock, feedback: feedback) {
        let outcome = job.decoder.decode(job.frame, payload.span)
        var failure: (any Error)?
        if case .picture(let picture) = outcome {
            let decoded = clock.now
            do { try job.decoder.show(picture, decoded: decoded, at: clock.now) } catch { failure = error }
        }
        // Somebody may wait to remove the stream.
        group.change { $0.takeBack(job, outcome, failure: failure, at: clock.now) }
    }
}

/// Waits for a frame to be due; `nil` once the group stops.
private func nextJob(
    in group: Monitor<StreamGroup>, into payload: inout [UInt8], clock: LiveClock,
    feedback: any PacketSink & Sendable
) -> DecodingJob? {
    enum Answer {
        case job(DecodingJob)
        case wait(until: MediaTime)
        case stop
    }
    var deadline = MediaTime.distantFuture
    while true {
        let answer: Answer? = group.wait(untilMonotonic: clock.monotonic(deadline)) { group in
            guard !group.isStopping else { return .stop }
            if let job = group.nextJob(at: clock.now, into: &payload, feedback: feedback) { return .job(job) }
            return group.deadline == deadline ? nil : .wait(until: group.deadline)
        }
        switch answer {
        case .job(let job): return job
        case .wait(let time): deadline = time
        case .stop: return nil
        // The deadline has passed and nothing was due: it is asked for anew.
        case nil: deadline = .distantFuture
        }
    }
}
