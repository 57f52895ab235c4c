/// Makes the timestamps of a transport stream continuous when its clock restarts: joined recordings, a restarted
/// sender, a splice.
///
/// A transport stream may do that anywhere (ISO/IEC 13818-1, 2.4.3.5). A track that goes back, or moves far ahead of
/// all tracks, has jumped: an offset added to all later timestamps makes it continue where it ended. Audio and video
/// jump together, so all tracks are examined, whichever are used.
struct TimestampContinuity {
    /// The position of a track in nanoseconds, with the offset.
    private struct Track {
        var last: Int64
        /// The end of its last packet.
        var next: Int64
    }

    private var tracks: [Int: Track] = [:]
    /// The latest time of all tracks.
    private var latest = Int64.min
    /// The offset added to timestamps now, in nanoseconds.
    private(set) var shift: Int64 = 0
    /// Whether any track has jumped.
    private(set) var hasJumped = false

    /// The ffmpeg program uses the same two thresholds.
    private static let mostBack: Int64 = 100_000_000
    private static let mostAhead: Int64 = 10_000_000_000
    /// The assumed duration of a packet that does not declare one.
    private static let usualDuration: Int64 = 33_333_333

    /// Records a packet. Afterwards ``shift`` is the offset for its timestamps.
    ///
    /// - Parameters:
    ///   - track: the packet's track.
    ///   - stamp: its decoding time in nanoseconds, as stored in the file.
    ///   - duration: its duration; 0 if unknown.
    mutating func note(track: Int, at stamp: Int64, lasting duration: Int64) {
        var time = stamp &+ shift
        if let before = tracks[track] {
            let (fall, fallIsTooLarge) = before.last.subtractingReportingOverflow(time)
            let (rise, riseIsTooLarge) = time.subtractingReportingOverflow(latest)
            if fallIsTooLarge || riseIsTooLarge || fall > Self.mostBack || rise > Self.mostAhead {
                hasJumped = true
                time = before.next
                shift = time &- stamp
            }
        }
        tracks[track] = Track(last: time, next: time &+ (duration > 0 ? duration : Self.usualDuration))
        latest = max(latest, time)
    }
}
