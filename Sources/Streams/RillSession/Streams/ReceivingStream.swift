import RillCore
import RillRTP
import RillReceive

/// A stream that a session receives. It has no jitter buffer before its SSRC is known.
final class ReceivingStream {
    let id: ReceivingStreamID
    /// The settings with the SSRCs that are known now.
    private(set) var settings: StreamReceiverSettings
    // No code of an app runs during an access to one of these: see RTPSession.
    @safe @exclusivity(unchecked) private var current: StreamReceiver?
    /// The receiver of audio; `nil` for video, and before its SSRC is known.
    @safe @exclusivity(unchecked) private(set) var payloads: PayloadReceiver?
    /// When its last packet arrived.
    @safe @exclusivity(unchecked) private(set) var lastArrival: MediaTime?
    /// A frame of it is being decoded.
    @safe @exclusivity(unchecked) var isDecoding = false
    /// What its source has announced about its silence, if anything.
    var announcedSilence: AnnouncedSilence? { didSet { noteAttention() } }
    /// The RID that it arrives under.
    var name: StreamIdentifier?
    /// A request may have to be sent to its sender.
    @safe @exclusivity(unchecked) var mayAsk = false
    /// Whether the app wants it.
    var isWanted = true
    /// The pause requests that follow from that.
    var pauses = PauseRequester() { didSet { noteAttention() } }
    /// What each packet must check of these, in one place.
    @safe @exclusivity(unchecked) private(set) var attention = Attention()
    /// Whether signaling reported that the remote side has paused it.
    var isMutedBySignalling = false
    var clock: SenderClock?
    /// Size of the newest picture.
    var size: Resolution?
    /// When it was added.
    let beginning: MediaTime

    init(_ settings: StreamReceiverSettings, at place: StreamPlace, _ beginning: MediaTime) {
        id = ReceivingStreamID(place: place)
        self.settings = settings
        self.beginning = beginning
        name = settings.rid
        if settings.jitterBuffer.ssrc != nil { begin() }
    }

    /// The receiver of its packets, for its current SSRC. (A copy of the reference: no access to the property lasts
    /// while it is used.)
    var receiver: StreamReceiver? { current }

    /// The SSRC of the stream itself, and of its retransmissions.
    var ssrc: SSRC? { settings.jitterBuffer.ssrc }
    var retransmissionSSRC: SSRC? { settings.repair.retransmission?.ssrc }

    /// Packets that arrive within this time after a BYE were overtaken by it, and restart nothing.
    static let straggling = MediaDuration.seconds(1)

    /// When it must be polled.
    var wakeTime: MediaTime {
        guard let receiver else { return .distantFuture }
        let deadline = attention.deadline
        return isDecoding ? deadline : min(deadline, receiver.wakeTime)
    }

    /// Whether its missing packets are requested.
    var isAsked: Bool { isWanted && !isMuted }

    /// The state that is checked with each packet.
    struct Attention {
        /// When a pause request is due.
        var deadline = MediaTime.distantFuture
        /// Whether packets of the stream affect pauses or ends.
        var isWatchful = false
    }

    private func noteAttention() {
        attention = Attention(
            deadline: pauses.deadline, isWatchful: announcedSilence != nil || pauses.isWaiting)
    }

    /// The round-trip time to its sender, as far as known.
    var roundTripTime: MediaDuration { receiver?.roundTripTime ?? .zero }

    /// Inserts a packet of its SSRCs; returns the result, whether it was the first, and when the stream must be
    /// polled now.
    @inline(__always)
    func insert(
        _ datagram: Span<UInt8>, at now: MediaTime
    ) -> (result: InsertResult?, isFirst: Bool, wakeTime: MediaTime) {
        let isFirst = lastArrival == nil
        lastArrival = now
        guard let receiver = current else { return (nil, isFirst, .distantFuture) }
        let result = receiver.insert(rtp: datagram, at: now)
        let wakeTime = isDecoding ? .distantFuture : receiver.wakeTime
        return (result, isFirst, min(attention.deadline, wakeTime))
    }

    /// Switches to another SSRC, and starts over.
    func change(to ssrc: SSRC, roundTripTime: MediaDuration?, at now: MediaTime) {
        settings.jitterBuffer.ssrc = ssrc
        // The retransmission stream of the new SSRC is not known yet: the old one's packets carry old sequence
        // numbers.
        settings.repair.retransmission?.ssrc = nil
        (lastArrival, end) = (nil, nil)
        begin()
        if let roundTripTime { receiver?.roundTripTime = roundTripTime }
        (clock, mayAsk) = (nil, false)
        // No request was made for this SSRC.
        pauses = PauseRequester()
        if !isWanted, settings.isPausable { pauses.want(false, at: now) }
        applyWant(at: now)
    }

    /// Continues with other settings and the known SSRCs.
    func change(_ settings: StreamReceiverSettings, roundTripTime: MediaDuration?, at now: MediaTime) {
        let old = self.settings
        self.settings = settings
        self.settings.jitterBuffer.ssrc = settings.jitterBuffer.ssrc ?? old.jitterBuffer.ssrc
        if self.settings.repair.retransmission?.ssrc == nil {
            self.settings.repair.retransmission?.ssrc = old.repair.retransmission?.ssrc
        }
        isDecoding = false
        size = nil
        guard ssrc != nil else { return }
        begin()
        if let roundTripTime { receiver?.roundTripTime = roundTripTime }
        applyWant(at: now)
    }

    /// Applies to the jitter buffer whether the stream is wanted. If the sender was asked to pause, packets are still
    /// buffered until it does, so that nothing is missing if the stream is wanted again before.
    func applyWant(at now: MediaTime) {
        guard let receiver else { return }
        switch (isWanted, settings.isPausable) {
        case (true, let isAsked):
            if receiver.isPaused { receiver.resume(expectingKeyFrame: isAsked, at: now) }
            receiver.expedite(at: now)
        case (false, false): receiver.pause(behind: nil, at: now)
        case (false, true): break
        }
    }

    /// Discards what is held, because the sender has paused.
    func holdNothing(behind last: SequenceNumber, at now: MediaTime) {
        receiver?.pause(behind: last, at: now)
    }

    /// Sets the SSRC of its retransmissions.
    func learn(retransmissions ssrc: SSRC) { settings.repair.retransmission?.ssrc = ssrc }

    private func begin() {
        (current, payloads) = (nil, nil)
        if settings.kind == .audio {
            payloads = ssrc.map { PayloadReceiver(settings.jitterBuffer, ssrc: $0) }
        } else {
            current = StreamReceiver(settings, isReporting: false)
        }
    }

    // MARK: Audio

    /// Inserts a packet of audio; returns the result, and whether it was the first.
    func insert(payloadOf datagram: Span<UInt8>, at now: MediaTime) -> (result: InsertResult?, isFirst: Bool) {
        let isFirst = lastArrival == nil
        lastArrival = now
        return (payloads?.insert(datagram, isWanted: isWanted, at: now), isFirst)
    }

    /// The payloads that wait to be taken.
    var waitingCount: Int { payloads?.waitingCount ?? 0 }

    /// Takes the oldest payload that waits.
    func takePayload(into bytes: inout [UInt8]) -> ReceivedPayload? { payloads?.next(into: &bytes) }

    // MARK: Both kinds

    /// The counters of its packets; `nil` before its SSRC is known.
    var statistics: InboundStatistics? { receiver?.statistics ?? payloads?.statistics }

    /// The block for the next report; `nil` before its first packet.
    func reportBlock(at now: MediaTime) -> ReportBlock? {
        if let receiver { return receiver.reportBlock(at: now) }
        return payloads?.reportBlock(at: now)
    }

    /// Records a sender report.
    func receive(_ report: SenderReport, at now: MediaTime) {
        receiver?.receive(report, at: now)
        payloads?.receive(report, at: now)
    }
}
