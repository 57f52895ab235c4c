internal import CFFmpeg
import RillCore
import RillFiles

/// An open container, with the packets of its video track. Single owner.
@safe
final class ContainerInput {
    let path: String
    let track: VideoTrack
    /// The content of the file besides the pictures and the sound, one line each.
    let unusedContent: [String]
    private let demuxer: Demuxer

    /// The container's description of its video.
    struct VideoTrack {
        var index: Int
        var timeBase: AVRational
        var frameRate: FrameRate?
        /// The number of frames, if the container stores it.
        var frameCount: Int?
        /// How the container has the pictures brought upright; `nil` if it does not store that.
        var orientation: Orientation?
        /// Whether the pictures have alpha, which Matroska stores separately.
        var hasAlpha: Bool
        /// The start time of the container, in units of `timeBase`.
        var start: Int64
    }

    /// Opens a file and finds its video.
    init(path: String, sequenceRate: FrameRate = 30) throws(ContainerError) {
        self.path = path
        demuxer = try Demuxer(path: path, sequenceRate: sequenceRate)
        guard let (index, alpha) = demuxer.pictureTracks else { throw .noVideo(path: path) }
        track = VideoTrack(index, of: demuxer, hasAlphaTrack: alpha != nil)
        unusedContent = demuxer.unusedContent(besides: index, alpha: alpha)
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

    /// Returns the pixel aspect ratio, from the container or else from a picture's bitstream; 1:1 if neither declares
    /// it.
    @unsafe
    func pixelAspect(_ picture: UnsafeMutablePointer<AVFrame>) -> PixelAspect {
        let aspect = unsafe demuxer.pixelAspect(ofTrack: track.index, picture)
        guard aspect.num > 0, aspect.den > 0 else { return .square }
        return PixelAspect(width: Int(aspect.num), height: Int(aspect.den))
    }

    /// Reads the next packet of the video and passes it to `body`.
    @unsafe
    func next(_ body: (UnsafeMutablePointer<AVPacket>) -> Void) -> Demuxer.Outcome {
        let index = track.index
        return unsafe demuxer.next(of: { $0 == index }, body)
    }
}

extension ContainerInput.VideoTrack {
    fileprivate init(_ index: Int, of demuxer: Demuxer, hasAlphaTrack: Bool) {
        let stream = unsafe demuxer.track(index)
        self.index = index
        timeBase = unsafe stream.pointee.time_base
        frameRate = demuxer.frameRate(ofTrack: index)
        let count = unsafe stream.pointee.nb_frames
        frameCount = count > 0 ? Int(count) : nil
        orientation = unsafe Orientation(of: stream)
        hasAlpha = unsafe hasAlphaTrack || av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0) != nil
        start = demuxer.start(in: timeBase)
    }
}
