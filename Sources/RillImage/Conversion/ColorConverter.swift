public import RillCore

/// Brings I420 pictures to the colours that the pipeline holds, limited range in BT.601 or BT.709, whatever range they come
/// in: the one place that the pictures of every source pass on their way into encoders and filters, and those of every
/// stream on their way to a sink.
///
///     var converter = ColorConverter(capacity: 8)
///     guard let frame = try converter.convert(captured) else { return }  // every buffer is in use
///
/// Each picture is looked at for itself: a range may change in mid-stream. One in limited range is handed on as it is,
/// without a copy. Cost of another: one pass over its samples, into a pool that is made with the first one; nothing else is
/// allocated.
///
/// One owner, one thread at a time.
public struct ColorConverter: Sendable {
    /// Pictures that were converted.
    public private(set) var framesConverted = 0
    /// Pictures that were not, because every buffer was in use.
    public private(set) var picturesWithoutBuffer = 0
    private var pictures: FittingPool

    /// A converter whose pictures may be in use `capacity` at once.
    public init(capacity: Int) {
        pictures = FittingPool(capacity: capacity)
    }

    /// The picture in limited range; itself where it has that. NV12 pictures are handed on as they are: they are not the
    /// pipeline's yet (``RillCore/VideoFrame/convertedToI420(into:)``).
    ///
    /// - Returns: `nil` (counted) when every buffer is in use.
    public mutating func convert(_ frame: VideoFrame) throws(FrameError) -> VideoFrame? {
        guard frame.colorSpace.range == .full, frame.format == .i420 else { return frame }
        guard let converted = frame.reducedToLimitedRange(into: try pictures.pool(for: frame.resolution)) else {
            picturesWithoutBuffer += 1
            return nil
        }
        framesConverted += 1
        return converted
    }

    /// Whether a picture of the size of the last one would find a buffer, if it needs one.
    package var hasBuffer: Bool { pictures.hasBuffer }
}

extension VideoFrame {
    /// The I420 picture in limited range, in a frame of `pool`: itself, without a copy, where it has that already.
    ///
    /// Matrix, time, rotation and stamps stay. Samples are rounded to the nearest.
    ///
    /// - Parameter pool: I420 frames of this picture's size; another size or format is the caller's mistake.
    /// - Returns: `nil` when the pool has run dry.
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
