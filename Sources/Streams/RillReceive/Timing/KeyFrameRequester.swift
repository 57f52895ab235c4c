package import RillCore

/// Decides when the next key frame may be requested: by a jitter buffer, by a forwarder for all viewers of a layer, and
/// on behalf of one viewer.
///
/// At most one request per max(300 ms, round-trip time, three frame intervals). In a slow stream a requested key
/// frame arrives with the next picture at the earliest, so an earlier request would only cost a second key frame.
///
/// A request that no usable key frame answers is repeated after that time twice, since packets get lost. After that
/// each interval is twice the one before, up to 4 s: what was sent does not parse, or nobody is there to encode it, and
/// every key frame costs the sender's other receivers bitrate. A key frame counts as usable unless a frame fails within
/// a second of it.
///
/// A stream that has stopped is asked once more: some senders answer a request for a layer that they do not send with
/// key frames on the layers that they do.
package struct KeyFrameRequester: Sendable {
    /// The round-trip time to the sender.
    package var roundTripTime: MediaDuration
    /// When the last request was sent.
    private var lastRequest: MediaTime?
    /// The requests since the last usable key frame.
    private var unanswered = 0
    /// When a key frame arrived that followed the last request; `nil` if none did, or it was not usable.
    private var keyFrameTime: MediaTime?

    /// The shortest interval between requests.
    package static let minimumSpacing = MediaDuration.milliseconds(300)
    /// The longest interval, unless the round trip or three frame intervals are longer.
    package static let maximumSpacing = MediaDuration.seconds(4)
    /// A stream without packets for that time has stopped: ten frames at 5 frames a second, and two at one.
    package static let stopTimeout = MediaDuration.seconds(2)
    /// A key frame was not usable if a frame fails so soon after it.
    private static let trial = MediaDuration.seconds(1)
    /// The requests that are sent at the shortest interval.
    private static let quickCount = 2
    /// 300 ms, doubled that often, is more than the longest interval.
    private static let mostDoublings = 4

    /// A requester that has not requested anything.
    package init(roundTripTime: MediaDuration) {
        self.roundTripTime = roundTripTime
    }

    /// Returns when the next request may be sent.
    ///
    /// - Parameters:
    ///   - frameInterval: the interval of the stream's frames; zero if it is not known.
    ///   - lastArrival: when something of the stream arrived last.
    /// - Returns: the time; in the distant future for a stream that has stopped and was asked since.
    package func nextRequest(frameInterval: MediaDuration, lastArrival: MediaTime) -> MediaTime {
        guard let lastRequest else { return MediaTime(nanoseconds: .min) }
        guard lastRequest < lastArrival + KeyFrameRequester.stopTimeout else { return .distantFuture }
        let usual = max(KeyFrameRequester.minimumSpacing, roundTripTime, frameInterval * 3)
        let count = keyFrameTime == nil ? unanswered - KeyFrameRequester.quickCount : 0
        let doubled = usual * (1 << min(max(count, 0), KeyFrameRequester.mostDoublings))
        return lastRequest + max(usual, min(doubled, KeyFrameRequester.maximumSpacing))
    }

    /// Notes that a request is sent.
    package mutating func noteRequest(at now: MediaTime) {
        unanswered = keyFrameTime == nil ? unanswered + 1 : 1
        (lastRequest, keyFrameTime) = (now, nil)
    }

    /// Notes that a key frame arrived, and parses.
    package mutating func noteKeyFrame(at now: MediaTime) { keyFrameTime = keyFrameTime ?? now }

    /// Notes that a frame does not parse, was not decoded, or that its receiver asks again.
    package mutating func noteFailure(at now: MediaTime) {
        if let keyFrameTime, now - keyFrameTime < KeyFrameRequester.trial { self.keyFrameTime = nil }
    }
}
