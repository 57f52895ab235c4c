import RillCodec
public import RillCore
public import RillRTP
import RillReceive
package import RillSession
import RillThreads

/// A live receiver of any number of streams: any thread inserts packets, and a small set of threads decodes them.
///
/// ```swift
/// let receiver = LiveReceiver(feedback: socket)
/// try receiver.add(ReceiveSettings(…), sink: screen)
/// …
/// receiver.insert(datagram)
/// ```
///
/// Each stream has its own jitter buffer and decoder. A decoding thread serves the streams assigned to it, and sleeps
/// until the next frame of any of them is due. A datagram is routed by its SSRC, or by that of its retransmission
/// stream. The packets of an RTCP compound are routed one by one.
///
/// All streams come over one transport, whose return path is the feedback sink. If a sender expects congestion feedback
/// (``/RillReceive/StreamReceiverSettings/congestionFeedback``), one report covers the packets of all streams. Senders
/// that each number their packets for themselves, transport-wide, need a receiver each.
///
/// Threads: `rill-decode-0` and so on, and `rill-feedback` for congestion feedback. A stream's sink, its observer and
/// the feedback sink are called on its decoding thread, with no lock held; congestion feedback arrives at the feedback
/// sink on its own thread. They may call any method of the receiver except ``stop()``, which waits for them. The
/// decoding threads ask the system for long time slices, so that sending in a call does not wait for receiving.
public final class LiveReceiver: Sendable {
    /// The clock that timestamps packets and frames.
    public let clock: LiveClock
    private let feedback: any PacketSink & Sendable
    private let groups: [Monitor<StreamGroup>]
    private let threads: [NamedThread]
    private let routes = Monitor(Routes())
    private let arrivals: ArrivalReporter

    private struct Routes {
        var streams = StreamRoutes()
        /// Whether congestion feedback is sent: then all packets are noted.
        var areReported = false
    }

    /// A stream's decoding thread and its index there, packed into one number for ``StreamRoutes``.
    private struct Route {
        var group: Int
        var index: Int

        init(group: Int, index: Int) {
            self.group = group
            self.index = index
        }

        init(_ place: StreamRoutes.Place) { self.init(group: place & 0xFFFF, index: place >> 16) }

        var place: StreamRoutes.Place { index << 16 | group }
    }

    /// Creates a receiver without streams, and starts its threads.
    ///
    /// - Parameters:
    ///   - feedback: receives RTCP packets for the senders, from the receiver's threads.
    ///   - threadCount: the number of decoding threads, 1 to 65535. One thread decodes a 720p stream and a dozen
    ///     thumbnails with ease.
    ///   - clock: the session's clock, if it already has one.
    ///   - placement: where the threads run. A sender beside it uses the same placement.
    public init(
        feedback: any PacketSink & Sendable, threadCount: Int = 1, clock: LiveClock = LiveClock(),
        placement: ThreadPlacement = .system
    ) {
        precondition(
            (1...0xFFFF).contains(threadCount), "a receiver has 1 to 65535 decoding threads, not \(threadCount)")
        let groups = (0..<threadCount).map { _ in Monitor(StreamGroup()) }
        self.clock = clock
        self.feedback = feedback
        self.groups = groups
        self.arrivals = ArrivalReporter(clock: clock, feedback: feedback)
        self.threads = groups.indices.map { index in
            NamedThread("rill-decode-\(index)", timeSlice: .long, affinity: placement.affinity(isLargestEncoder: false))
            {
                var loop = DecodingLoop(groups[index], clock: clock, feedback: feedback)
                loop.run()
            }
        }
    }

    /// Adds a stream. Precondition: its settings name its SSRC.
    ///
    /// - Parameters:
    ///   - settings: how the stream is received and decoded.
    ///   - sink: receives the pictures; it belongs to the decoding thread from now on.
    /// - Throws: ``PipelineError/receive(_:)`` if the sender chose an SSRC or a payload type that is taken, or
    ///   ``PipelineError/codec(_:)``. The sink is then not called at all.
    public func add(_ settings: ReceiveSettings, sink: sending any FrameSink) throws(PipelineError) {
        precondition(settings.jitterBuffer.ssrc != nil, "a stream of a receiver needs an SSRC")
        do throws(ReceiveError) { try settings.stream.validate() } catch { throw .receive(error) }
        let decoder: StreamDecoder
        do throws(CodecError) { decoder = try StreamDecoder(settings, sink: sink) } catch { throw .codec(error) }
        let stream: StreamGroup.Stream
        do throws(SessionError) { stream = try StreamGroup.Stream(settings.stream, decoder, at: clock.now) } catch {
            throw PipelineError(error)
        }
        try routes.withLock { (routes) throws(PipelineError) in
            // The thread with the fewest sources to serve.
            let loads = groups.indices.map { group in routes.streams.sourceCount { Route($0).group == group } }
            let group = loads.firstIndex(of: loads.min() ?? 0) ?? 0
            let index = groups[group].change { $0.add(stream) }
            let place = Route(group: group, index: index).place
            do throws(ReceiveError) { try routes.streams.add(settings.stream, to: place) } catch {
                _ = groups[group].withLock { $0.remove(at: index) }
                throw .receive(error)
            }
            if arrivals.add(settings.stream) { routes.areReported = true }
        }
    }

    /// Removes a stream and finishes its sink, which is not called anymore when this returns.
    ///
    /// It waits for a picture that is being decoded or shown. On the stream's decoding thread, called by its sink,
    /// its observer or the feedback sink, it does not wait: the sink is finished after the current picture is shown.
    /// RTCP and events that the decoding thread already holds may still follow.
    ///
    /// - Parameter ssrc: the stream's SSRC.
    /// - Returns: the stream's statistics; `nil` for an unknown stream.
    /// - Throws: what the sink throws, or has thrown. What it throws after it removed itself is thrown by ``stop()``.
    @discardableResult
    public func remove(_ ssrc: SSRC) throws -> ReceiveStatistics? {
        let route = routes.withLock { routes -> Route? in
            guard let place = routes.streams[ssrc] else { return nil }
            routes.streams.remove(place)
            return Route(place)
        }
        guard let route else { return nil }
        if threads[route.group].isCurrent,
            let statistics = groups[route.group].withLock({ $0.removeWhenGivenBack(at: route.index) })
        {
            return statistics
        }
        let stream = groups[route.group].wait { $0.remove(at: route.index) }
        if let failure = stream.finish() { throw failure }
        return stream.currentStatistics
    }

    /// Adds a stream whose pictures a task awaits: `for await picture in try receiver.pictures(settings) { … }`.
    ///
    /// Only the newest picture is kept until the caller takes it. The sequence ends with ``stop()``.
    ///
    /// - Parameter settings: how the stream is received and decoded. Precondition: they name its SSRC.
    /// - Returns: the pictures.
    /// - Throws: as ``add(_:sink:)``.
    public func pictures(_ settings: ReceiveSettings) throws(PipelineError) -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        try add(settings, sink: AwaitedPictures(continuation))
        return stream
    }

    /// Inserts a datagram, RTP or RTCP, on any thread. `false`: nothing in it belongs to any of the streams.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>) -> Bool {
        let now = clock.now
        guard PacketKind(of: datagram) == .rtcp else {
            guard let ssrc = SSRC(ofSenderOf: datagram) else { return false }
            let (place, isReported) = routes.withLock { ($0.streams[ssrc], $0.areReported) }
            if isReported { arrivals.note(datagram, isReceived: place != nil, at: now) }
            guard let place else { return false }
            insert(datagram, Route(place), at: now)
            return true
        }
        return routes.withLock { $0.streams.route(datagram) { insert($1, Route($0), at: now) } }
    }

    private func insert(_ packet: Span<UInt8>, _ route: Route, at now: MediaTime) {
        // The thread sleeps for all of its streams: wake it if it would now sleep too long.
        groups[route.group].changeWaking { $0.insert(packet, for: route.index, at: now) < $0.deadline }
    }

    private func route(_ ssrc: SSRC) -> Route? { routes.withLock { $0.streams[ssrc].map(Route.init) } }

    /// Sets whether the sender has paused a stream, as signaling reports it.
    ///
    /// Nothing is requested on a muted stream, and missing pictures are not a freeze. If the sender's RTCP reports it
    /// (PAUSED, RFC 7728 §8.2), this call is not needed.
    public func setMuted(_ isMuted: Bool, of ssrc: SSRC) {
        guard let route = route(ssrc) else { return }
        groups[route.group].change { $0.setMuted(isMuted, at: route.index) }
    }

    /// Returns the stream's statistics; `nil` for an unknown stream.
    public func statistics(of ssrc: SSRC) -> ReceiveStatistics? {
        guard let route = route(ssrc) else { return nil }
        return groups[route.group].withLock { $0.statistics(at: route.index) }
    }

    /// Records all calls to the stream's session from now on.
    package func beginJournal(of ssrc: SSRC) {
        guard let route = route(ssrc) else { return }
        groups[route.group].withLock { $0.beginJournal(at: route.index) }
    }

    /// Returns the calls to the stream's session since ``beginJournal(of:)``.
    package func journal(of ssrc: SSRC) -> [SessionJournal.Call] {
        guard let route = route(ssrc) else { return [] }
        return groups[route.group].withLock { $0.journal(at: route.index) }
    }

    /// Whether no stream holds anything that could still be shown.
    public var isIdle: Bool {
        groups.allSatisfy { group in group.withLock { $0.isIdle } }
    }

    /// Stops decoding, waits for the threads and finishes the sinks. A sink must not call it: it would wait for
    /// itself.
    ///
    /// - Throws: the first error that a sink threw; its stream was not shown after that.
    public func stop() throws {
        for group in groups { group.change { $0.isStopping = true } }
        arrivals.stop()
        for thread in threads { thread.join() }
        // Every sink is finished, whatever happens to the others. The first error is thrown.
        var failures: [any Error] = []
        for group in groups {
            let (streams, untold) = group.withLock { $0.streamsToFinish() }
            failures += untold
            for stream in streams { if let failure = stream.finish() { failures.append(failure) } }
        }
        if let failure = failures.first { throw failure }
    }

    deinit {
        // No thread outlives a receiver that was not stopped.
        for group in groups { group.change { $0.isStopping = true } }
        arrivals.stopLater()
    }
}
