import RillCore
import RillPeer
import RillRTP
import RillReceive
import RillSend
import RillSession

/// What a member is sent of the sound of one stream at a time.
///
/// It is a slot of the member's session: with one SSRC, one clock and one sequence of numbers, whoever speaks. The
/// member's session paces it, before pictures, counts it in the estimate, and reports on it.
final class SoundSubscription {
    /// Whose it is.
    let member: ICEPeerID
    /// The stream of the member's session.
    let sending: SendingStreamID
    /// The stream that is heard; `nil` for none.
    private(set) var stream: ForwardedStream?
    /// Since when.
    private(set) var start = MediaTime(nanoseconds: .min / 2)
    /// The packets that were sent.
    private(set) var packetCount = 0
    private var timeline = SoundTimeline()

    init(of member: ICEPeerID, sending: SendingStreamID) { (self.member, self.sending) = (member, sending) }

    /// Sends the sound of another stream; `nil` for none.
    func hear(_ other: ForwardedStream?, at now: MediaTime = MediaTime(nanoseconds: .min / 2)) {
        guard stream !== other else { return }
        stream?.listeners.removeAll { $0 === self }
        (stream, start) = (other, now)
        other?.listeners.append(self)
        timeline.restart()
    }

    /// Another publisher has taken over.
    func restart() { timeline.restart() }

    /// Sends a payload.
    ///
    /// - Parameters:
    ///   - payload: the payload, as its publisher sent it.
    ///   - bytes: its bytes.
    ///   - wallClock: its time on the publisher's wall clock; `nil` before the publisher's first report.
    ///   - slot: the member's slot with pictures of the same publisher; `nil` for none.
    ///   - connection: the member's.
    ///   - now: the current time.
    func send(
        _ payload: ReceivedPayload, _ bytes: Span<UInt8>, wallClock: NTPTimestamp?, besides slot: Subscription?,
        over connection: PeerConnection, at now: MediaTime
    ) {
        let time = timeline.time(of: payload.timestamp, arrival: payload.arrival)
        let captured = wallClock.flatMap { slot?.time(of: $0) }
        let stamp = PayloadStamp(
            captureTime: time, captured: captured, isMarked: payload.hasMarker, level: payload.level)
        if connection.send(bytes, stamp, of: sending, at: now) != nil { packetCount += 1 }
    }
}
