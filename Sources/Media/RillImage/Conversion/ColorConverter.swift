public import RillCore

/// Converts I420 pictures to the pipeline's limited range, keeping BT.601 or BT.709. The pictures of every source
/// pass through it on the way to encoders and filters, and those of every stream on the way to a sink.
///
/// ```swift
/// var converter = ColorConverter(capacity: 8)
/// guard let frame = try converter.convert(captured) else { return }  // every buffer is in use
/// ```
///
/// Each picture is handled individually, since the range may change mid-stream. A picture in limited range is
/// returned unchanged, without a copy. The cost of any other is one pass over its samples, into a pool that is
/// created with the first one. Nothing else is allocated.
///
/// One owner, one thread at a time.
public struct ColorConverter: Sendable {
    /// The number of converted pictures.
    public private(set) var framesConverted = 0
    /// The number of pictures that were not converted because every buffer was in use.
    public private(set) var picturesWithoutBuffer = 0
    private var pictures: ResizingPool

    /// Creates a converter whose pictures may be in use `capacity` at once.
    public init(capacity: Int) {
        pictures = ResizingPool(capacity: capacity)
    }

    /// Converts a picture to limited range. Returns the picture itself if it is already in limited range.
    ///
    /// NV12 pictures are returned unchanged: convert them to I420 first
    /// (``RillCore/VideoFrame/convertedToI420(into:)``).
    ///
    /// - Parameter frame: the picture.
    /// - Returns: the picture in limited range, or `nil` (counted) if every buffer is in use.
    /// - Throws: ``/RillCore/FrameError`` if there is no memory.
    public mutating func convert(_ frame: VideoFrame) throws(FrameError) -> VideoFrame? {
        guard frame.colorSpace.range == .full, frame.format == .i420 else { return frame }
        guard let converted = frame.reducedToLimitedRange(into: try pictures.pool(for: frame.resolution)) else {
            picturesWithoutBuffer += 1
            return nil
        }
        framesConverted += 1
        return converted
    }

    /// Whether a picture of the last size would find a buffer, if it needs one.
    package var hasBuffer: Bool { pictures.hasBuffer }
}

extension VideoFrame {
    /// Converts an I420 picture to limited range, in a frame of `pool`. Returns the picture itself, without a copy,
    /// if it is already in limited range.
    ///
    /// Matrix, time, rotation and timestamps are kept. Samples are rounded to nearest.
    ///
    /// - Parameter pool: a pool of I420 frames of this picture's size; another size or format traps.
    /// - Returns: the converted picture, or `nil` if the pool has no free buffer.
    public func reducedToLimitedRange(into pool: FramePool) -> VideoFrame? {
        guard colorSpace.range == .full else { return self }
        precondition(
            format == .i420 && pool.layout.format == .i420 && pool.layout.resolution == resolution,
            "a pool of \(pool.layout.resolution) does not fit a picture of \(resolution)")
        guard var target = pool.makeFrame() else { return nil }
        var planes = target.planes
        for line in 0..<planes.y.height {
            var row = planes.y.row(line)
            RangeReduction.reduceLuma(y.row(line), to: &row)
        }
        for line in 0..<planes.u.height {
            var row = planes.u.row(line)
            RangeReduction.reduceChroma(u.row(line), to: &row)
        }
        for line in 0..<planes.v.height {
            var row = planes.v.row(line)
            RangeReduction.reduceChroma(v.row(line), to: &row)
        }
        var reduced = finished(target)
        reduced.colorSpace.range = .limited
        return reduced
    }
}
