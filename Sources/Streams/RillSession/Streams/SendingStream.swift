import RillCore
import RillRTP
import RillSend

/// A stream that a session sends.
final class SendingStream {
    let id: SendingStreamID
    // No code of an app runs during an access to one of these: see RTPSession.
    @safe @exclusivity(unchecked) var sender: RTPStreamSender
    /// Whether payloads of audio are sent on it, and no frames.
    let isAudio: Bool
    /// Whether a sender report was sent since it started or restarted.
    var isReported = false
    /// Whether a key frame was requested that the app was not asked for yet.
    var isKeyFrameWanted = false
    /// Whether we muted it.
    var isMuted = false
    /// Whether signaling reported that the remote side has paused it.
    var isPausedBySignalling = false
    /// Stops it when nobody receives it.
    @safe @exclusivity(unchecked) var breaker = CircuitBreaker()
    /// What the remote side's reports say of it.
    var reported = ReportedPackets()
    /// The packets that left the pacer, of all kinds, and their bytes with all headers.
    var (packetsPaced, bytesPaced) = (0, 0)
    /// Whether the breaker has stopped it.
    var isStopped = false
    /// The remote side's pause requests in RTCP.
    var pauses = PauseAnswerer()
    /// Whether its silence was not reported yet.
    var isSilenceUnreported = false
    /// Whether a request was refused, and that was not reported yet.
    var isRefusalDue = false
    /// How its FEC follows the path; `nil` if it does not.
    var repair: AdaptiveRepair?
    /// Set while it resumes; `nil` if it never paused.
    var resumption: Resumption?
    /// When its SSRC last changed because of a collision.
    var lastCollision: MediaTime?

    init(_ settings: RTPStreamSettings, at place: StreamPlace) throws(SendError) {
        id = SendingStreamID(place: place)
        sender = try RTPStreamSender(settings)
        isAudio = settings.kind == .audio
        if settings.fec?.isAdaptive == true { repair = AdaptiveRepair() }
    }

    /// A resumption of a stream.
    struct Resumption {
        /// The first packet, of a key frame, and when it was sent; `nil` before that.
        var start: (number: SequenceNumber, time: MediaTime)?
    }

    /// Whether the remote side has paused it.
    var isPaused: Bool { pauses.isPaused || isPausedBySignalling }
    /// Whether nothing is sent on it.
    var isSilent: Bool { isMuted || isPaused || isStopped }
    /// Whether the remote side is notified in RTCP that it is silent. A pause by signaling needs no message.
    var isSilenceReported: Bool { isMuted || pauses.isPaused }

    /// Whether to send a frame: after a silence the first one must be a key frame.
    func takes(_ frame: EncodedFrame) -> Bool {
        !isSilent && (frame.isKey || resumption == nil || resumption?.start != nil)
    }

    /// The last packet that was sent; `nil` before the first.
    var newestSequenceNumber: SequenceNumber? {
        guard sender.statistics.packetsSent > 0 else { return nil }
        return SequenceNumber(UInt16(truncatingIfNeeded: sender.extendedHighestSequenceNumber))
    }

    /// Its SSRCs: its own, and that of its retransmissions.
    var sources: [SSRC] { [sender.settings.ssrc, sender.settings.retransmission?.ssrc].compactMap(\.self) }

    /// A second collision within this time means that our own packets come back: a new SSRC would only meet itself
    /// again.
    static let loopWindow = MediaDuration.seconds(10)
}

/// How a stream's FEC follows what the path loses.
struct AdaptiveRepair {
    private var policy = RepairPolicy()
    private var last = (frames: 0, packets: 0)

    /// Decides again, from what was sent since the last time.
    ///
    /// - Parameters:
    ///   - sender: the stream.
    ///   - loss: the share of packets that the path loses, 0 to 1.
    mutating func update(_ sender: inout RTPStreamSender, loss: Double) {
        let counts = sender.statistics
        let packets =
            counts.packetsSent - counts.fecPacketsSent - counts.retransmittedPacketsSent - counts.paddingPacketsSent
        let (frames, sent) = (counts.framesSent - last.frames, packets - last.packets)
        guard frames > 0, let roundTrip = sender.recentRoundTripTime else { return }
        last = (counts.framesSent, packets)
        sender.setFECPercentage(
            policy.update(loss: loss, roundTrip: roundTrip, packetsPerFrame: Double(sent) / Double(frames)))
    }
}
