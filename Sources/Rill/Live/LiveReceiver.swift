import RillCodec
public import RillCore
public import RillRTP
import RillReceive
package import RillSession
import RillThreads

/// Receives any number of streams live: packets come in on any thread, and a small fixed set of threads decodes them.
///
///     let receiver = LiveReceiver(feedback: socket)
///     try receiver.add(ReceiveSettings(…), sink: screen)
///     …
///     receiver.insert(datagram)
///
/// Each stream has a jitter buffer and a decoder of its own. A decoding thread serves the streams that were given to it,
/// and sleeps until the next frame of any of them is due. A datagram finds its stream by its SSRC, or by that of its
/// retransmissions; of one of RTCP each packet does.
///
/// Threads: `rill-decode-0` and so on. A stream's sink, its observer and the feedback are called on its decoding thread, with
/// no lock held: they may call any method of the receiver but ``stop()``, which waits for them. The threads ask the system
/// for long turns, so that what a call sends does not wait for what it receives.
public final class LiveReceiver: Sendable {
    /// The clock that packets and frames are stamped with.
    public let clock: LiveClock
    private let feedback: any PacketSink & Sendable
    private let groups: [Monitor<StreamGroup>]
    private let threads: [NamedThread]
    private let routes = Monitor(StreamRoutes())

    /// The thread that decodes a stream, and which of its streams that is; in one number for ``StreamRoutes``.
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
        precondition(
            (1...0xFFFF).contains(threadCount), "a receiver has 1 to 65535 decoding threads, not \(threadCount)")
        let groups = (0..<threadCount).map { _ in Monitor(StreamGroup()) }
        self.clock = clock
        self.feedback = feedback
        self.groups = groups
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
    /// - Parameter sink: gets the pictures; it belongs to the decoding thread from now on.
    /// - Throws: ``PipelineError/receive(_:)`` where the other side has chosen an SSRC or a payload type that is taken, or
    ///   ``PipelineError/codec(_:)``. The sink is then not called at all.
    public func add(_ settings: ReceiveSettings, sink: sending any FrameSink) throws(PipelineError) {
        precondition(settings.jitterBuffer.ssrc != nil, "a stream among others is told apart by its SSRC")
        do throws(ReceiveError) { try settings.stream.validate() } catch { throw .receive(error) }
        let decoder: StreamDecoder
        do throws(CodecError) { decoder = try StreamDecoder(settings, sink: sink) } catch { throw .codec(error) }
        let stream: StreamGroup.Stream
        do throws(SessionError) { stream = try StreamGroup.Stream(settings.stream, decoder, at: clock.now) } catch {
            throw PipelineError(error)
        }
        try routes.withLock { (routes) throws(PipelineError) in
            // The thread with the fewest sources to serve.
            let loads = groups.indices.map { group in routes.sourceCount { Route($0).group == group } }
            let group = loads.firstIndex(of: loads.min() ?? 0) ?? 0
            let index = groups[group].change { $0.add(stream) }
            let place = Route(group: group, index: index).place
            do throws(ReceiveError) { try routes.add(settings.stream, to: place) } catch {
                _ = groups[group].withLock { $0.remove(at: index) }
                throw .receive(error)
            }
        }
    }

    /// Removes a stream and finishes its sink, which is called no more when this returns. It waits for a picture that is
    /// being decoded or shown; but called on the stream's decoding thread, by its sink, its observer or the feedback, it does
    /// not wait, and the sink is finished once the picture in work was shown. RTCP and events that the decoding thread has
    /// in hand may still come.
    ///
    /// - Returns: what the stream has been through; `nil` for a stream that is not there.
    /// - Throws: what the sink throws, or has thrown. What it throws after it removed itself is thrown by ``stop()``.
    @discardableResult
    public func remove(_ ssrc: SSRC) throws -> ReceiveStatistics? {
        let route = routes.withLock { routes -> Route? in
            guard let place = routes[ssrc] else { return nil }
            routes.remove(place)
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

    /// Adds a stream whose pictures an app awaits: `for await picture in try receiver.pictures(settings) { … }`.
    ///
    /// Of pictures that nobody has taken yet only the newest is kept. The sequence ends with ``stop()``.
    public func pictures(_ settings: ReceiveSettings) throws(PipelineError) -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        try add(settings, sink: AwaitedPictures(continuation))
        return stream
    }

    /// Takes a datagram, RTP or RTCP, on any thread. `false`: nothing in it belongs to any of the streams.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>) -> Bool {
        let now = clock.now
        guard PacketKind(of: datagram) == .rtcp else {
            guard let ssrc = SSRC(ofSenderOf: datagram), let place = routes.withLock({ $0[ssrc] }) else { return false }
            insert(datagram, Route(place), at: now)
            return true
        }
        return routes.withLock { $0.route(datagram) { insert($1, Route($0), at: now) } }
    }

    private func insert(_ packet: Span<UInt8>, _ route: Route, at now: MediaTime) {
        // The thread sleeps for all of its streams: it is woken if that is too long now.
        groups[route.group].changeWaking { $0.insert(packet, for: route.index, at: now) < $0.deadline }
    }

    /// The other side sends nothing on a stream for a while, or sends again, as signalling says. Of a muted stream nothing is asked
    /// for, and that no picture comes is no freeze. Where its RTCP says so (PAUSED, RFC 7728 §8.2) this is not needed.
    public func setMuted(_ isMuted: Bool, of ssrc: SSRC) {
        guard let route = routes.withLock({ $0[ssrc].map(Route.init) }) else { return }
        groups[route.group].change { $0.setMuted(isMuted, at: route.index) }
    }

    /// What the stream has been through; `nil` for a stream that is not there.
    public func statistics(of ssrc: SSRC) -> ReceiveStatistics? {
        guard let route = routes.withLock({ $0[ssrc].map(Route.init) }) else { return nil }
        return groups[route.group].withLock { $0.statistics(at: route.index) }
    }

    /// Keeps a journal of all that the stream's session is told from now on.
    package func beginJournal(of ssrc: SSRC) {
        guard let route = routes.withLock({ $0[ssrc].map(Route.init) }) else { return }
        groups[route.group].withLock { $0.beginJournal(at: route.index) }
    }

    /// What the stream's session was told since ``beginJournal(of:)``.
    package func journal(of ssrc: SSRC) -> [SessionJournal.Call] {
        guard let route = routes.withLock({ $0[ssrc].map(Route.init) }) else { return [] }
        return groups[route.group].withLock { $0.journal(at: route.index) }
    }

    /// Whether no stream holds anything that could still be shown.
    public var isIdle: Bool {
        groups.allSatisfy { group in group.withLock { $0.isIdle } }
    }

    /// Stops decoding, waits for the threads and finishes the sinks. Not called by a sink, which would wait for itself.
    ///
    /// - Throws: the first error that a sink has thrown; its stream was not shown any further.
    public func stop() throws {
        for group in groups { group.change { $0.isStopping = true } }
        for thread in threads { thread.join() }
        // Every sink is finished, whatever happened to the others; the first error is the one that is told.
        var failures: [any Error] = []
        for group in groups {
            let (streams, untold) = group.withLock { $0.streamsToFinish() }
            failures += untold
            for stream in streams { if let failure = stream.finish() { failures.append(failure) } }
        }
        if let failure = failures.first { throw failure }
    }

    deinit {
        // No thread outlives a receiver that nobody stopped.
        for group in groups { group.change { $0.isStopping = true } }
    }
}
