package import RillCore
import RillRTP

/// The state machine of a ``StreamReceiver``: a value in one place, held by that class or a session.
package struct StreamReceiverCore: ~Copyable {
    private var restorer: PacketRestorer
    var buffer: JitterBuffer
    var reporter: ReceiverReporter
    /// Whether it writes its own reports; otherwise a session writes them for all its streams.
    private let isReporting: Bool
    /// When the stream last asked to be polled.
    package internal(set) var wakeTime = MediaTime.distantFuture

    /// A frame's FEC packets directly follow its packets: a packet that one of them may recover is not NACKed for
    /// this time.
    private static let fecDelay = MediaDuration.milliseconds(10)

    /// Creates the state of a ``StreamReceiver``; without its own reports if `isReporting` is `false`.
    package init(_ settings: StreamReceiverSettings, isReporting: Bool) {
        precondition(
            settings.reportInterval >= .milliseconds(10), "reports are at least 10 ms apart: \(settings.reportInterval)"
        )
        precondition(
            (1...255).contains(settings.canonicalName.utf8.count), "a canonical name has 1 to 255 bytes")
        self.isReporting = isReporting
        var jitterBuffer = settings.jitterBuffer
        if settings.repair.fecPayloadType != nil, let delay = jitterBuffer.nack?.firstRequestDelay {
            jitterBuffer.nack?.firstRequestDelay = max(delay, StreamReceiverCore.fecDelay)
        }
        restorer = PacketRestorer(settings.repair, for: settings.jitterBuffer)
        buffer = JitterBuffer(jitterBuffer)
        reporter = ReceiverReporter(settings)
    }

    /// Inserts a datagram of the stream or of its retransmissions. `nil`: it contained no packet for the buffer.
    mutating func insert(_ datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        switch PacketKind(of: datagram) {
        case .rtp: return insert(rtp: datagram, at: now)
        case .rtcp:
            reporter.receive(datagram, for: &buffer, at: now)
            wakeTime = min(wakeTime, now)
            return nil
        case .other: return nil
        }
    }

    /// Inserts an RTP datagram of the stream or of its retransmissions.
    package mutating func insert(rtp datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
        if isReporting { reporter.notePacket(at: now) }
        let result = insertPackets(of: datagram, at: now)
        // Most packets are inside a frame, and nothing is due before its last one.
        wakeTime = min(wakeTime, reporter.nextReportTime, max(now, buffer.nextPoll))
        return result
    }

    private mutating func insertPackets(of datagram: Span<UInt8>, at now: MediaTime) -> InsertResult? {
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
    package mutating func next(at now: MediaTime, into payload: inout [UInt8]) -> Step {
        switch buffer.poll(at: now, into: &payload) {
        case .frame:
            wakeTime = now
            return .decode
        case .requestPackets:
            reporter.requestPackets()
            return .requestPackets(count: buffer.newlyRequestedCount)
        case .requestKeyFrame:
            reporter.requestKeyFrame()
            return .requestKeyFrame
        case .wait(let time):
            wakeTime = time
            return buffer.pollsWithoutProgress == 0 ? .wait : .failed(pollsWithoutProgress: buffer.pollsWithoutProgress)
        }
    }

    /// What to do next.
    package enum Step {
        /// Decode ``StreamReceiverCore/releasedFrame``, whose bytes are in the array; then ask again.
        case decode
        /// Packets are missing; ask again.
        case requestPackets(count: Int)
        /// A key frame is needed; ask again.
        case requestKeyFrame
        /// Do nothing until ``StreamReceiverCore/wakeTime`` or the next packet.
        case wait
        /// The same, for good: a poll took so many steps that led to nothing, an error of ours. The stream returns no
        /// more frames.
        case failed(pollsWithoutProgress: Int)
    }

    /// Requests a key frame for a reason of the caller's. It waits until it is written, like the stream's own requests.
    ///
    /// - Returns: whether it is requested: not if it is too soon after the last request.
    package mutating func requestKeyFrame(at now: MediaTime) -> Bool {
        guard buffer.takesKeyFrameRequest(at: now) else { return false }
        reporter.requestKeyFrame()
        wakeTime = min(wakeTime, now)
        return true
    }

    /// For tests: from now on polls lead to nothing, as by an error of ours.
    package mutating func stall() {
        buffer.stall()
        wakeTime = MediaTime(nanoseconds: .min)
    }

    /// The frame that ``next(at:into:)`` returned last.
    ///
    /// `mutating`: Swift 6.3 copies the whole receiver, 3 KB, to lend it to a nonmutating method.
    package var releasedFrame: ReceivedFrame { mutating get { buffer.releasedFrame } }

    /// Writes the RTCP that is due, including reports.
    mutating func writeFeedback(at now: MediaTime, to feedback: some PacketSink) {
        reporter.send(on: &buffer, at: now, to: feedback)
        wakeTime = min(wakeTime, reporter.nextReportTime)
    }

    /// Notes the outcome of a released frame.
    package mutating func finish(
        _ frame: ReceivedFrame, _ outcome: DecodeOutcome, decoded: MediaTime, at now: MediaTime
    ) {
        switch outcome {
        case .decoded, .refused:
            if let released = frame.frame.timestamps[.released] { buffer.noteDecodeTime(decoded - released, at: now) }
        case .skipped: break
        }
        switch outcome {
        case .decoded: break
        case .refused, .skipped:
            buffer.decodingFailed(frame.frame)
            wakeTime = min(wakeTime, now)
        }
    }

    /// Whether nothing is held that could still be shown.
    package var isIdle: Bool { buffer.occupancy.packets == 0 }

    /// The stream's statistics.
    package var statistics: InboundStatistics { buffer.statistics }

    /// The statistics of retransmissions and FEC packets.
    package var repairStatistics: RepairStatistics { restorer.statistics }
}
