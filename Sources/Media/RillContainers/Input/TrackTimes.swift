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
}
