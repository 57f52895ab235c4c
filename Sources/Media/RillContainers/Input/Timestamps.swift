internal import CFFmpeg
import RillCore

/// The times of a track's pictures in nanoseconds since the start of the container, strictly increasing.
struct TrackTimes {
    private let track: ContainerInput.VideoTrack
    private var rising: IncreasingTimes

    init(_ track: ContainerInput.VideoTrack) {
        self.track = track
        rising = IncreasingTimes(interval: track.frameRate?.interval ?? .milliseconds(33))
    }

    /// Returns the time of the next picture.
    @unsafe
    mutating func time(of picture: UnsafeMutablePointer<AVFrame>) -> MediaTime {
        let stamp = unsafe picture.pointee.best_effort_timestamp
        return rising.time(of: stamp == CFFmpeg_no_time ? nil : track.time(ofStamp: stamp))
    }
}

extension ContainerInput.VideoTrack {
    /// Converts a timestamp of the track to a time since the start of the container.
    func time(ofStamp stamp: Int64) -> MediaTime {
        let nanoseconds = AVRational(num: 1, den: 1_000_000_000)
        return MediaTime(nanoseconds: av_rescale_q(stamp &- start, timeBase, nanoseconds))
    }

    /// Converts a duration of the track; zero if it is unknown, or longer than any picture is shown (an hour).
    func duration(ofTicks ticks: Int64) -> MediaDuration {
        let duration = av_rescale_q(ticks, timeBase, AVRational(num: 1, den: 1_000_000_000))
        return (1...3_600_000_000_000).contains(duration) ? MediaDuration(nanoseconds: duration) : .zero
    }
}

/// Compares a decoder's output with its input: each packet yields one picture, in the order of timestamps. It detects
/// a decoder that silently drops pictures, as some do when references are missing.
struct AwaitedTimestamps {
    /// The timestamps of packets whose pictures have not arrived, in order.
    private var timestamps: [Int64] = []
    private var hasBegun = false
    /// Whether a packet had no timestamp, so that nothing can be checked.
    private var isBlind = false

    /// More pictures than any decoder holds back, all threads together.
    private static let limit = 256

    /// Records a packet that goes to the decoder.
    ///
    /// - Returns: `false` if far too many pictures are missing.
    mutating func add(_ stamp: Int64?) -> Bool {
        guard let stamp, !isBlind else {
            isBlind = true
            timestamps = []
            return true
        }
        let place = timestamps.lastIndex { $0 <= stamp }.map { $0 + 1 } ?? 0
        timestamps.insert(stamp, at: place)
        return timestamps.count <= Self.limit
    }

    /// Records a picture from the decoder.
    ///
    /// - Returns: whether it is the expected one. Packets before the first picture may yield none, since a stream can
    ///   start in the middle.
    mutating func remove(_ stamp: Int64?) -> Bool {
        guard !isBlind else { return true }
        if !hasBegun, let stamp {
            hasBegun = true
            timestamps.removeAll { $0 < stamp }
        }
        guard stamp == timestamps.first else { return false }
        timestamps.removeFirst()
        return true
    }

    /// Whether all pictures have arrived.
    var isEmpty: Bool { timestamps.isEmpty }
}

/// The pictures of lower spatial layers that a decoder still has to put out.
///
/// A packet of VP9 with spatial layers holds a frame for each layer, and libavcodec's decoder puts out each of them
/// as a picture, the smallest first. Only the last one is the picture of that moment.
struct LowerLayers {
    private var counts: [(stamp: Int64?, count: Int)] = []

    /// More packets than any decoder holds back.
    private static let limit = 256

    /// Records a packet with that many lower layers.
    mutating func add(_ count: Int, at stamp: Int64?) {
        guard count > 0 else { return }
        if counts.count == Self.limit { counts.removeFirst() }
        counts.append((stamp, count))
    }

    /// Returns whether a picture is that of a lower layer, and counts it. Pictures come in the order of packets.
    mutating func takeLower(at stamp: Int64?) -> Bool {
        guard let index = counts.firstIndex(where: { $0.stamp == stamp }) else { return false }
        counts.removeFirst(index)
        guard counts[0].count > 0 else {
            counts.removeFirst()
            return false
        }
        counts[0].count -= 1
        return true
    }
}

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
