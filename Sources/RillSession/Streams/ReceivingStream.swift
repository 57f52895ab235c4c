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
    /// What its source has said of its silence, if anything. (In one place: it is looked at with each packet.)
    var announcedSilence: AnnouncedSilence?
    /// The name that it comes under.
    var name: StreamIdentifier?
    /// Something may have to be asked of its sender.
    var mayAsk = false
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
        guard let receiver, !isDecoding else { return .distantFuture }
        return receiver.cell.state.wakeTime
    }

    /// Takes a packet of its sources; what became of it, whether it was the first, and when the stream wants to be polled now.
    @inline(__always)
    func insert(
        _ datagram: Span<UInt8>, at now: MediaTime
    ) -> (result: InsertResult?, isFirst: Bool, wakeTime: MediaTime) {
        let isFirst = lastArrival == nil
        lastArrival = now
        let result = receiver?.cell.state.insert(rtp: datagram, at: now)
        return (result, isFirst, wakeTime)
    }

    /// Goes on with another source, as a stream of which nothing has come.
    func change(to ssrc: SSRC, roundTripTime: MediaDuration?) {
        settings.jitterBuffer.ssrc = ssrc
        // Retransmissions have a source of their own, whose packets bear the old numbers.
        settings.repair.retransmission?.ssrc = nil
        (lastArrival, end) = (nil, nil)
        begin()
        if let roundTripTime { receiver?.cell.state.roundTripTime = roundTripTime }
        (clock, mayAsk) = (nil, false)
    }

    /// Its retransmissions come from there.
    func learn(retransmissions ssrc: SSRC) { settings.repair.retransmission?.ssrc = ssrc }

    private func begin() { current = StreamReceiver(settings, isReporting: false) }
}
