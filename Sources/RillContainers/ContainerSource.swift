internal import CFFmpeg
public import RillCore
import RillImage

/// The video of any container and codec that FFmpeg's libraries read (MP4, MKV, WebM, MOV, AVI, TS, GIF, …) as a source of
/// I420 pictures.
///
///     let source = try ContainerSource(path: "clip.mp4")
///     let report = try Transcoder(source: source, outputs: […]).run()
///
/// Every picture comes with the container's own time, counted from the container's beginning; rates may vary. Pictures are
/// turned upright as the container says. 10 bits become 8, 4:2:2 and 4:4:4 become 4:2:0, alpha is dropped; the matrix stays,
/// but RGB becomes BT.601 and BT.2020 becomes BT.709. What is converted is in limited range then; 4:2:0 of 8 bits keeps its
/// range, which each picture says, and what takes the pictures (`SendPipeline`, `Transcoder`) converts it, as it does that
/// of all sources. ``changes`` says what was done.
///
/// Pictures in files of their own are a clip, too: `frame%03d.png`, numbered from a number below 5 on, or `frames/*.png`.
///
/// What a decoder refuses is left out and counted. The pictures do not depend on the machine or on its number of cores:
/// at the first damage the file is opened anew and decoded by one thread, whose way of patching is always the same.
///
/// One owner, one thread at a time.
public final class ContainerSource: FrameSource {
    /// Size of the first picture, upright; the rate that the container names, or that its first stamps make likely, which
    /// ``typicalFrameRate(ofFile:)`` knows better.
    public private(set) var format: SourceFormat
    /// What the video is coded with, in FFmpeg's words.
    public let codecName: String
    /// The format of the first picture before it was converted, in FFmpeg's words.
    public private(set) var pictureFormat = ""
    /// How the numbers of the first picture are to be read. Each picture says it for itself: it may change.
    public private(set) var colorSpace = ColorSpace.bt601
    /// Whether the clip itself names its matrix. Else it is taken for what its size makes likely.
    public private(set) var namesMatrix = false
    /// The lines of the first picture, upright; as they are, none is made of another.
    public private(set) var fieldOrder = FieldOrder.progressive
    /// Width and height of a pixel as it is to be shown, upright.
    public let pixelAspect: PixelAspect
    /// The codecs of the tracks of sound, in FFmpeg's words. ``AudioTracks`` copies them.
    public let soundCodecNames: [String]
    /// What is done to the pictures so that they are I420 and upright, as the first has it: "10 bits to 8", "alpha dropped",
    /// "rotated by 90 degrees".
    public private(set) var changes: [String] = []
    /// Packets that the decoder refused: what was in them is missing. In a range, those that were met on the way count too.
    public var packetsRefused: Int { reader.packetsRefused }
    /// Pictures that were given though the decoder says that something is missing in them, and it has patched them up.
    public private(set) var picturesPatched = 0
    /// How much earlier the pictures end than the container says, once all were read: a sign that it was cut short. `nil`
    /// for less than a second, in a range, and where the container says nothing.
    public var missingDuration: MediaDuration? {
        guard hasEnded, window.isEverything, let claimed = reader.input.claimedDuration, let lastTime else {
            return nil
        }
        let missing = claimed - (lastTime - MediaTime.zero)
        return missing > .milliseconds(1000) + (format.frameRate?.interval ?? .zero) ? missing : nil
    }
    /// Why it refused the first, in its words.
    public var firstRefusal: String? { reader.firstRefusal }

    private let path: String
    private var reader: PictureReader
    private let converter = PictureConverter()
    private var times: TrackTimes
    private var pools: FittingPool
    private var turnedPools: FittingPool
    /// The frames that are wanted.
    private var window: FrameWindow
    /// A picture that was decoded and not given yet, upright or still to be turned.
    private var waiting: VideoFrame?
    private var framesRead = 0
    /// How often the short way was given up.
    private(set) var timesBegunAnew = 0
    private var lastTime: MediaTime?
    /// There are no more pictures.
    private var hasEnded = false
    /// The range was left behind.
    private var isOver = false

    /// Opens a file and decodes its first picture.
    ///
    /// - Parameters:
    ///   - capacity: how many pictures may be in use downstream at once.
    ///   - threadCount: threads of the decoder; 0 takes one for each core.
    /// - Throws: ``ContainerError``.
    public convenience init(path: String, capacity: Int = 8, threadCount: Int = 0) throws(ContainerError) {
        try self.init(PictureReader(path: path, .strict(threadCount: threadCount)), FrameWindow(), capacity)
        guard try decode() == .picture, let first = waiting else {
            throw failure ?? .noVideo(path: path)
        }
        format.resolution = reader.input.track.rotation.applied(to: first.resolution)
    }

    /// Opens a file for a range of its frames; nothing is decoded yet.
    ///
    /// - Parameters:
    ///   - index: the file's.
    ///   - format: what a reading of the whole says of itself.
    convenience init(
        path: String, frames: Range<Int>, _ index: FrameIndex, _ format: SourceFormat, capacity: Int, threadCount: Int
    ) throws(ContainerError) {
        let entry = index.entry(for: frames.lowerBound)
        try self.init(
            PictureReader(path: path, skipping: entry.packet, .strict(threadCount: threadCount)),
            FrameWindow(frames, start: entry.frame, stamps: index.stamps), capacity)
        self.format = format
        self.format.frameCount = format.frameCount.map { frames.clamped(to: 0..<$0).count }
    }

    private init(_ reader: PictureReader, _ window: FrameWindow, _ capacity: Int) {
        self.reader = reader
        self.window = window
        path = reader.input.path
        codecName = reader.decoder.codecName
        soundCodecNames = reader.input.soundCodecNames
        let (aspect, rotation) = (reader.input.track.pixelAspect, reader.input.track.rotation)
        pixelAspect =
            rotation.exchangesSides
            ? PixelAspect(width: aspect.den, height: aspect.num) : PixelAspect(width: aspect.num, height: aspect.den)
        times = TrackTimes(reader.input.track)
        pools = FittingPool(capacity: capacity)
        turnedPools = FittingPool(capacity: capacity)
        format = SourceFormat(
            resolution: .vga, frameRate: reader.input.track.frameRate, frameCount: reader.input.track.frameCount)
    }

    /// The rate that most of a file has (``RillCore/FrameRate/typical(of:claimed:)``), whatever its container names; that
    /// where packets do not say when they are shown.
    ///
    /// Cost: the file's packets are read through; nothing is decoded.
    ///
    /// - Throws: ``ContainerError``.
    public static func typicalFrameRate(ofFile path: String) throws(ContainerError) -> FrameRate? {
        let input = try ContainerInput(path: path)
        return FrameIndex(of: input).typicalFrameRate(input.track)
    }

    /// The next picture, upright, at its time in the container.
    ///
    /// - Throws: ``ContainerError`` where the file cannot be read on; what the decoder had until then was given before.
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
        lastTime = upright.captureTime
        return .frame(upright)
    }

    private func upright(_ frame: VideoFrame) throws(ContainerError) -> VideoFrame? {
        guard frame.rotation != .none else { return frame }
        return frame.rotated(
            by: frame.rotation, into: try pool(&turnedPools, frame.rotation.applied(to: frame.resolution)))
    }

    private func pool(_ pools: inout FittingPool, _ size: Resolution) throws(ContainerError) -> FramePool {
        do { return try pools.pool(for: size) } catch { throw .outOfMemory(path: path) }
    }

    private var failure: ContainerError? {
        reader.failure.map { .readFailed(path: path, frame: framesRead, reason: $0) }
    }

    // MARK: Decoding

    private enum Step {
        case picture, noBuffer, end
    }

    /// What became of a picture of the decoder's.
    private enum Taken {
        case frame(VideoFrame)
        case place(FrameWindow.Place)
        case failed(ContainerError)
    }

    /// Decodes until there is a picture that is wanted, which is then `waiting`.
    private func decode() throws(ContainerError) -> Step {
        while true {
            if isOver || window.isDone { return .end }
            guard pools.hasBuffer else { return .noBuffer }
            var taken = Taken.place(.before)
            // The picture is the decoder's until the closure returns.
            let step = unsafe reader.next({ unsafe taken = take($0) })
            switch (step, taken) {
            case (.end, _):
                guard window.lacksPictures || reader.manner != .tolerant && reader.hasSeenDamage else { return .end }
                try beginAnew()
            case (.picture, .frame(let frame)):
                waiting = frame
                return .picture
            case (.picture, .failed(let error)): throw error
            case (.picture, .place(.behind)): isOver = true
            case (.picture, .place(.unexpected)): try beginAnew()
            case (.picture, .place): continue
            }
        }
    }

    /// The short way has led to damage, or to other pictures than the index knows: the long way leads to the right ones,
    /// from the beginning, and with one thread.
    private func beginAnew() throws(ContainerError) {
        timesBegunAnew += 1
        reader = try PictureReader(path: path, .tolerant)
        times = TrackTimes(reader.input.track)
        window = window.fromTheBeginning(given: framesRead)
    }

    /// The decoder's picture as a frame of ours, if it is wanted.
    @unsafe
    private func take(_ picture: UnsafeMutablePointer<AVFrame>) -> Taken {
        let (width, height) = unsafe (Int(picture.pointee.width), Int(picture.pointee.height))
        guard let size = Resolution(validatingWidth: width, height: height) else {
            return .failed(.sizeOutOfRange(path: path, width: width, height: height))
        }
        let reading = unsafe PictureConverter.Reading(picture)
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
            frame.rotation = reader.input.track.rotation
            if reader.isPatched { picturesPatched += 1 }
            return .frame(frame)
        } catch { return .failed(error) }
    }

    @unsafe
    private func describe(_ picture: UnsafeMutablePointer<AVFrame>, _ reading: PictureConverter.Reading) {
        pictureFormat = name(of: reading.format)
        colorSpace = reading.colorSpace
        namesMatrix = unsafe picture.pointee.colorspace != AVCOL_SPC_UNSPECIFIED
        changes = unsafe PictureConverter.changes(to: picture, reading)
        // Of VP8 and VP9 the decoder knows nothing of it: their alpha is a stream beside that of the pictures.
        if reader.input.track.hasAlpha, !changes.contains(PictureConverter.alphaChange) {
            changes.append(PictureConverter.alphaChange)
        }
        let rotation = reader.input.track.rotation
        fieldOrder = rotation == .none ? unsafe FieldOrder(picture, reader.input) : .unknown
        if rotation != .none { changes.append("rotated by \(rotation.degrees) degrees") }
    }

    /// Where a picture lies to the range.
    @unsafe
    private func place(of picture: UnsafeMutablePointer<AVFrame>) -> FrameWindow.Place {
        if reader.manner != .tolerant, reader.hasSeenDamage { return .unexpected }
        let stamp = unsafe picture.pointee.best_effort_timestamp
        return window.place(stamp == CFFmpeg_no_time ? nil : stamp)
    }
}
