internal import CFFmpeg
import RillCore

/// An opened container, and the packets of its video track. Single owner.
@safe
final class ContainerInput {
    let path: String
    let track: VideoTrack
    private let demuxer: Demuxer

    /// What the container says of its video.
    struct VideoTrack {
        var index: Int
        var timeBase: AVRational
        var frameRate: FrameRate?
        /// Frames, where the container counts them.
        var frameCount: Int?
        /// How the pictures are to be turned.
        var rotation: Rotation
        /// The width of a pixel to its height.
        var pixelAspect: AVRational
        /// Whether the pictures have alpha, which Matroska keeps beside them.
        var hasAlpha: Bool
        /// The container's own beginning, in units of `timeBase`.
        var start: Int64
    }

    /// Opens a file and looks for its video.
    init(path: String, sequenceRate: FrameRate = 30) throws(ContainerError) {
        self.path = path
        demuxer = try Demuxer(path: path, sequenceRate: sequenceRate)
        guard let index = demuxer.videoIndex else { throw .noVideo(path: path) }
        track = VideoTrack(index, of: demuxer)
        demuxer.keepOnly { $0 == index }
    }

    /// How long the container says that it lasts.
    var claimedDuration: MediaDuration? { demuxer.claimedDuration }

    /// The codecs of all tracks of sound.
    var soundCodecNames: [String] {
        (0..<demuxer.trackCount).compactMap { index in
            let parameters = unsafe demuxer.track(index).pointee.codecpar!
            guard unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO else { return nil }
            return unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
        }
    }

    /// A decoder's parameters, which live as long as the input.
    @unsafe
    var parameters: UnsafeMutablePointer<AVCodecParameters> {
        unsafe demuxer.track(track.index).pointee.codecpar
    }

    /// Reads the next packet of the video; `body` gets it when there is one.
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
    /// The quarter turns of a track's display matrix; others are left as they are.
    @unsafe
    fileprivate init(ofDisplay stream: UnsafeMutablePointer<AVStream>) {
        var byteCount = 0
        guard let matrix = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &byteCount),
            byteCount >= 36
        else {
            self = .none
            return
        }
        // Nine numbers of 32 bits. What it gives is counterclockwise, and no number for a matrix that turns nothing.
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
