internal import CFFmpeg
import RillCore

/// An open container, with the packets of its video track. Single owner.
@safe
final class ContainerInput {
    let path: String
    let track: VideoTrack
    private let demuxer: Demuxer

    /// The container's description of its video.
    struct VideoTrack {
        var index: Int
        var timeBase: AVRational
        var frameRate: FrameRate?
        /// The number of frames, if the container stores it.
        var frameCount: Int?
        /// The rotation that brings the pictures upright.
        var rotation: Rotation
        /// The pixel aspect ratio.
        var pixelAspect: AVRational
        /// Whether the pictures have alpha, which Matroska stores separately.
        var hasAlpha: Bool
        /// The start time of the container, in units of `timeBase`.
        var start: Int64
    }

    /// Opens a file and finds its video.
    init(path: String, sequenceRate: FrameRate = 30) throws(ContainerError) {
        self.path = path
        demuxer = try Demuxer(path: path, sequenceRate: sequenceRate)
        guard let index = demuxer.videoIndex else { throw .noVideo(path: path) }
        track = VideoTrack(index, of: demuxer)
        demuxer.keepOnly { $0 == index }
    }

    /// The container's declared duration.
    var claimedDuration: MediaDuration? { demuxer.claimedDuration }

    /// The codecs of all audio tracks.
    var audioCodecNames: [String] {
        (0..<demuxer.trackCount).compactMap { index in
            let parameters = unsafe demuxer.track(index).pointee.codecpar!
            guard unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { return nil }
            return unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
        }
    }

    /// The decoder's parameters, which live as long as the input.
    @unsafe
    var parameters: UnsafeMutablePointer<AVCodecParameters> {
        unsafe demuxer.track(track.index).pointee.codecpar
    }

    /// Reads the next packet of the video and passes it to `body`.
    @unsafe
    func next(_ body: (UnsafeMutablePointer<AVPacket>) -> Void) -> Demuxer.Outcome {
        let index = track.index
        return unsafe demuxer.next(of: { $0 == index }, body)
    }
}

extension ContainerInput.VideoTrack {
    fileprivate init(_ index: Int, of demuxer: Demuxer) {
        let stream = unsafe demuxer.track(index)
        self.index = index
        timeBase = unsafe stream.pointee.time_base
        frameRate = demuxer.frameRate(ofTrack: index)
        let count = unsafe stream.pointee.nb_frames
        frameCount = count > 0 ? Int(count) : nil
        rotation = unsafe Rotation(ofDisplay: stream)
        let aspect = unsafe stream.pointee.sample_aspect_ratio
        pixelAspect = aspect.num > 0 && aspect.den > 0 ? aspect : AVRational(num: 1, den: 1)
        hasAlpha = unsafe av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0) != nil
        start = demuxer.start(in: timeBase)
    }
}

extension Rotation {
    /// Creates the rotation of a track's display matrix. Anything but a multiple of 90 degrees counts as none.
    @unsafe
    fileprivate init(ofDisplay stream: UnsafeMutablePointer<AVStream>) {
        var byteCount = 0
        guard let matrix = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &byteCount),
            byteCount >= 36
        else {
            self = .none
            return
        }
        // Nine 32-bit numbers. The result is counterclockwise, and NaN for a matrix without a rotation.
        let degrees = unsafe matrix.withMemoryRebound(to: Int32.self, capacity: 9) {
            unsafe av_display_rotation_get($0)
        }
        guard degrees.isFinite else {
            self = .none
            return
        }
        let clockwise = ((-Int(degrees.rounded()) % 360) + 360) % 360
        self = Rotation(rawValue: clockwise) ?? .none
    }
}
