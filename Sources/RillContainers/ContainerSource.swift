internal import CFFmpeg
public import RillCore
import RillImage

/// The video of any container and codec that FFmpeg's libraries read (MP4, MKV, WebM, MOV, AVI, TS, GIF, …) as a source of
/// I420 pictures in limited range.
///
///     let source = try ContainerSource(path: "clip.mp4")
///     let report = try Transcoder(source: source, outputs: […]).run()
///
/// Every picture comes with the container's own time, counted from the container's beginning; rates may vary. Pictures are
/// turned upright as the container says. 10 bits become 8, 4:2:2 and 4:4:4 become 4:2:0, full range becomes limited, alpha
/// is dropped; the matrix stays, RGB becomes BT.601.
///
/// What a decoder refuses is left out and counted. The pictures do not depend on the machine or on its number of cores.
/// One owner, one thread at a time.
public final class ContainerSource: FrameSource {
    /// Size of the first picture, upright; the rate that the container names, or that its first stamps make likely.
    public private(set) var format: SourceFormat
    /// What the video is coded with, in FFmpeg's words.
    public let codecName: String
    /// The format of the first picture before it was converted, in FFmpeg's words.
    public private(set) var pictureFormat = ""
    /// Packets that the decoder refused: what was in them is missing.
    public private(set) var packetsRefused = 0
    /// Why it refused the first, in its words.
    public private(set) var firstRefusal: String?

    private let input: ContainerInput
    private let decoder: TrackDecoder
    private let converter = PictureConverter()
    private var times: TrackTimes
    private var pools: FittingPool
    private var turnedPools: FittingPool
    /// Whether the container has ended, or cannot be read on; the decoder may still have pictures.
    private var isDrained = false
    /// Why the container ended before its end.
    private var failure: ContainerError?
    /// A picture that was decoded and not given yet, upright or still to be turned.
    private var waiting: VideoFrame?
    private var framesRead = 0

    /// Opens a file and decodes its first picture.
    ///
    /// - Parameter capacity: how many pictures may be in use downstream at once.
    /// - Throws: ``ContainerError``.
    public init(path: String, capacity: Int = 8) throws(ContainerError) {
        input = try ContainerInput(path: path)
        decoder = try TrackDecoder(input)
        codecName = decoder.codecName
        times = TrackTimes(input.track)
        pools = FittingPool(capacity: capacity)
        turnedPools = FittingPool(capacity: capacity)
        format = SourceFormat(resolution: .vga, frameRate: input.track.frameRate, frameCount: input.track.frameCount)
        guard try decode() == .picture, let first = waiting else {
            throw failure ?? .noVideo(path: path)
        }
        format.resolution = input.track.rotation.applied(to: first.resolution)
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
                if let failure { throw failure }
                return .end
            }
        }
        guard let frame = waiting, let upright = try upright(frame) else { return .noBuffer }
        waiting = nil
        framesRead += 1
        return .frame(upright)
    }

    private func upright(_ frame: VideoFrame) throws(ContainerError) -> VideoFrame? {
        guard frame.rotation != .none else { return frame }
        return frame.rotated(
            by: frame.rotation, into: try pool(&turnedPools, frame.rotation.applied(to: frame.resolution)))
    }

    private func pool(_ pools: inout FittingPool, _ size: Resolution) throws(ContainerError) -> FramePool {
        do { return try pools.pool(for: size) } catch { throw .outOfMemory(path: input.path) }
    }

    private enum Step {
        case picture, noBuffer, end
    }

    /// Decodes until there is a picture, which is then `waiting`.
    private func decode() throws(ContainerError) -> Step {
        while true {
            guard pools.hasBuffer else { return .noBuffer }
            var taken: Result<VideoFrame, ContainerError>?
            // The picture is the decoder's until the closure returns.
            switch unsafe decoder.receive({ unsafe taken = take($0) }) {
            case .done:
                waiting = try taken?.get()
                return .picture
            case .end: return .end
            case .needsMore: readOn()
            case .failed(let reason): note(reason)
            }
        }
    }

    /// Gives the decoder the next packet, or the news that there are no more.
    private func readOn() {
        var outcome = TrackDecoder.Outcome.done
        // The packet is the input's until the closure returns.
        switch isDrained ? .end : unsafe input.next({ unsafe outcome = decoder.send($0) }) {
        case .packet: break
        case .end: drain()
        case .failed(let reason):
            failure = .readFailed(path: input.path, frame: framesRead, reason: reason)
            drain()
        }
        if case .failed(let reason) = outcome { note(reason) }
    }

    private func drain() {
        isDrained = true
        _ = unsafe decoder.send(nil)
    }

    private func note(_ reason: String) {
        packetsRefused += 1
        firstRefusal = firstRefusal ?? reason
    }

    /// The decoder's picture as a frame of ours.
    @unsafe
    private func take(_ picture: UnsafeMutablePointer<AVFrame>) -> Result<VideoFrame, ContainerError> {
        let (width, height) = unsafe (Int(picture.pointee.width), Int(picture.pointee.height))
        guard let size = Resolution(validatingWidth: width, height: height) else {
            return .failure(.sizeOutOfRange(path: input.path, width: width, height: height))
        }
        let reading = unsafe PictureConverter.Reading(picture)
        if pictureFormat.isEmpty { pictureFormat = name(of: reading.format) }
        let time = unsafe times.time(of: picture)
        do throws(ContainerError) {
            guard var target = try pool(&pools, size).makeFrame() else { throw .outOfMemory(path: input.path) }
            guard unsafe converter.convert(picture, reading, to: &target) else {
                throw .cannotConvert(path: input.path, format: name(of: reading.format))
            }
            var frame = target.finish(
                captureTime: time, colorSpace: ColorSpace(matrix: reading.matrix, range: .limited))
            frame.rotation = input.track.rotation
            return .success(frame)
        } catch { return .failure(error) }
    }
}
