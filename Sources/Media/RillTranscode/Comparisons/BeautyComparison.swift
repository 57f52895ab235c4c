public import RillBeauty
public import RillCore
import RillImage

/// A source that shows the effect of the beauty filter: the original picture, the filtered one, and its skin mask in
/// gray, side by side.
///
/// One owner, one thread at a time.
public final class BeautyComparison: FrameSource {
    /// The format of the wrapped source, three times as wide.
    public let format: SourceFormat
    private let source: any FrameSource
    private let options: BeautyOptions
    private var stage: BeautyStage
    private let pool: FramePool
    private let size: Resolution

    /// Creates a comparison. All pictures of `source` must have the size in its format.
    ///
    /// - Parameters:
    ///   - source: the pictures to filter.
    ///   - options: the filter's options.
    ///   - faces: how faces are found, as for ``BeautySource``.
    ///   - capacity: how many pictures may be in use downstream at once.
    /// - Throws: ``/RillCore/FrameError``, or ``/RillBeauty/BeautyError/unsupportedPicture(format:width:height:)`` if
    ///   the pictures are too wide.
    public init(
        _ source: any FrameSource, options: BeautyOptions, faces: FaceDetection = .automatic, capacity: Int = 8
    ) throws {
        size = source.format.resolution
        guard let wide = Resolution(validatingWidth: 6 * size.chroma.width, height: size.height) else {
            throw BeautyError.unsupportedPicture(format: "three pictures", width: size.width, height: size.height)
        }
        format = SourceFormat(
            resolution: wide, frameRate: source.format.frameRate, frameCount: source.format.frameCount)
        self.source = I420Source(source, capacity: 2)
        self.options = options
        stage = BeautyStage(options, cascade: faces.outcome.cascade, looksAhead: true, capacity: 2)
        pool = try FramePool(resolution: wide, capacity: capacity)
    }

    /// Returns the next three pictures in one.
    public func next() throws -> SourceOutput {
        // The buffer comes first: a picture that was read cannot be read again.
        guard var wide = pool.makeFrame() else { return .noBuffer }
        let output = try source.next()
        guard case .frame(let frame) = output else { return output }
        guard frame.resolution == size, let result = try stage.apply(options, to: frame, clock: { .zero }) else {
            throw BeautyError.unsupportedPicture(
                format: "\(frame.format)", width: frame.resolution.width, height: frame.resolution.height)
        }
        var planes = wide.planes
        planes.fill(gray: 16)
        planes.paste(frame, x: 0, y: 0)
        planes.paste(result, x: 2 * size.chroma.width, y: 0)
        pasteMask(at: 4 * size.chroma.width, into: &planes)
        return .frame(wide.finish(captureTime: frame.captureTime, colorSpace: frame.colorSpace))
    }

    private func pasteMask(at x: Int, into planes: inout MutablePlanes) {
        guard let mask = stage.mask else { return }
        let width = size.chroma.width
        for y in 0..<size.height {
            var row = planes.y.row(y)
            for column in 0..<size.width {
                let weight = Int(mask[y / 2 * width + column / 2])
                row[x + column] = UInt8(16 + 219 * weight / 255)
            }
        }
    }
}
