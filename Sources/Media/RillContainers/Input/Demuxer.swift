internal import CFFmpeg
import Glibc
import RillCore

/// A container opened with libavformat, with its packets in order. Single owner.
@safe
final class Demuxer {
    let path: String
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: UnsafeMutablePointer<AVPacket>
    /// For formats whose clock may restart.
    private var continuity: TimestampContinuity?

    /// Opens a file and examines its start.
    ///
    /// Only regular files and sequences of pictures are opened: files that a playlist refers to are not fetched, and
    /// there is no waiting for input without an end.
    ///
    /// - Parameters:
    ///   - path: the file, or the pattern of a sequence.
    ///   - sequenceRate: the frame rate of a sequence, which does not store one.
    /// - Throws: ``ContainerError``.
    init(path: String, sequenceRate: FrameRate = 30) throws(ContainerError) {
        // libavformat logs its findings to standard error. The errors here hold what matters.
        av_log_set_level(AV_LOG_QUIET)
        let sequence = try PictureSequence(ofPath: path)
        var options: OpaquePointer?
        unsafe av_dict_set(&options, "protocol_whitelist", "file", 0)
        if let sequence {
            unsafe av_dict_set(&options, "pattern_type", sequence.patternType, 0)
            unsafe av_dict_set(&options, "framerate", "\(sequenceRate.numerator)/\(sequenceRate.denominator)", 0)
        }
        defer { unsafe av_dict_free(&options) }
        var opened: UnsafeMutablePointer<AVFormatContext>?
        let kind = sequence == nil ? nil : unsafe av_find_input_format("image2")
        let result = unsafe avformat_open_input(&opened, sequence?.url ?? "file:" + path, kind, &options)
        guard result >= 0, let context = unsafe opened else {
            throw .cannotOpen(path: path, reason: text(ofError: result))
        }
        guard let packet = unsafe av_packet_alloc() else {
            unsafe avformat_close_input(&opened)
            throw .outOfMemory(path: path)
        }
        self.path = path
        unsafe self.packet = packet
        unsafe self.context = context
        if unsafe context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 { continuity = TimestampContinuity() }
        // Reads frames at the start to find what the container does not declare.
        _ = unsafe avformat_find_stream_info(context, nil)
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
        unsafe av_packet_free(&packet)
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe context
        unsafe avformat_close_input(&context)
    }

    /// The number of tracks of all kinds.
    var trackCount: Int { unsafe Int(context.pointee.nb_streams) }

    /// A track, which lives as long as this object.
    @unsafe
    func track(_ index: Int) -> UnsafeMutablePointer<AVStream> {
        precondition(index >= 0 && index < trackCount, "track \(index) of \(trackCount)")
        // The list has that many entries, none of them null.
        return unsafe context.pointee.streams[index]!
    }

    /// The index of the default video track; `nil` if there is no video.
    var videoIndex: Int? {
        let index = unsafe av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0)
        guard index >= 0, unsafe track(Int(index)).pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0 else {
            return nil
        }
        return Int(index)
    }

    /// The number of chapters.
    var chapterCount: Int { unsafe Int(context.pointee.nb_chapters) }

    /// The names of the file's tags, at most `limit`.
    func fileTags(limit: Int) -> [String] {
        var names: [String] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while names.count < limit,
            let next = unsafe av_dict_get(context.pointee.metadata, "", entry, AV_DICT_IGNORE_SUFFIX)
        {
            names.append(unsafe String(cString: next.pointee.key))
            unsafe entry = next
        }
        return names
    }

    /// Returns the pixel aspect ratio of a track, from its container or else from the bitstream of a picture; 0:1 if
    /// neither declares it.
    @unsafe
    func pixelAspect(ofTrack index: Int, _ picture: UnsafeMutablePointer<AVFrame>) -> AVRational {
        unsafe av_guess_sample_aspect_ratio(context, track(index), picture)
    }

    /// Returns the rate of a track according to the container or its first timestamps.
    func frameRate(ofTrack index: Int) -> FrameRate? {
        let rate = unsafe av_guess_frame_rate(context, track(index), nil)
        return FrameRate(validating: Int(rate.num), per: Int(rate.den))
    }

    /// Returns the start time of the container, in units of a track's clock.
    func start(in timeBase: AVRational) -> Int64 {
        let begin = unsafe context.pointee.start_time
        return begin == CFFmpeg_no_time ? 0 : av_rescale_q(begin, AVRational(num: 1, den: 1_000_000), timeBase)
    }

    /// The container's declared duration; `nil` if it is only estimated from the file size, or from timestamps that
    /// restarted.
    var claimedDuration: MediaDuration? {
        guard continuity?.hasJumped != true else { return nil }
        let microseconds = unsafe context.pointee.duration
        guard unsafe context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE,
            (1..<Int64.max / 1000).contains(microseconds)
        else { return nil }
        return MediaDuration(nanoseconds: microseconds * 1000)
    }

    /// Skips the packets of all other tracks, unless their timestamps must be examined.
    func keepOnly(_ isKept: (Int) -> Bool) {
        for index in 0..<trackCount where !isKept(index) && !(continuity != nil && isSoundOrPicture(index)) {
            unsafe track(index).pointee.discard = AVDISCARD_ALL
        }
    }

    /// The outcome of reading a packet.
    enum Outcome {
        case packet
        case end
        case failed(String)
    }

    /// Reads the next packet of the selected tracks and passes it to `body`.
    @unsafe
    func next(of isKept: (Int) -> Bool, _ body: (UnsafeMutablePointer<AVPacket>) -> Void) -> Outcome {
        while true {
            let result = unsafe av_read_frame(context, packet)
            guard result >= 0 else {
                return result == CFFmpeg_end ? .end : .failed(text(ofError: result))
            }
            defer { unsafe av_packet_unref(packet) }
            keepContinuity()
            guard unsafe isKept(Int(packet.pointee.stream_index)) else { continue }
            unsafe body(packet)
            return .packet
        }
    }

    private func isSoundOrPicture(_ index: Int) -> Bool {
        let kind = unsafe track(index).pointee.codecpar.pointee.codec_type
        return kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO
    }

    /// Makes the packet's timestamps continuous after a restart of the clock.
    private func keepContinuity() {
        guard continuity != nil else { return }
        let index = unsafe Int(packet.pointee.stream_index)
        let timeBase = unsafe track(index).pointee.time_base
        let clock = AVRational(num: 1, den: 1_000_000_000)
        let stamp = unsafe packet.pointee.dts == CFFmpeg_no_time ? packet.pointee.pts : packet.pointee.dts
        if stamp != CFFmpeg_no_time, isSoundOrPicture(index) {
            continuity?.note(
                track: index, at: av_rescale_q(stamp, timeBase, clock),
                lasting: unsafe av_rescale_q(packet.pointee.duration, timeBase, clock))
        }
        let shift = av_rescale_q(continuity?.shift ?? 0, clock, timeBase)
        guard shift != 0 else { return }
        if unsafe packet.pointee.dts != CFFmpeg_no_time { unsafe packet.pointee.dts &+= shift }
        if unsafe packet.pointee.pts != CFFmpeg_no_time { unsafe packet.pointee.pts &+= shift }
    }
}

/// Pictures in separate files that form a clip: `frame%03d.png` with consecutive numbers that start below 5, or all
/// files of a pattern, `frames/*.png`, in the order of their names.
private struct PictureSequence {
    var patternType: String
    /// The pattern in a form that is not mistaken for a protocol.
    var url: String

    /// Returns `nil` for the path of a file.
    init?(ofPath path: String) throws(ContainerError) {
        var status = stat()
        guard unsafe stat(path, &status) != 0 else {
            switch status.st_mode & S_IFMT {
            case S_IFREG: return nil
            case S_IFDIR: throw .notAFile(path: path, kind: .folder)
            default: throw .notAFile(path: path, kind: .endless)
            }
        }
        url = path.hasPrefix("/") ? path : "./" + path
        if path.contains("*") {
            patternType = "glob"
        } else if path.hasCounter {
            patternType = "sequence"
        } else {
            return nil
        }
    }
}

extension String {
    /// Whether there is a `%d` or `%03d`.
    fileprivate var hasCounter: Bool {
        split(separator: "%", omittingEmptySubsequences: false).dropFirst().contains { part in
            part.drop(while: { ("0"..."9").contains($0) }).first == "d"
        }
    }
}

/// Returns libav's message for an error code.
func text(ofError code: Int32) -> String {
    let text = unsafe String(unsafeUninitializedCapacity: 128) { bytes in
        // It writes at most that many bytes, with a terminating zero.
        let isKnown = unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe av_strerror(code, $0.baseAddress, 128) }
        return isKnown >= 0 ? unsafe strlen(UnsafePointer(bytes.baseAddress!)) : 0
    }
    return text.isEmpty ? "error \(code)" : text
}
