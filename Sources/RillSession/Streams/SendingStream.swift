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
    /// Nothing is sent on it for a while.
    var isMuted = false
    /// That it is muted was not said yet.
    var isMuteUntold = false
    /// When its source was changed last because the other side had the same.
    var lastCollision: MediaTime?

    init(_ settings: RTPStreamSettings, at place: StreamPlace) throws(SendError) {
        id = SendingStreamID(place: place)
        cell = StateCell(try RTPStreamSender(settings))
    }

    /// Its sources: its own, and that of its retransmissions.
    var sources: [SSRC] { [cell.state.settings.ssrc, cell.state.settings.retransmission?.ssrc].compactMap(\.self) }

    /// Two collisions within so long are our own packets coming back: another source would only meet itself again.
    static let loopWindow = MediaDuration.seconds(10)
}
