public import RillCore
package import RillRTP

/// The first half of receiving one stream: packets go in, encoded frames come out in decode order, and feedback goes
/// back.
///
/// Call ``insert(_:at:)`` for each packet, then ``poll(at:into:output:)`` until it returns `wait`. Feedback and
/// events collect in the output; deliver it outside the receiver. It has one owner; use it from one thread at a time.
public final class StreamReceiver {
    // No code of a caller runs during an access to one of these, so none is checked: that costs 80 instructions each.
    @safe @exclusivity(unchecked) private var restorer: PacketRestorer
    @safe @exclusivity(unchecked) private var buffer: JitterBuffer
    @safe @exclusivity(unchecked) private var reporter: ReceiverReporter
    @safe @exclusivity(unchecked) private var dueTime = MediaTime.distantFuture
    /// Whether it writes its own reports; otherwise a session writes them for all its streams.
    private let isReporting: Bool
    private let observer: ReceiveOutput.Observer?

    /// What to do next.
    public enum Step {
        /// Decode this frame, whose bytes are in the array; then poll again.
        case decode(ReceivedFrame)
        /// Do nothing until that time or the next packet.
        case wait(until: MediaTime)
    }

    /// A frame's FEC packets directly follow its packets: a packet that one of them may recover is not NACKed for
    /// this time.
    private static let fecDelay = MediaDuration.milliseconds(10)

    /// Creates a receiver of one stream. Settings outside their ranges trap.
    public convenience init(_ settings: StreamReceiverSettings) { self.init(settings, isReporting: true) }

    /// Creates a receiver for a session that writes the reports of all its streams itself, if `isReporting` is
    /// `false`.
    package init(_ settings: StreamReceiverSettings, isReporting: Bool) {
        precondition(
            settings.reportInterval >= .milliseconds(10), "reports are at least 10 ms apart: \(settings.reportInterval)"
        )
        precondition(
            (1...255).contains(settings.canonicalName.utf8.count), "a canonical name has 1 to 255 bytes")
        self.isReporting = isReporting
        observer = settings.observer
        var jitterBuffer = settings.jitterBuffer
        if settings.repair.fecPayloadType != nil, let delay = jitterBuffer.nack?.firstRequestDelay {
            jitterBuffer.nack?.firstRequestDelay = max(delay, StreamReceiver.fecDelay)
        }
        restorer = PacketRestorer(settings.repair, for: settings.jitterBuffer)
        buffer = JitterBuffer(jitterBuffer)
        reporter = ReceiverReporter(settings)
    }

    /// When the stream last asked to be polled. (Computed: other modules check each access to what is stored.)
    public var wakeTime: MediaTime { dueTime }

    /// Inserts a datagram of the stream or of its retransmissions: RTP goes to the jitter buffer, unchanged or
    /// restored, RTCP to the reports. `nil`: it contained no packet for the buffer.
    @discardableResult
    public func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        switch PacketKind(of: datagram) {
        case .rtp: return insert(rtp: datagram, at: now)
        case .rtcp:
            reporter.receive(datagram, for: &buffer, at: now)
            dueTime = min(dueTime, now)
            return nil
        case .other: return nil
        }
    }

    /// Inserts an RTP datagram of the stream or of its retransmissions.
    package func insert(rtp datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        if isReporting { reporter.notePacket(at: now) }
        let result = insertPackets(of: datagram, at: now)
        // Most packets are inside a frame, and nothing is due before its last one.
        dueTime = min(dueTime, reporter.nextReportTime, max(now, buffer.nextPoll))
        return result
    }

    private func insertPackets(of datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        guard !restorer.settings.isEmpty else { return buffer.insert(datagram, origin: .network, at: now) }
        var result: InsertResult?
        restorer.insert(datagram) { packet in
            switch packet {
            case .media(let bytes, let origin):
                let outcome = buffer.insert(bytes, origin: origin, at: now)
                // The result of a recovered packet belongs to that packet, not to this one.
                if origin != .fec { result = outcome }
            case .withoutMedia(let header):
                _ = buffer.notePacketWithoutMedia(header, at: now)  // counted there
            }
        }
        return result
    }

    /// Returns the next frame to decode, a request that is due, or when to ask again. Requests wait until they are
    /// written: ``areRequestsDue(with:)``.
    package func next(at now: MediaTime, into payload: inout [UInt8]) -> PollStep {
        switch buffer.poll(at: now, into: &payload) {
        case .frame:
            dueTime = now
            return .decode
        case .requestPackets:
            reporter.requestPackets()
            return .requestPackets(count: buffer.newlyRequestedCount)
        case .requestKeyFrame:
            reporter.requestKeyFrame()
            return .requestKeyFrame
        case .wait(let time):
            dueTime = time
            return buffer.pollsWithoutProgress == 0 ? .wait : .failed(pollsWithoutProgress: buffer.pollsWithoutProgress)
        }
    }

    /// What to do next.
    package enum PollStep {
        /// Decode ``StreamReceiver/releasedFrame``, whose bytes are in the array; then ask again.
        case decode
        /// Packets are missing; ask again.
        case requestPackets(count: Int)
        /// A key frame is needed; ask again.
        case requestKeyFrame
        /// Do nothing until ``StreamReceiver/wakeTime`` or the next packet.
        case wait
        /// The same, for good: a poll took so many steps that led to nothing, an error of ours. The stream returns no
        /// more frames.
        case failed(pollsWithoutProgress: Int)
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
            switch next(at: now, into: &payload) {
            case .decode:
                let frame = releasedFrame
                output.note(.released(frame), at: now, for: observer)
                writeFeedback(at: now, to: output.packets)
                return .decode(frame)
            case .requestPackets(let count):
                if count > 0 { output.note(.packetsRequested(count: count), at: now, for: observer) }
            case .requestKeyFrame: output.note(.keyFrameRequested, at: now, for: observer)
            case .wait, .failed:
                writeFeedback(at: now, to: output.packets)
                return .wait(until: dueTime)
            }
        }
        return .wait(until: PollBound.wait(until: dueTime, after: now))
    }

    /// Requests a key frame for a reason of the caller's. It waits until it is written, like the stream's own requests.
    ///
    /// - Returns: whether it is requested: not if it is too soon after the last request.
    package func requestKeyFrame(at now: MediaTime) -> Bool {
        guard buffer.takesKeyFrameRequest(at: now) else { return false }
        reporter.requestKeyFrame()
        dueTime = min(dueTime, now)
        return true
    }

    /// For tests: from now on polls lead to nothing, as by an error of ours.
    package func stall() {
        buffer.stall()
        dueTime = MediaTime(nanoseconds: .min)
    }

    /// The frame that ``next(at:into:)`` returned last.
    package var releasedFrame: ReceivedFrame { buffer.releasedFrame }

    /// Writes the RTCP that is due, including reports.
    func writeFeedback(at now: MediaTime, to feedback: some PacketSink) {
        reporter.send(on: &buffer, at: now, to: feedback)
        dueTime = min(dueTime, reporter.nextReportTime)
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
        switch outcome {
        case .decoded, .refused:
            if let released = frame.frame.timestamps[.released] { buffer.noteDecodeTime(decoded - released, at: now) }
        case .skipped, .unopened: break
        }
        buffer.noteOpening(isOpened: outcome != .unopened)
        switch outcome {
        case .decoded, .unopened: break
        case .refused, .skipped:
            buffer.decodingFailed(frame.frame)
            dueTime = min(dueTime, now)
        }
    }

    /// Whether nothing is held that could still be shown.
    public var isIdle: Bool { buffer.occupancy.packets == 0 }

    /// The stream's statistics.
    public var statistics: InboundStatistics { buffer.statistics }

    /// The statistics of retransmissions and FEC packets.
    public var repairStatistics: RepairStatistics { restorer.statistics }

    /// The round-trip time to the sender.
    public var roundTripStatistics: RoundTripStatistics { reporter.roundTripStatistics }

    // MARK: What a session does for all its streams, and a separate receiver for its own

    /// Returns the report block of this stream for the next report; `nil` before its first packet.
    package func reportBlock(at now: MediaTime) -> ReportBlock? { buffer.reportBlock(at: now) }

    /// Notes a sender report; one of another SSRC is ignored.
    package func receive(_ report: SenderReport, at now: MediaTime) {
        buffer.noteSenderReport(report, at: now)
    }

    /// The time from one frame to the next; zero while unknown.
    package var frameInterval: MediaDuration { buffer.frameInterval }

    /// The newest packet that arrived or was restored; `nil` before the first.
    package var newestSequenceNumber: SequenceNumber? { buffer.newestSequenceNumber }

    /// The round-trip time to the sender, which spaces the requests.
    package var roundTripTime: MediaDuration {
        get { buffer.roundTripTime }
        set {
            buffer.roundTripTime = newValue
            dueTime = min(dueTime, buffer.nextPoll)
        }
    }

    /// Whether a request to the sender is due now; ``takeRequests(_:)`` returns it.
    ///
    /// - Parameter isLeaving: whether a datagram is sent in any case: then the requests of this round trip are
    ///   repeated in it.
    package func areRequestsDue(with isLeaving: Bool) -> Bool {
        reporter.areRequestsDue(on: &buffer, with: isLeaving)
    }

    /// Passes on the requests to the sender: the missing packets, at most ``ReceiverReporter/maximumRequestCount``
    /// per call, and whether a key frame is requested.
    package func takeRequests(_ body: (_ lost: Span<SequenceNumber>, _ isKeyFrameWanted: Bool) -> Void) {
        reporter.takeRequests(on: &buffer, body)
    }

    /// Drops everything of the stream from now on, because it is not wanted. See ``JitterBuffer/pause(behind:at:)``.
    package func pause(behind last: SequenceNumber?, at now: MediaTime) {
        buffer.pause(behind: last, at: now)
        reporter.forgetRequests()
        dueTime = buffer.nextPoll
    }

    /// Resumes with the next key frame. See ``JitterBuffer/resume(expectingKeyFrame:at:)``.
    package func resume(expectingKeyFrame: Bool, at now: MediaTime) {
        buffer.resume(expectingKeyFrame: expectingKeyFrame, at: now)
        dueTime = min(dueTime, now)
    }

    /// Releases the next frame as soon as it can be decoded. See ``JitterBuffer/expedite(at:)``.
    package func expedite(at now: MediaTime) {
        buffer.expedite(at: now)
        dueTime = min(dueTime, now)
    }

    /// Whether arriving packets are dropped.
    package var isPaused: Bool { buffer.isPaused }
}
