internal import CFFmpeg
public import RillCore
public import RillFiles
import RillImage

/// A source of I420 pictures from the video of any container and codec that FFmpeg's libraries read (MP4, MKV, WebM,
/// MOV, AVI, TS, GIF, …).
///
/// ```swift
/// let source = try ContainerSource(path: "clip.mp4")
/// let report = try Transcoder(source: source, outputs: […]).run()
/// ```
///
/// Each picture has the container's own time, relative to the start of the container; frame rates may vary. Pictures
/// are rotated and mirrored upright as the container or the bitstream specifies. 10 bits become 8, 4:2:2 and 4:4:4
/// become 4:2:0, and alpha is dropped. RGB becomes BT.601; the matrices of BT.2020, SMPTE 240M and FCC become BT.709,
/// and other matrices are rejected. Primaries and transfer function are kept: ``colors`` has them. Converted pictures
/// are in limited range. 8-bit 4:2:0 pictures keep their range, which each picture declares; the consumer
/// (`SendPipeline`, `Transcoder`) converts it, as for all sources. ``changes`` lists the conversions, and
/// ``unusedContent`` what is neither picture nor sound.
///
/// Pictures in separate files are also a clip: `frame%03d.png`, numbered from below 5, or `frames/*.png`.
///
/// Packets that the decoder rejects are dropped and counted. The pictures depend neither on the machine nor on its
/// number of cores: at the first damage the file is reopened and decoded by a single thread, whose error concealment
/// is deterministic.
///
/// One owner, one thread at a time.
public final class ContainerSource: FrameSource {
    /// The size of the first picture, upright, and the frame rate. The rate is the container's, or a guess from the
    /// first timestamps; ``typicalFrameRate(ofFile:)`` is more reliable.
    public private(set) var format: SourceFormat
    /// FFmpeg's name of the codec.
    public let codecName: String
    /// FFmpeg's name of the first picture's format before conversion.
    public private(set) var pictureFormat = ""
    /// The color space of the first picture. Each picture has its own, since it may change.
    public private(set) var colorSpace = ColorSpace.bt601
    /// What the first picture declares of its colors, after conversion.
    public private(set) var colors = ColorDescription()
    /// Whether the clip declares its matrix. Otherwise a likely one is chosen by size.
    public private(set) var namesMatrix = false
    /// The field order of the first picture, upright. Pictures are not deinterlaced.
    public private(set) var fieldOrder = FieldOrder.progressive
    /// The pixel aspect ratio, upright, from the container or else from the bitstream.
    public private(set) var pixelAspect: PixelAspect
    /// The content of the file that is neither picture nor sound, in words: "subtitles (subrip)", "2 chapters".
    public var unusedContent: [String] { reader.input.unusedContent }
    /// FFmpeg's names of the audio tracks' codecs. ``AudioTracks`` copies the tracks.
    public let audioCodecNames: [String]
    /// The conversions to upright I420, judged by the first picture: "10 bits to 8", "alpha dropped", "rotated by 90
    /// degrees".
    public private(set) var changes: [String] = []
    /// The number of packets that the decoder rejected; their pictures are missing. In a range, packets on the way to
    /// it also count.
    public var packetsRejected: Int { reader.packetsRejected }
    /// The number of returned pictures with concealed errors.
    public private(set) var picturesConcealed = 0
    /// How much earlier the pictures end than the container declares, after all were read: a sign of truncation.
    /// `nil` below one second, in a range, or if the container declares no duration.
    public var missingDuration: MediaDuration? {
        guard hasEnded, window.isEverything, let claimed = reader.input.claimedDuration, let end = endTime ?? lastTime
        else { return nil }
        let missing = claimed - (end - MediaTime.zero)
        return missing > .milliseconds(1000) + (format.frameRate?.interval ?? .zero) ? missing : nil
    }
    /// When the last picture ends that was returned, as the file stores its duration; `nil` if it does not.
    public var endTime: MediaTime? {
        guard let lastTime, lastDuration > .zero else { return nil }
        return lastTime + lastDuration
    }
    /// The decoder's message for the first rejected packet.
    public var firstRejection: String? { reader.firstRejection }

    private let path: String
    private var reader: PictureReader
    private let converter = PictureConverter()
    private var times: TrackTimes
    private var pools: ResizingPool
    private var turnedPools: ResizingPool
    /// The requested frames.
    private var window: FrameWindow
    /// A decoded picture that was not returned yet, possibly still to be rotated.
    private var waiting: VideoFrame?
    private var framesRead = 0
    /// How often decoding restarted from the start of the file.
    private(set) var restartCount = 0
    private var lastTime: MediaTime?
    /// The durations of the picture in `waiting` and of the last returned one; zero if unknown.
    private var waitingDuration = MediaDuration.zero
    private var lastDuration = MediaDuration.zero
    /// How pictures are brought upright; `nil` until the first picture.
    private var orientation: Orientation?
    private var mirrorPools: ResizingPool
    /// Whether there are no more pictures.
    private var hasEnded = false
    /// Whether the range has been passed.
    private var isOver = false

    /// Opens a file and decodes its first picture.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - capacity: how many pictures may be in use downstream at once.
    ///   - threadCount: the number of decoder threads; 0 uses one per core.
    /// - Throws: ``ContainerError``.
    public convenience init(path: String, capacity: Int = 8, threadCount: Int = 0) throws(ContainerError) {
        try self.init(PictureReader(path: path, .strict(threadCount: threadCount)), FrameWindow(), capacity)
        guard try decode() == .picture, let first = waiting else {
            throw failure ?? .noVideo(path: path)
        }
        format.resolution = first.rotation.applied(to: first.resolution)
    }

    /// What the first picture of a file says about all: a range of frames may begin at one that does not repeat it.
    struct Start {
        var format: SourceFormat
        var orientation: Orientation
        var pixelAspect: PixelAspect
    }

    var start: Start { Start(format: format, orientation: orientation ?? .upright, pixelAspect: pixelAspect) }

    /// Opens a file for a range of its frames. Nothing is decoded yet.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - frames: the range.
    ///   - index: the file's index.
    ///   - start: what the first picture of the file says about all.
    ///   - capacity: how many pictures may be in use downstream at once.
    ///   - threadCount: the number of decoder threads.
    /// - Throws: ``ContainerError``.
    convenience init(
        path: String, frames: Range<Int>, _ index: FrameIndex, _ start: Start, capacity: Int, threadCount: Int
    ) throws(ContainerError) {
        let entry = index.entry(for: frames.lowerBound)
        try self.init(
            PictureReader(path: path, skipping: entry.packet, .strict(threadCount: threadCount)),
            FrameWindow(frames, start: entry.frame, timestamps: index.timestamps), capacity)
        format = start.format
        format.frameCount = start.format.frameCount.map { frames.clamped(to: 0..<$0).count }
        (orientation, pixelAspect) = (start.orientation, start.pixelAspect)
    }

    private init(_ reader: PictureReader, _ window: FrameWindow, _ capacity: Int) {
        self.reader = reader
        self.window = window
        path = reader.input.path
        codecName = reader.decoder.codecName
        audioCodecNames = reader.input.audioCodecNames
        pixelAspect = .square
        times = TrackTimes(reader.input.track)
        pools = ResizingPool(capacity: capacity)
        turnedPools = ResizingPool(capacity: capacity)
        mirrorPools = ResizingPool(capacity: capacity)
        format = SourceFormat(
            resolution: .vga, frameRate: reader.input.track.frameRate, frameCount: reader.input.track.frameCount)
    }

    /// Returns the typical frame rate of a file (``/RillCore/FrameRate/typical(of:claimed:)``), whatever its
    /// container declares. If packets lack timestamps, it is the container's rate.
    ///
    /// Cost: all packets are read, nothing is decoded.
    ///
    /// - Parameter path: the file.
    /// - Throws: ``ContainerError``.
    public static func typicalFrameRate(ofFile path: String) throws(ContainerError) -> FrameRate? {
        let input = try ContainerInput(path: path)
        return FrameIndex(of: input).typicalFrameRate(input.track)
    }

    /// Returns the next picture, upright, with its time in the container.
    ///
    /// - Throws: ``ContainerError`` if the file cannot be read further. All pictures decoded until then were returned
    ///   before.
    public func next() throws -> SourceOutput {
        if waiting == nil {
            switch try decode() {
            case .picture: break
            case .noBuffer: return .noBuffer
            case .end:
                hasEnded = true
                if let failure { throw failure }
                return .end
            }
        }
        guard let frame = waiting, let upright = try upright(frame) else { return .noBuffer }
        waiting = nil
        framesRead += 1
        (lastTime, lastDuration) = (upright.captureTime, waitingDuration)
        return .frame(upright)
    }

    private func upright(_ frame: VideoFrame) throws(ContainerError) -> VideoFrame? {
        var upright = frame
        if frame.rotation != .none {
            let pool = try pool(&turnedPools, frame.rotation.applied(to: frame.resolution))
            guard let rotated = frame.rotated(by: frame.rotation, into: pool) else { return nil }
            upright = rotated
        }
        guard orientation?.isMirrored == true else { return upright }
        return upright.mirrored(into: try pool(&mirrorPools, upright.resolution))
    }

    private func pool(_ pools: inout ResizingPool, _ size: Resolution) throws(ContainerError) -> FramePool {
        do { return try pools.pool(for: size) } catch { throw .outOfMemory(path: path) }
    }

    private var failure: ContainerError? {
        reader.failure.map { .readFailed(path: path, frame: framesRead, reason: $0) }
    }

    // MARK: Decoding

    private enum Step {
        case picture, noBuffer, end
    }

    /// The outcome of a decoded picture.
    private enum Taken {
        case frame(VideoFrame)
        case place(FrameWindow.Place)
        case failed(ContainerError)
    }

    /// Decodes until there is a requested picture, which is then in `waiting`.
    private func decode() throws(ContainerError) -> Step {
        while true {
            if isOver || window.isDone { return .end }
            guard pools.hasBuffer else { return .noBuffer }
            var taken = Taken.place(.before)
            // The picture belongs to the decoder until the closure returns.
            let step = unsafe reader.next({ unsafe taken = take($0) })
            switch (step, taken) {
            case (.end, _):
                guard window.lacksPictures || reader.manner != .tolerant && reader.hasSeenDamage else { return .end }
                try restartFromBeginning()
            case (.picture, .frame(let frame)):
                waiting = frame
                return .picture
            case (.picture, .failed(let error)): throw error
            case (.picture, .place(.behind)): isOver = true
            case (.picture, .place(.unexpected)): try restartFromBeginning()
            case (.picture, .place): continue
            }
        }
    }

    /// Restarts from the start of the file with a single thread, after damage or a picture that the index does not
    /// expect. This yields the right pictures.
    private func restartFromBeginning() throws(ContainerError) {
        restartCount += 1
        reader = try PictureReader(path: path, .tolerant)
        times = TrackTimes(reader.input.track)
        window = window.fromTheBeginning(given: framesRead)
    }

    /// Converts the decoder's picture to a frame, if it is requested.
    @unsafe
    private func take(_ picture: UnsafeMutablePointer<AVFrame>) -> Taken {
        let (width, height) = unsafe (Int(picture.pointee.width), Int(picture.pointee.height))
        guard let size = Resolution(validatingWidth: width, height: height) else {
            return .failed(.sizeOutOfRange(path: path, width: width, height: height))
        }
        let reading = unsafe PictureConverter.Reading(picture)
        guard reading.hasKnownMatrix else {
            return .failed(.unsupportedMatrix(path: path, number: Int(reading.givenMatrix.rawValue)))
        }
        if pictureFormat.isEmpty { unsafe describe(picture, reading) }
        let time = unsafe times.time(of: picture)
        let place = unsafe place(of: picture)
        guard place == .inside else { return .place(place) }
        do throws(ContainerError) {
            guard var target = try pool(&pools, size).makeFrame() else { throw .outOfMemory(path: path) }
            guard unsafe converter.convert(picture, reading, to: &target) else {
                throw .cannotConvert(path: path, format: name(of: reading.format))
            }
            var frame = target.finish(captureTime: time, colorSpace: reading.colorSpace)
            frame.rotation = orientation?.rotation ?? .none
            waitingDuration = unsafe reader.input.track.duration(ofTicks: picture.pointee.pkt_duration)
            if reader.isPatched { picturesConcealed += 1 }
            return .frame(frame)
        } catch { return .failed(error) }
    }

    @unsafe
    private func describe(_ picture: UnsafeMutablePointer<AVFrame>, _ reading: PictureConverter.Reading) {
        pictureFormat = name(of: reading.format)
        colorSpace = reading.colorSpace
        namesMatrix = unsafe picture.pointee.colorspace != AVCOL_SPC_UNSPECIFIED
        colors = unsafe ColorDescription(picture, reading)
        let turn = unsafe orientation ?? reader.input.track.orientation ?? Orientation(of: picture) ?? .upright
        if orientation == nil {
            orientation = turn
            let aspect = unsafe reader.input.pixelAspect(picture)
            pixelAspect =
                turn.rotation.exchangesSides ? PixelAspect(width: aspect.height, height: aspect.width) : aspect
        }
        changes = unsafe PictureConverter.changes(to: picture, reading)
        // The decoders of VP8 and VP9 do not report it: their alpha is a separate stream.
        if reader.input.track.hasAlpha, !changes.contains(PictureConverter.alphaChange) {
            changes.append(PictureConverter.alphaChange)
        }
        let declared = unsafe reader.input.parameters.pointee.field_order
        fieldOrder = turn.rotation == .none ? unsafe FieldOrder(picture, of: declared) : .unknown
        if let change = turn.change { changes.append(change) }
    }

    /// Returns the position of a picture relative to the range.
    @unsafe
    private func place(of picture: UnsafeMutablePointer<AVFrame>) -> FrameWindow.Place {
        if reader.manner != .tolerant, reader.hasSeenDamage { return .unexpected }
        let stamp = unsafe picture.pointee.best_effort_timestamp
        return window.place(stamp == CFFmpeg_no_time ? nil : stamp)
    }
}
