internal import CFFmpeg
public import RillCore
public import RillFiles
import RillRTP

/// Writes coded VP8 or VP9 frames to a WebM or Matroska file, optionally with the audio of another file.
///
/// ```swift
/// let video = ContainerWriter.Video(codec: .vp9, resolution: .hd720, frameRate: 30)
/// let file = try ContainerWriter(path: "out.webm", format: .webm, video: video)
/// try file.consume(frame, payload: bytes)
/// try file.finish()
/// ```
///
/// Frames keep their capture times, which may be uneven, rounded to WebM's milliseconds. Two frames that are closer
/// than that are kept apart, in order, by a millisecond. The last frame is shown for the interval of the rate, or as
/// long as the one before it. The file holds no date and no random number: the same frames produce the same bytes.
///
/// On a pipe, where nothing can be filled in later, it is a live WebM: without duration and index.
///
/// One owner, one thread at a time. Cost per frame: one copy of its bytes. One frame is held back until its duration
/// is known.
public final class ContainerWriter: EncodedFrameSink {
    /// The file's description of its video.
    public struct Video: Sendable {
        /// The codec of the frames.
        public var codec: VideoCodec
        /// The size of the frames.
        public var resolution: Resolution
        /// The nominal frame rate; `nil` if there is none. It does not affect any frame's time.
        public var frameRate: FrameRate?
        /// The color space. BT.709 is written with its primaries and transfer function. With BT.601 these are
        /// omitted, since cameras differ from the standard.
        public var colorSpace: ColorSpace
        /// What the file declares of the colors besides; `nil` for what `colorSpace` implies. Its matrix must agree
        /// with that of `colorSpace`.
        public var colors: ColorDescription?
        /// When the last frame ends, asked for when all are written; `nil` if that is unknown.
        public var endTime: (@Sendable () -> MediaTime?)?
        /// The pixel aspect ratio, 1:1 unless the source is anamorphic. The file stores it as the display width in
        /// whole pixels.
        public var pixelAspect: PixelAspect

        /// Creates a description. The defaults are BT.601 in limited range and square pixels.
        public init(
            codec: VideoCodec, resolution: Resolution, frameRate: FrameRate?, colorSpace: ColorSpace = .bt601,
            pixelAspect: PixelAspect = .square
        ) {
            self.codec = codec
            self.resolution = resolution
            self.frameRate = frameRate
            self.colorSpace = colorSpace
            self.pixelAspect = pixelAspect
        }
    }

    /// The content that was omitted from the file, one line each.
    public var notices: [String] { audio?.notices ?? [] }

    private let path: String
    private let video: Video
    private let audio: AudioTracks?
    private let muxer: Muxer
    private var clock = MuxerClock()
    /// The tick of the frame that the muxer does not have yet.
    private var heldTick: Int64?
    /// The duration of the frame before that.
    private var lastStep: Int64 = 33
    private var failure = FirstFailure<ContainerError>()

    /// Creates or truncates a file and writes its header.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard output.
    ///   - name: the file's name in errors, if it is not its path.
    ///   - format: the container.
    ///   - video: the description of the video.
    ///   - audio: the audio tracks to copy; `nil` for none.
    /// - Throws: ``ContainerError/fileFailed(_:)``, `cannotWrite`, `outOfMemory`.
    public init(
        path: String, name: String? = nil, format: ContainerFormat, video: Video, audio: AudioTracks? = nil
    ) throws(ContainerError) {
        guard video.codec.isBuiltIn else {
            throw .cannotWrite(path: name ?? path, reason: "\(video.codec) is not \(VideoCodec.builtInNames)")
        }
        let bytes = try MuxerBytes(path: path, name: name)
        self.path = path == "-" ? "standard output" : name ?? path
        self.video = video
        self.audio = audio
        muxer = try Muxer(bytes, format, video, audio, path: self.path)
    }

    /// Writes a coded frame at its capture time.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - payload: its bytes.
    /// - Throws: ``ContainerError``. After the first failure all calls throw the same error.
    public func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws(ContainerError) {
        guard frame.codec == video.codec else {
            throw .unexpectedCodec(path: path, expected: video.codec, given: frame.codec)
        }
        let tick = clock.tick(of: frame.captureTime)
        try failure.keeping { () throws(ContainerError) in
            try writeHeld(until: tick)
            try muxer.hold(payload, at: tick, isKey: frame.isKey)
        }
        heldTick = tick
    }

    /// Writes the buffered packets, the rest of the audio, the index and the duration, and closes the file. Called
    /// once. After a failed write it throws that error again.
    public func finish() throws(ContainerError) {
        try failure.keeping { () throws(ContainerError) in
            try writeHeld(until: nil)
            try writeSound(upTo: .max)
            try muxer.finish()
        }
    }

    /// Passes the held frame to the muxer, after the audio that precedes it.
    private func writeHeld(until next: Int64?) throws(ContainerError) {
        guard let tick = heldTick else { return }
        let end = next ?? video.endTime?()?.ticks(rate: MuxerClock.rate)
        let usual = video.frameRate?.interval.milliseconds ?? lastStep
        lastStep = end.map { $0 > tick ? $0 - tick : usual } ?? usual
        try writeSound(upTo: tick)
        try muxer.writeHeld(duration: lastStep)
        heldTick = nil
    }

    private func writeSound(upTo tick: Int64) throws(ContainerError) {
        // Each packet belongs to the audio until the closure returns.
        unsafe try audio?.packets(upTo: tick) { (packet, track) throws(ContainerError) in
            unsafe try muxer.write(packet, track: 1 + track)
        }
    }
}

extension MediaDuration {
    fileprivate var milliseconds: Int64 { (nanoseconds + 500_000) / 1_000_000 }
}

/// The containers that ``ContainerWriter`` writes.
public enum ContainerFormat: String, Sendable, CaseIterable {
    /// WebM, the format of browsers. Audio is Opus or Vorbis.
    case webm
    /// Matroska: the same layout, with any audio codec that FFmpeg's libraries can store in it.
    case mkv

    /// Returns the container for the extension of a file name, ignoring case; `nil` if it is unknown.
    public init?(path: String) {
        self.init(rawValue: VideoFileFormat.ending(of: path))
    }

    /// libavformat's name of the format.
    var muxerName: String {
        switch self {
        case .webm: "webm"
        case .mkv: "matroska"
        }
    }
}
