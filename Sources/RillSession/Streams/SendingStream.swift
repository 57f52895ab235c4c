import RillCore
import RillRTP
import RillSend
import RillState

/// A stream that a session sends.
final class SendingStream {
    let id: SendingStreamID
    let cell: StateCell<RTPStreamSender>
    /// A sender report has told of it since it began, or began again.
    var isReported = false
    /// The other side wants a key frame, and the app was not told yet.
    var isKeyFrameWanted = false
    /// Nothing is sent on it for a while, by our own decision.
    var isMuted = false
    /// The other side wants nothing of it, as signalling said.
    var isPausedBySignalling = false
    /// What the other side asks in RTCP.
    var pauses = PauseAnswerer()
    /// That it is silent was not said yet.
    var isSilenceUntold = false
    /// A request was not followed, and that was not said yet.
    var isRefusalDue = false
    /// It goes on, or began, and has sent nothing since then but what is told here.
    var resumption: Resumption?
    /// When its source was changed last because the other side had the same.
    var lastCollision: MediaTime?

    init(_ settings: RTPStreamSettings, at place: StreamPlace) throws(SendError) {
        id = SendingStreamID(place: place)
        cell = StateCell(try RTPStreamSender(settings))
    }

    /// How a stream went on.
    struct Resumption {
        /// The first packet, of a key frame, and when it was sent; `nil` before that.
        var start: (number: SequenceNumber, time: MediaTime)?
    }

    /// The other side wants nothing of it.
    var isPaused: Bool { pauses.isPaused || isPausedBySignalling }
    /// Nothing is sent on it.
    var isSilent: Bool { isMuted || isPaused }
    /// The other side is told that nothing is sent on it. Who does without RTCP for that needs no word.
    var isSilenceTold: Bool { isMuted || pauses.isPaused }

    /// Whether a frame is of use to the other side: what comes behind a silence begins with a key frame.
    func takes(_ frame: EncodedFrame) -> Bool {
        !isSilent && (frame.isKey || resumption == nil || resumption?.start != nil)
    }

    /// The last packet that was sent; `nil` before the first.
    var newestSequenceNumber: SequenceNumber? {
        guard cell.state.statistics.packetsSent > 0 else { return nil }
        return SequenceNumber(UInt16(truncatingIfNeeded: cell.state.extendedHighestSequenceNumber))
    }

    /// Its sources: its own, and that of its retransmissions.
    var sources: [SSRC] { [cell.state.settings.ssrc, cell.state.settings.retransmission?.ssrc].compactMap(\.self) }

    /// Two collisions within so long are our own packets coming back: another source would only meet itself again.
    static let loopWindow = MediaDuration.seconds(10)
}
