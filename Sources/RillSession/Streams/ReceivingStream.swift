import RillCore
import RillRTP
import RillReceive
import RillState

/// A stream that a session receives. It has no jitter buffer before its source is known.
final class ReceivingStream {
    let id: ReceivingStreamID
    /// With the sources that are known now.
    private(set) var settings: StreamReceiverSettings
    private var current: StreamReceiver?
    /// When a packet of it came last.
    private(set) var lastArrival: MediaTime?
    /// A frame of it is being decoded.
    var isDecoding = false
    /// What its source has said of its silence, if anything.
    var announcedSilence: AnnouncedSilence? { didSet { noteAttention() } }
    /// The name that it comes under.
    var name: StreamIdentifier?
    /// Something may have to be asked of its sender.
    var mayAsk = false
    /// Somebody wants it.
    var isWanted = true
    /// What is asked of its sender by that.
    var pauses = PauseRequester() { didSet { noteAttention() } }
    /// What each packet needs to know of these, in one place.
    private(set) var attention = Attention()
    /// The other side sends nothing on it for a while, as signalling said.
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

    /// What its packets go through, under its present source. (A copy of the reference: no access to the property lasts while it is
    /// used.)
    var receiver: StreamReceiver? { current }

    /// The stream's own source, and that of its retransmissions.
    var ssrc: SSRC? { settings.jitterBuffer.ssrc }
    var retransmissionSSRC: SSRC? { settings.repair.retransmission?.ssrc }

    /// What comes within so long of a farewell was overtaken by it, and begins nothing anew.
    static let straggling = MediaDuration.seconds(1)

    /// When it wants to be polled.
    var wakeTime: MediaTime {
        guard let receiver else { return .distantFuture }
        let deadline = attention.deadline
        return isDecoding ? deadline : min(deadline, receiver.cell.state.wakeTime)
    }

    /// What is missing of it is asked for.
    var isAsked: Bool { isWanted && !isMuted }

    /// What is looked at with each packet.
    struct Attention {
        /// When something is to be asked.
        var deadline = MediaTime.distantFuture
        /// What comes of the stream says something of pauses and ends.
        var isWatchful = false
    }

    private func noteAttention() {
        attention = Attention(
            deadline: pauses.deadline, isWatchful: announcedSilence != nil || pauses.isWaiting)
    }

    /// The time to its sender and back, as far as known.
    var roundTripTime: MediaDuration { receiver?.cell.state.roundTripTime ?? .zero }

    /// Takes a packet of its sources; what became of it, whether it was the first, and when the stream wants to be polled now.
    @inline(__always)
    func insert(
        _ datagram: Span<UInt8>, at now: MediaTime
    ) -> (result: InsertResult?, isFirst: Bool, wakeTime: MediaTime) {
        let isFirst = lastArrival == nil
        lastArrival = now
        guard let receiver = current else { return (nil, isFirst, .distantFuture) }
        let result = receiver.cell.state.insert(rtp: datagram, at: now)
        let wakeTime = isDecoding ? .distantFuture : receiver.cell.state.wakeTime
        return (result, isFirst, min(attention.deadline, wakeTime))
    }

    /// Goes on with another source, as a stream of which nothing has come.
    func change(to ssrc: SSRC, roundTripTime: MediaDuration?, at now: MediaTime) {
        settings.jitterBuffer.ssrc = ssrc
        // Retransmissions have a source of their own, whose packets bear the old numbers.
        settings.repair.retransmission?.ssrc = nil
        (lastArrival, end) = (nil, nil)
        begin()
        if let roundTripTime { receiver?.cell.state.roundTripTime = roundTripTime }
        (clock, mayAsk) = (nil, false)
        // Of this one nobody has asked anything.
        pauses = PauseRequester()
        if !isWanted, settings.isPausable { pauses.want(false, at: now) }
        applyWant(at: now)
    }

    /// Goes on by other settings, with the sources that are known.
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
        if let roundTripTime { receiver?.cell.state.roundTripTime = roundTripTime }
        applyWant(at: now)
    }

    /// Has the jitter buffer hold what is wanted. Of what its sender was asked to pause all is taken until it does: should it be wanted
    /// again before that, nothing is missing.
    func applyWant(at now: MediaTime) {
        guard let receiver else { return }
        switch (isWanted, settings.isPausable) {
        case (true, let isAsked):
            if receiver.cell.state.isPaused { receiver.cell.state.resume(expectingKeyFrame: isAsked, at: now) }
            receiver.cell.state.expedite(at: now)
        case (false, false): receiver.cell.state.pause(behind: nil, at: now)
        case (false, true): break
        }
    }

    /// The sender has paused: what is held is of no use.
    func holdNothing(behind last: SequenceNumber, at now: MediaTime) {
        receiver?.cell.state.pause(behind: last, at: now)
    }

    /// Its retransmissions come from there.
    func learn(retransmissions ssrc: SSRC) { settings.repair.retransmission?.ssrc = ssrc }

    private func begin() { current = StreamReceiver(settings, isReporting: false) }
}
