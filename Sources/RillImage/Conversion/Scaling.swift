internal import CYUV
public import RillCore

/// How samples are weighed when a picture is resized.
public enum ScaleFilter: Sendable {
    /// Box where both sides shrink, bilinear otherwise: the right choice for video.
    case automatic
    /// The mean of all source samples under each target sample. libyuv falls back to bilinear for less than half.
    case box
    /// Linear between the nearest source samples.
    case bilinear

    fileprivate func mode(from source: Resolution, to target: Resolution) -> FilterMode {
        switch self {
        case .box: kFilterBox
        case .bilinear: kFilterBilinear
        case .automatic:
            target.width <= source.width && target.height <= source.height ? kFilterBox : kFilterBilinear
        }
    }
}

extension VideoFrame {
    /// The picture cut to `crop` and resized to the size of the frames of `pool`, which are I420.
    ///
    /// Time, colour space and stamps stay. One pass over the pixels by libyuv, no copy besides.
    ///
    /// - Parameters:
    ///   - crop: the part to keep; `nil` keeps the whole picture. One that reaches beyond it is the caller's mistake.
    ///   - pool: where the new frame comes from.
    ///   - filter: how samples are weighed.
    /// - Returns: `nil` when the pool has run dry.
    public func scaled(
        _ crop: CropRegion? = nil, into pool: FramePool, filter: ScaleFilter = .automatic
    ) -> VideoFrame? {
        precondition(format == .i420 && pool.layout.format == .i420, "only I420 frames are scaled")
        let crop = crop ?? CropRegion(all: resolution)
        precondition(
            crop.x + crop.resolution.width <= resolution.width && crop.y + crop.resolution.height <= resolution.height,
            "a crop of \(crop.resolution) at \(crop.x),\(crop.y) does not lie in a picture of \(resolution)")
        guard var target = pool.makeFrame() else { return nil }

        let size = target.resolution
        // libyuv reads and writes within the layouts that both frames were checked against.
        let result = unsafe I420Scale(
            pointer(plane: 0) + crop.y * stride(0) + crop.x, Int32(stride(0)),
            pointer(plane: 1) + crop.y / 2 * stride(1) + crop.x / 2, Int32(stride(1)),
            pointer(plane: 2) + crop.y / 2 * stride(2) + crop.x / 2, Int32(stride(2)),
            Int32(crop.resolution.width), Int32(crop.resolution.height),
            target.mutablePointer(plane: 0), Int32(target.stride(0)),
            target.mutablePointer(plane: 1), Int32(target.stride(1)),
            target.mutablePointer(plane: 2), Int32(target.stride(2)),
            Int32(size.width), Int32(size.height), filter.mode(from: crop.resolution, to: size))
        // libyuv refuses only null pointers and empty sizes, which frames do not have.
        precondition(result == 0, "libyuv refused to scale \(crop.resolution) to \(size)")
        var scaled = target.finish(captureTime: captureTime, colorSpace: colorSpace)
        scaled.stamps = stamps
        return scaled
    }
}
