import RillCore
import RillRTP
import RillReceive

/// A stream that a session receives. It has no jitter buffer before its source is known.
final class ReceivingStream {
    let id: ReceivingStreamID
    /// With the sources that are known now.
    private(set) var settings: StreamReceiverSettings
    private(set) var receiver: StreamReceiver?
    /// The name that it comes under.
    var name: StreamIdentifier?
    /// When a packet of it came last.
    var lastArrival: MediaTime?
    /// A frame of it is being decoded.
    var isDecoding = false
    /// Something may have to be asked of its sender.
    var mayAsk = false
    var isMuted = false
    /// When its source said that it ends.
    var end: MediaTime?
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

    /// The stream's own source, and that of its retransmissions.
    var ssrc: SSRC? { settings.jitterBuffer.ssrc }
    var retransmissionSSRC: SSRC? { settings.repair.retransmission?.ssrc }

    /// When it wants to be polled.
    var wakeTime: MediaTime {
        guard let receiver, !isDecoding else { return .distantFuture }
        return receiver.wakeTime
    }

    /// Goes on with another source, as a stream of which nothing has come.
    func change(to ssrc: SSRC, roundTripTime: MediaDuration?) {
        settings.jitterBuffer.ssrc = ssrc
        // Retransmissions have a source of their own, whose packets bear the old numbers.
        settings.repair.retransmission?.ssrc = nil
        begin()
        if let roundTripTime { receiver?.roundTripTime = roundTripTime }
        (lastArrival, clock, end, mayAsk) = (nil, nil, nil, false)
    }

    /// Its retransmissions come from there.
    func learn(retransmissions ssrc: SSRC) { settings.repair.retransmission?.ssrc = ssrc }

    private func begin() { receiver = StreamReceiver(settings, isReporting: false) }
}
