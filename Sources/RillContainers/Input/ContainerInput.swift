internal import CFFmpeg
import Glibc
import RillCore

/// An opened container, and the packets of its video track. Single owner.
@safe
final class ContainerInput {
    let path: String
    let track: VideoTrack
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: UnsafeMutablePointer<AVPacket>

    /// What the container says of its video.
    struct VideoTrack {
        var index: Int32
        var timeBase: AVRational
        var frameRate: FrameRate?
        /// Frames, where the container counts them.
        var frameCount: Int?
        /// How the pictures are to be turned.
        var rotation: Rotation
        /// The container's own beginning, in units of `timeBase`.
        var start: Int64
    }

    /// Opens a file and looks for its video.
    ///
    /// Only files are opened: what a playlist names elsewhere is not fetched.
    init(path: String) throws(ContainerError) {
        // It writes what it thinks of a file to standard error; what matters of that is in the errors here.
        av_log_set_level(AV_LOG_QUIET)
        var options: OpaquePointer?
        unsafe av_dict_set(&options, "protocol_whitelist", "file", 0)
        defer { unsafe av_dict_free(&options) }
        var opened: UnsafeMutablePointer<AVFormatContext>?
        let result = unsafe avformat_open_input(&opened, "file:" + path, nil, &options)
        guard result >= 0, let context = unsafe opened else {
            throw .cannotOpen(path: path, reason: text(ofError: result))
        }
        do throws(ContainerError) {
            track = try unsafe VideoTrack(of: context, path)
            guard let packet = unsafe av_packet_alloc() else { throw ContainerError.outOfMemory(path: path) }
            unsafe self.packet = packet
        } catch {
            unsafe avformat_close_input(&opened)
            throw error
        }
        self.path = path
        unsafe self.context = context
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&context)
    }

    /// A decoder's parameters, which live as long as the input.
    @unsafe
    var parameters: UnsafeMutablePointer<AVCodecParameters> {
        // The track's index is one of the streams'.
        unsafe context.pointee.streams[Int(track.index)]!.pointee.codecpar
    }

    /// What a look for the next packet of the video ended with.
    enum Outcome {
        case packet
        case end
        case failed(String)
    }

    /// Reads the next packet of the video; `body` gets it when there is one.
    @unsafe
    func next(_ body: (UnsafeMutablePointer<AVPacket>) -> Void) -> Outcome {
        while true {
            let result = unsafe av_read_frame(context, packet)
            guard result >= 0 else {
                return result == CFFmpeg_end ? .end : .failed(text(ofError: result))
            }
            defer { unsafe av_packet_unref(packet) }
            guard unsafe packet.pointee.stream_index == track.index else { continue }
            unsafe body(packet)
            return .packet
        }
    }
}

extension ContainerInput.VideoTrack {
    @unsafe
    fileprivate init(of context: UnsafeMutablePointer<AVFormatContext>, _ path: String) throws(ContainerError) {
        // Frames at the beginning are read for what the container does not say.
        _ = unsafe avformat_find_stream_info(context, nil)
        let index = unsafe av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard index >= 0, let stream = unsafe context.pointee.streams[Int(index)],
            unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        else { throw .noVideo(path: path) }
        self.index = index
        timeBase = unsafe stream.pointee.time_base
        frameRate = unsafe FrameRate(av_guess_frame_rate(context, stream, nil))
        let count = unsafe stream.pointee.nb_frames
        frameCount = count > 0 ? Int(count) : nil
        rotation = unsafe Rotation(ofDisplay: stream)
        let begin = unsafe context.pointee.start_time
        let microseconds = AVRational(num: 1, den: 1_000_000)
        start = begin == CFFmpeg_no_time ? 0 : av_rescale_q(begin, microseconds, timeBase)
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

extension FrameRate {
    fileprivate init?(_ rate: AVRational) {
        self.init(validating: Int(rate.num), per: Int(rate.den))
    }
}

/// libav's words for a code of its own.
func text(ofError code: Int32) -> String {
    let text = unsafe String(unsafeUninitializedCapacity: 128) { bytes in
        // It writes no more than that, with a zero at the end.
        let isKnown = unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe av_strerror(code, $0.baseAddress, 128) }
        return isKnown >= 0 ? unsafe strlen(UnsafePointer(bytes.baseAddress!)) : 0
    }
    return text.isEmpty ? "error \(code)" : text
}
