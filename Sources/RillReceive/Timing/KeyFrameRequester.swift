import RillCore

/// Decides when the next key frame may be requested.
///
/// At most one request per max(300 ms, round-trip time, three frame intervals). In a slow stream a requested key
/// frame arrives with the next picture at the earliest, so an earlier request would only cost a second key frame.
struct KeyFrameRequester: Sendable {
    /// The round-trip time to the sender.
    var roundTripTime: MediaDuration
    /// When the last request was sent.
    private var lastRequest: MediaTime?

    /// The shortest interval between requests.
    static let minimumSpacing = MediaDuration.milliseconds(300)

    init(roundTripTime: MediaDuration) {
        self.roundTripTime = roundTripTime
    }

    /// Returns when the next request may be sent.
    func nextRequest(frameInterval: MediaDuration) -> MediaTime {
        guard let lastRequest else { return MediaTime(nanoseconds: .min) }
        return lastRequest + max(KeyFrameRequester.minimumSpacing, roundTripTime, frameInterval * 3)
    }

    /// Notes that a request is sent.
    mutating func noteRequest(at now: MediaTime) {
        lastRequest = now
    }
}
