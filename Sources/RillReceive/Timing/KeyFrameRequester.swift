import RillCore

/// Says when the next key frame may be asked for.
///
/// At most one request in max(300 ms, round trip time), and not before three frame intervals: the key frame that a slow
/// stream was asked for comes with the next picture at the earliest, so a request before that would only cost a second
/// key frame.
struct KeyFrameRequester: Sendable {
    /// From here to the sender and back.
    var roundTripTime: MediaDuration
    /// The last request.
    private var lastRequest: MediaTime?

    /// Requests are at least this far apart.
    static let minimumSpacing = MediaDuration.milliseconds(300)

    init(roundTripTime: MediaDuration) {
        self.roundTripTime = roundTripTime
    }

    /// When the next request may be made; before that, ask for nothing.
    func nextRequest(frameInterval: MediaDuration) -> MediaTime {
        guard let lastRequest else { return MediaTime(nanoseconds: .min) }
        return lastRequest + max(KeyFrameRequester.minimumSpacing, roundTripTime, frameInterval * 3)
    }

    /// Notes that a request goes out.
    mutating func noteRequest(at now: MediaTime) {
        lastRequest = now
    }
}
