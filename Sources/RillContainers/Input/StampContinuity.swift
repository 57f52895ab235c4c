/// Keeps the stamps of a transport stream going where its clock begins anew: recordings that were joined, a sender that was
/// started again, a splice.
///
/// A transport stream may do that anywhere (ISO/IEC 13818-1, 2.4.3.5). A track that goes back, or leaves all tracks behind
/// by far, has jumped: what is added to all stamps from then on has it go on where it ended. Sound and picture
/// jump together, so all tracks are looked at whichever are wanted.
struct StampContinuity {
    /// Where a track stands, in nanoseconds, with what is added.
    private struct Track {
        var last: Int64
        /// Behind the last packet.
        var next: Int64
    }

    private var tracks: [Int: Track] = [:]
    /// The latest of all tracks.
    private var latest = Int64.min
    /// What is added to the stamps now, in nanoseconds.
    private(set) var shift: Int64 = 0
    /// Whether any track has jumped.
    private(set) var hasJumped = false

    /// FFmpeg's program takes the same two for a jump.
    private static let mostBack: Int64 = 100_000_000
    private static let mostAhead: Int64 = 10_000_000_000
    /// What a packet lasts that does not say so.
    private static let usualDuration: Int64 = 33_333_333

    /// Notes a packet; ``shift`` is then what is to be added to its stamps.
    ///
    /// - Parameters:
    ///   - stamp: when it is to be decoded, in nanoseconds, as the file says.
    ///   - duration: how long it lasts; 0 where that is not known.
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
