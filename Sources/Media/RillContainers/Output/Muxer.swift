internal import CFFmpeg
import RillCore
import RillFiles
import RillRTP

/// libavformat's muxer: one video track, followed by the audio tracks. Single owner.
@safe
final class Muxer {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let held: UnsafeMutablePointer<AVPacket>
    private let bytes: MuxerBytes
    private let path: String

    /// Sets up the tracks and writes the header. If the muxer rejects the audio, that is left out.
    init(
        _ bytes: MuxerBytes, _ format: ContainerFormat, _ video: ContainerWriter.Video, _ audio: AudioTracks?,
        path: String
    ) throws(ContainerError) {
        if let audio, !audio.copied.isEmpty, !Self.accepts(format, video, audio) {
            audio.drop(because: "\(format.rawValue) cannot hold it")
        }
        let made = unsafe Self.makeContext(format, video, audio)
        guard let context = unsafe made, let held = unsafe av_packet_alloc() else {
            unsafe avformat_free_context(made)
            throw .outOfMemory(path: path)
        }
        self.bytes = bytes
        self.path = path
        unsafe self.context = context
        unsafe self.held = held
        unsafe context.pointee.pb = bytes.context
        // On an output that cannot seek, libavformat writes a live file by itself.
        try check(unsafe avformat_write_header(context, nil))
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe held
        unsafe av_packet_free(&packet)
        // The output is owned separately, and closed afterwards.
        unsafe avformat_free_context(context)
    }

    /// Keeps a copy of a video frame.
    func hold(_ payload: Span<UInt8>, at tick: Int64, isKey: Bool) throws(ContainerError) {
        guard let size = Int32(exactly: payload.count), unsafe av_new_packet(held, size) == 0 else {
            throw .outOfMemory(path: path)
        }
        // The packet has exactly that many bytes.
        let copy = unsafe UnsafeMutableRawBufferPointer(start: held.pointee.data, count: payload.count)
        unsafe payload.withUnsafeBytes { unsafe copy.copyMemory(from: $0) }
        unsafe held.pointee.pts = tick
        unsafe held.pointee.dts = tick
        unsafe held.pointee.flags = isKey ? AV_PKT_FLAG_KEY : 0
    }

    /// Writes the held frame.
    func writeHeld(duration: Int64) throws(ContainerError) {
        unsafe held.pointee.duration = duration
        defer { unsafe av_packet_unref(held) }
        try unsafe write(held, track: 0)
    }

    /// Writes a packet of a track, with timestamps on the muxer's clock. Packets must arrive in file order.
    @unsafe
    func write(_ packet: UnsafeMutablePointer<AVPacket>, track: Int) throws(ContainerError) {
        unsafe packet.pointee.stream_index = Int32(track)
        unsafe packet.pointee.pos = -1
        try check(unsafe av_write_frame(context, packet))
    }

    /// Writes the index, completes the header, and closes the file.
    func finish() throws(ContainerError) {
        try check(unsafe av_write_trailer(context))
        do { try bytes.finish() } catch { throw .fileFailed(error) }
    }

    private func check(_ result: Int32) throws(ContainerError) {
        if let failure = bytes.failure { throw .fileFailed(failure) }
        guard result < 0 else { return }
        throw .cannotWrite(path: path, reason: text(ofError: result))
    }

    // MARK: Tracks

    private static func makeContext(
        _ format: ContainerFormat, _ video: ContainerWriter.Video, _ audio: AudioTracks?
    ) -> UnsafeMutablePointer<AVFormatContext>? {
        var made: UnsafeMutablePointer<AVFormatContext>?
        guard unsafe avformat_alloc_output_context2(&made, nil, format.muxerName, nil) >= 0,
            let context = unsafe made
        else { return nil }
        // No dates, no version numbers, no random numbers.
        unsafe context.pointee.flags |= AVFMT_FLAG_BITEXACT
        var isComplete = unsafe addVideo(video, to: context)
        for track in 0..<(audio?.copied.count ?? 0) {
            guard isComplete, let source = unsafe audio?.stream(track) else { break }
            isComplete = unsafe addSound(source, to: context)
        }
        guard isComplete else {
            unsafe avformat_free_context(context)
            return nil
        }
        return unsafe context
    }

    @unsafe
    private static func addVideo(
        _ video: ContainerWriter.Video, to context: UnsafeMutablePointer<AVFormatContext>
    ) -> Bool {
        guard let stream = unsafe avformat_new_stream(context, nil),
            let parameters = unsafe stream.pointee.codecpar
        else { return false }
        unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        unsafe parameters.pointee.codec_id = video.codec.contained
        unsafe parameters.pointee.width = Int32(video.resolution.width)
        unsafe parameters.pointee.height = Int32(video.resolution.height)
        unsafe parameters.pointee.color_range = video.colorSpace.range == .full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        switch video.colorSpace.matrix {
        case .bt601:
            unsafe parameters.pointee.color_space = AVCOL_SPC_SMPTE170M
        case .bt709:
            unsafe parameters.pointee.color_space = AVCOL_SPC_BT709
            unsafe parameters.pointee.color_primaries = AVCOL_PRI_BT709
            unsafe parameters.pointee.color_trc = AVCOL_TRC_BT709
        }
        if let colors = video.colors {
            // FFmpeg's numbers are those of H.273; the muxer writes none for 2, "unspecified".
            if let matrix = colors.matrix { unsafe parameters.pointee.color_space = AVColorSpace(UInt32(matrix)) }
            unsafe parameters.pointee.color_primaries = AVColorPrimaries(UInt32(colors.primaries ?? 2))
            unsafe parameters.pointee.color_trc = AVColorTransferCharacteristic(UInt32(colors.transfer ?? 2))
        }
        let aspect = AVRational(video.pixelAspect)
        unsafe parameters.pointee.sample_aspect_ratio = aspect
        unsafe stream.pointee.sample_aspect_ratio = aspect
        unsafe stream.pointee.time_base = AVRational(num: 1, den: Int32(MuxerClock.rate))
        if let rate = video.frameRate {
            unsafe stream.pointee.avg_frame_rate = AVRational(
                num: Int32(clamping: rate.numerator), den: Int32(clamping: rate.denominator))
        }
        unsafe stream.pointee.disposition = AV_DISPOSITION_DEFAULT
        return true
    }

    @unsafe
    private static func addSound(
        _ source: UnsafeMutablePointer<AVStream>, to context: UnsafeMutablePointer<AVFormatContext>
    ) -> Bool {
        guard let stream = unsafe avformat_new_stream(context, nil),
            unsafe avcodec_parameters_copy(stream.pointee.codecpar, source.pointee.codecpar) >= 0
        else { return false }
        // The tag of its own container has no meaning here.
        unsafe stream.pointee.codecpar.pointee.codec_tag = 0
        unsafe stream.pointee.time_base = AVRational(num: 1, den: Int32(MuxerClock.rate))
        unsafe stream.pointee.disposition = source.pointee.disposition & AV_DISPOSITION_DEFAULT
        if let language = unsafe av_dict_get(source.pointee.metadata, "language", nil, 0) {
            unsafe av_dict_set(&stream.pointee.metadata, "language", language.pointee.value, 0)
        }
        return true
    }

    /// Whether a header can be written for these tracks: tried in memory.
    private static func accepts(
        _ format: ContainerFormat, _ video: ContainerWriter.Video, _ audio: AudioTracks
    ) -> Bool {
        guard let context = unsafe makeContext(format, video, audio) else { return false }
        defer { unsafe avformat_free_context(context) }
        guard unsafe avio_open_dyn_buf(&context.pointee.pb) >= 0 else { return false }
        let result = unsafe avformat_write_header(context, nil)
        var bytes: UnsafeMutablePointer<UInt8>?
        _ = unsafe avio_close_dyn_buf(context.pointee.pb, &bytes)
        unsafe av_free(bytes)
        unsafe context.pointee.pb = nil
        return result >= 0
    }
}

extension AVRational {
    /// Square pixels for numbers that do not fit a container.
    fileprivate init(_ aspect: PixelAspect) {
        let (width, height) = (Int32(exactly: aspect.width), Int32(exactly: aspect.height))
        self = if let width, let height { AVRational(num: width, den: height) } else { AVRational(num: 1, den: 1) }
    }
}

/// Converts frame times to a container's clock of milliseconds.
///
/// Each time is rounded to the nearest tick. A frame is never at or before the previous one: if two are less than a
/// tick apart, the later one moves on by as few ticks as necessary.
struct MuxerClock {
    private var last: Int64?

    /// Ticks per second.
    static let rate = 1000

    /// Returns the tick of the next frame.
    mutating func tick(of time: MediaTime) -> Int64 {
        var tick = time.ticks(rate: MuxerClock.rate)
        if let last, tick <= last { tick = last + 1 }
        last = tick
        return tick
    }
}
