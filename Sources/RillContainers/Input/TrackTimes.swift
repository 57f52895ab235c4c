internal import CFFmpeg
import RillCore

/// The times of a track's pictures in nanoseconds from the container's beginning, which always rise.
struct TrackTimes {
    private let track: ContainerInput.VideoTrack
    /// What a picture lasts that does not say so.
    private let interval: MediaDuration
    private var last: MediaTime?

    init(_ track: ContainerInput.VideoTrack) {
        self.track = track
        interval = track.frameRate?.interval ?? .milliseconds(33)
    }

    /// The time of the next picture.
    @unsafe
    mutating func time(of picture: UnsafeMutablePointer<AVFrame>) -> MediaTime {
        let stamp = unsafe picture.pointee.best_effort_timestamp
        var time = MediaTime.zero
        if stamp != CFFmpeg_no_time {
            time = track.time(ofStamp: stamp)
        } else if let last {
            time = last + interval
        }
        // Files come from strangers: what goes back, or stands still, comes right behind what was before.
        if let last, time <= last { time = last + MediaDuration(nanoseconds: 1) }
        last = time
        return time
    }
}

extension ContainerInput.VideoTrack {
    /// A stamp of the track's as a time from the container's beginning.
    func time(ofStamp stamp: Int64) -> MediaTime {
        let nanoseconds = AVRational(num: 1, den: 1_000_000_000)
        return MediaTime(nanoseconds: av_rescale_q(stamp &- start, timeBase, nanoseconds))
    }
}
