internal import CFFmpeg
public import RillCore

/// Writes coded frames, VP8 or VP9, to a WebM or Matroska file, with the sound of another file beside them if wanted.
///
///     let video = ContainerWriter.Video(codec: .vp9, resolution: .hd720, frameRate: 30)
///     let file = try ContainerWriter(path: "out.webm", format: .webm, video: video)
///     try file.consume(frame, payload: bytes)
///     try file.finish()
///
/// Frames keep their capture times, which may be uneven, rounded to the millisecond: that is the clock of WebM. Two that
/// are closer than that stay apart and in their order, by a millisecond. The last frame is shown for as long as the rate
/// says, or as the one before it. The file holds no date and no random number: the same frames give the same bytes.
///
/// On a pipe, which cannot be gone back on, it is a live WebM: without a duration and an index.
///
/// One owner, one thread at a time. Cost per frame: one copy of its bytes, and one frame is held back to learn how long it
/// is shown.
public final class ContainerWriter: EncodedFrameSink {
    /// What the file says of its video.
    public struct Video: Sendable {
        /// What the frames are coded with.
        public var codec: VideoCodec
        /// Their size.
        public var resolution: Resolution
        /// The nominal rate; `nil` where there is none. It decides on no frame's time.
        public var frameRate: FrameRate?
        /// How the numbers are to be read. BT.709 is written with its own primaries and transfer; with BT.601 these are
        /// left open, as cameras have other ones than the standard says.
        public var colorSpace: ColorSpace
        /// Width and height of a pixel as it is to be shown, 1 to 1 unless the source is anamorphic. The file says it as a
        /// width in whole pixels that the picture is to be shown at.
        public var pixelAspect: PixelAspect

        /// Square pixels of BT.601 in limited range unless said otherwise.
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

    /// What was left out of the file, a line each.
    public var notices: [String] { audio?.notices ?? [] }

    private let path: String
    private let video: Video
    private let audio: AudioTracks?
    private let muxer: Muxer
    private var clock = MuxerClock()
    /// The tick of the frame that the muxer does not have yet.
    private var heldTick: Int64?
    /// What the frame before that was shown for.
    private var lastStep: Int64 = 33
    private var failure: ContainerError?

    /// Makes or empties a file and writes its header; `-` is standard output.
    ///
    /// - Parameter name: what errors call it, where that is not its path.
    /// - Throws: ``ContainerError/fileFailed(_:)``, `cannotWrite`, `outOfMemory`.
    public init(
        path: String, name: String? = nil, format: ContainerFormat, video: Video, audio: AudioTracks? = nil
    ) throws(ContainerError) {
        guard video.codec.isBuiltIn else {
            throw .cannotWrite(path: name ?? path, reason: "\(video.codec) is neither VP8 nor VP9")
        }
        let bytes = try MuxerBytes(path: path, name: name)
        self.path = path == "-" ? "standard output" : name ?? path
        self.video = video
        self.audio = audio
        muxer = try Muxer(bytes, format, video, audio, path: self.path)
    }

    /// Writes a coded frame, at its capture time.
    ///
    /// - Throws: ``ContainerError``; after the first failure always the same.
    public func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws(ContainerError) {
        if let failure { throw failure }
        guard frame.codec == video.codec else {
            throw .unexpectedCodec(path: path, expected: video.codec, given: frame.codec)
        }
        let tick = clock.tick(of: frame.captureTime)
        try keepingFailure { () throws(ContainerError) in
            try writeHeld(until: tick)
            try muxer.hold(payload, at: tick, isKey: frame.isKey)
        }
        heldTick = tick
    }

    /// Writes what is held back, the rest of the sound, the index and the duration, and closes the file. Called once;
    /// after a failed write it throws that failure again.
    public func finish() throws(ContainerError) {
        if let failure { throw failure }
        try keepingFailure { () throws(ContainerError) in
            try writeHeld(until: nil)
            try writeSound(upTo: .max)
            try muxer.finish()
        }
    }

    /// Hands the frame that is held back to the muxer, behind the sound that comes before it.
    private func writeHeld(until next: Int64?) throws(ContainerError) {
        guard let tick = heldTick else { return }
        lastStep = next.map { $0 - tick } ?? video.frameRate?.interval.milliseconds ?? lastStep
        try writeSound(upTo: tick)
        try muxer.writeHeld(duration: lastStep)
        heldTick = nil
    }

    private func writeSound(upTo tick: Int64) throws(ContainerError) {
        // Each packet is the sound's until the closure returns.
        unsafe try audio?.packets(upTo: tick) { (packet, track) throws(ContainerError) in
            unsafe try muxer.write(packet, track: 1 + track)
        }
    }

    private func keepingFailure(_ work: () throws(ContainerError) -> Void) throws(ContainerError) {
        do { try work() } catch {
            failure = error
            throw error
        }
    }
}

/// Width and height of a pixel as it is shown, to each other.
public struct PixelAspect: Hashable, Sendable {
    /// The width, from 1 on.
    public let width: Int32
    /// The height, from 1 on.
    public let height: Int32

    /// As wide as high.
    public static let square = PixelAspect(width: 1, height: 1)

    /// Both are positive.
    public init(width: Int32, height: Int32) {
        precondition(width > 0 && height > 0, "a pixel of \(width)x\(height)")
        self.width = width
        self.height = height
    }
}

extension MediaDuration {
    fileprivate var milliseconds: Int64 { (nanoseconds + 500_000) / 1_000_000 }
}
