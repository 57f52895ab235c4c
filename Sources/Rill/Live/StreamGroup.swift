import RillCore
import RillPeer
import RillReceive
import RillSession
import RillThreads

/// The streams of one decoding thread.
///
/// Its state is behind a lock, under which it calls no foreign code. It leaves its output in a ``GroupOutput``. The
/// thread that has taken a decoder out calls its sink.
struct StreamGroup: ~Copyable {
    /// A removed stream leaves its index to the next one.
    private var streams: [Stream?] = []
    /// When each stream must be polled. A separate array, because every wake-up scans all of them: of a thousand
    /// streams few are due, and the others are not touched.
    private var wakeTimes: [MediaTime] = []
    /// The stream to check first: the one after the last served, so that none starves.
    private var first = 0
    var isStopping = false
    /// When the decoding thread wakes, while it sleeps.
    private(set) var deadline = MediaTime.distantFuture
    /// Errors of streams that removed themselves, not yet reported.
    private var unreportedFailures: [any Error] = []

    /// A stream, in its own session: each may come from another endpoint.
    struct Stream {
        let session: RTPSession
        let id: ReceivingStreamID
        let observer: GroupOutput.Observer?
        /// `nil` while the decoding thread works with it.
        var decoder: StreamDecoder?
        /// As of the last decoded frame.
        private var statistics: ReceiveStatistics
        var failure: (any Error)?
        /// It was removed by its own sink, and goes as soon as that returns.
        var isLeaving = false
        /// Its sink was finished.
        var isFinished = false
        /// It is muted, or was when its last picture was shown.
        var isInterrupted = false

        init(_ settings: StreamReceiverSettings, _ decoder: StreamDecoder, at now: MediaTime) throws(SessionError) {
            session = PeerMedia(unprotected: RTPSessionSettings(receiving: settings)).session
            var settings = settings
            // The receiver reports the packets of all its streams together.
            settings.congestionFeedback = nil
            id = try session.receive(settings, at: now)
            observer = settings.observer
            self.decoder = decoder
            self.statistics = ReceiveStatistics(session, id, decoder)
        }

        /// A stream whose sink failed has nothing to do anymore.
        var wakeTime: MediaTime { failure == nil ? session.nextPoll : .distantFuture }

        /// The current statistics: packets count even if no frame results.
        var currentStatistics: ReceiveStatistics {
            var current = statistics
            current.note(session, id)
            return current
        }

        mutating func giveBack(_ decoder: StreamDecoder, failure: (any Error)?) {
            self.decoder = decoder
            self.failure = failure
            self.statistics = ReceiveStatistics(session, id, decoder)
        }

        /// Finishes the sink; returns the error from now or before. Do not call it under the group's lock.
        func finish() -> (any Error)? {
            guard !isFinished else { return failure }
            do { try decoder?.finish() } catch { return failure ?? error }
            return failure
        }
    }

    /// Adds a stream; returns its index.
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

    /// Removes a stream; `nil` while the decoding thread works with it.
    mutating func remove(at index: Int) -> Stream? {
        guard streams[index]?.decoder != nil else { return nil }
        wakeTimes[index] = .distantFuture
        return streams[index].take()
    }

    /// Marks a stream for removal when the decoding thread gives its decoder back. The caller is part of that work.
    ///
    /// - Returns: the stream's statistics so far; `nil` if no work is in progress.
    mutating func removeWhenGivenBack(at index: Int) -> ReceiveStatistics? {
        guard let stream = streams[index], stream.decoder == nil else { return nil }
        streams[index]?.isLeaving = true
        return stream.currentStatistics
    }

    /// Inserts a packet into its stream, if that still exists; returns when that must be polled.
    mutating func insert(_ packet: Span<UInt8>, for index: Int, at now: MediaTime) -> MediaTime {
        guard let stream = streams[index] else { return .distantFuture }
        stream.session.insert(packet, at: now)
        wakeTimes[index] = stream.wakeTime
        return wakeTimes[index]
    }

    /// Returns the next frame that is due, with its decoder; if `nil`, ``deadline`` is when to ask again.
    mutating func nextJob(
        at now: MediaTime, into payload: inout [UInt8], output: GroupOutput
    ) -> DecodingJob? {
        var next = MediaTime.distantFuture
        for offset in streams.indices {
            var index = first + offset
            if index >= streams.count { index -= streams.count }
            if wakeTimes[index] <= now, let frame = poll(index, at: now, into: &payload, output: output),
                let decoder = streams[index]?.decoder.take()
            {
                first = index + 1
                if streams[index]?.isInterrupted == true {
                    decoder.interrupt()
                    streams[index]?.isInterrupted = false
                }
                return DecodingJob(index: index, frame: frame, decoder: decoder)
            }
            next = min(next, wakeTimes[index])
        }
        deadline = next
        return nil
    }

    /// Polls a stream for its next frame.
    private mutating func poll(
        _ index: Int, at now: MediaTime, into payload: inout [UInt8], output: GroupOutput
    ) -> ReceivedFrame? {
        guard let stream = streams[index] else { return nil }
        var isInterrupted = stream.isInterrupted
        let frame = output.poll(
            stream.session, at: now, into: &payload, for: stream.observer, isInterrupted: &isInterrupted)
        streams[index]?.isInterrupted = isInterrupted
        for failure in output.takeFailures() { note(failure) }
        wakeTimes[index] = stream.wakeTime
        return frame
    }

    /// Takes back the decoder of a job, with the outcome of its frame.
    ///
    /// - Returns: the stream, if it is removed with that: the caller finishes its sink.
    mutating func takeBack(
        _ job: DecodingJob, _ outcome: StreamDecoder.Outcome, decoded: MediaTime, failure: (any Error)?,
        at now: MediaTime
    ) -> Stream? {
        guard let stream = streams[job.index] else { return nil }
        stream.session.finish(
            job.frame, of: stream.id, outcome.ofFrame, picture: outcome.resolution, decoded: decoded, at: now)
        streams[job.index]?.giveBack(job.decoder, failure: failure)
        guard streams[job.index]?.isLeaving == true else {
            wakeTimes[job.index] = streams[job.index]?.wakeTime ?? .distantFuture
            return nil
        }
        return remove(at: job.index)
    }

    /// Keeps an error for the caller that stops the group.
    mutating func note(_ failure: any Error) { unreportedFailures.append(failure) }

    mutating func setMuted(_ isMuted: Bool, at index: Int) {
        guard let stream = streams[index] else { return }
        stream.session.setMuted(isMuted, of: stream.id)
        streams[index]?.isInterrupted = true
    }

    func beginJournal(at index: Int) { streams[index]?.session.journal = SessionJournal() }
    func journal(at index: Int) -> [SessionJournal.Call] { streams[index]?.session.journal?.calls ?? [] }

    func statistics(at index: Int) -> ReceiveStatistics? { streams[index]?.currentStatistics }

    var isIdle: Bool { streams.allSatisfy { $0?.session.isIdle ?? true } }

    /// Returns the streams whose sinks must be finished now, in order; each is returned once.
    mutating func streamsToFinish() -> (streams: [Stream], failures: [any Error]) {
        let result = (streams.compactMap(\.self), unreportedFailures)
        for index in streams.indices { streams[index]?.isFinished = true }
        unreportedFailures = []
        return result
    }
}

/// A frame to decode, and its decoder, which the thread owns until it gives it back.
struct DecodingJob {
    var index: Int
    var frame: ReceivedFrame
    var decoder: StreamDecoder
}

/// A decoding thread's loop: it waits until frames are due and decodes them, until the group stops. It makes all
/// calls without the group's lock.
struct DecodingLoop: ~Copyable {
    let group: Monitor<StreamGroup>
    let clock: LiveClock
    let feedback: any PacketSink & Sendable
    private var payload: [UInt8] = []
    private let output = GroupOutput()

    init(_ group: Monitor<StreamGroup>, clock: LiveClock, feedback: any PacketSink & Sendable) {
        self.group = group
        self.clock = clock
        self.feedback = feedback
    }

    mutating func run() {
        while let job = nextJob() {
            let outcome = job.decoder.decode(job.frame, payload.span)
            let decoded = clock.now
            var failure: (any Error)?
            if case .picture(let picture) = outcome {
                do { try job.decoder.show(picture, decoded: decoded, at: clock.now) } catch { failure = error }
            }
            // Another thread may wait to remove the stream.
            let leaving = group.change {
                $0.takeBack(job, outcome, decoded: decoded, failure: failure, at: clock.now)
            }
            if let failure = leaving?.finish() { group.withLock { $0.note(failure) } }
        }
    }

    private enum Answer {
        case job(DecodingJob)
        case wait(until: MediaTime)
        case stop
    }

    /// Waits until a frame is due; `nil` once the group stops. Delivers the streams' pending output meanwhile.
    private mutating func nextJob() -> DecodingJob? {
        var deadline = MediaTime.distantFuture
        while true {
            let answer: Answer? = group.wait(untilMonotonic: clock.monotonic(deadline)) { group in
                guard !group.isStopping else { return .stop }
                if let job = group.nextJob(at: clock.now, into: &payload, output: output) { return .job(job) }
                return group.deadline == deadline && output.isEmpty ? nil : .wait(until: group.deadline)
            }
            output.deliver(to: feedback)
            switch answer {
            case .job(let job): return job
            case .wait(let time): deadline = time
            case .stop: return nil
            // The deadline has passed and nothing was due: look again.
            case nil: deadline = .distantFuture
            }
        }
    }
}
