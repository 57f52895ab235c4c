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
    /// The picture resized to a part of frames of `pool`, as `fit` says, with black around it.
    ///
    /// - Returns: `nil` when the pool has run dry.
    public func scaled(_ fit: PictureFit, into pool: FramePool, filter: ScaleFilter = .automatic) -> VideoFrame? {
        scaled(fit.region, to: fit.placement, into: pool, filter: filter)
    }

    /// The picture cut to `crop` and resized to the frames of `pool`, which are I420, or to a part of them.
    ///
    /// Time, colour space, rotation and stamps stay. One pass over the pixels by libyuv, no copy besides; of what lies
    /// around the part, each sample is written once.
    ///
    /// - Parameters:
    ///   - crop: the part to keep; `nil` keeps the whole picture. One that reaches beyond it is the caller's mistake.
    ///   - placement: the part of the new frame to fill, the rest of which is black; `nil` fills it wholly. One that
    ///     reaches beyond it is the caller's mistake.
    ///   - pool: where the new frame comes from.
    ///   - filter: how samples are weighed.
    /// - Returns: `nil` when the pool has run dry.
    public func scaled(
        _ crop: CropRegion? = nil, to placement: CropRegion? = nil, into pool: FramePool,
        filter: ScaleFilter = .automatic
    ) -> VideoFrame? {
        precondition(format == .i420 && pool.layout.format == .i420, "only I420 frames are scaled")
        let crop = crop ?? CropRegion(all: resolution)
        let placement = placement ?? CropRegion(all: pool.layout.resolution)
        precondition(crop.lies(in: resolution), "a crop of \(crop) does not lie in a picture of \(resolution)")
        precondition(
            placement.lies(in: pool.layout.resolution),
            "a part of \(placement) does not lie in a picture of \(pool.layout.resolution)")
        guard var target = pool.makeFrame() else { return nil }

        target.fillBlack(around: placement, range: colorSpace.range)
        let size = placement.resolution
        // Both regions lie in their pictures, whose planes libyuv reads and writes within their layouts.
        let result = unsafe I420Scale(
            pointer(plane: 0) + crop.offset(in: layout, plane: 0), Int32(stride(0)),
            pointer(plane: 1) + crop.offset(in: layout, plane: 1), Int32(stride(1)),
            pointer(plane: 2) + crop.offset(in: layout, plane: 2), Int32(stride(2)),
            Int32(crop.resolution.width), Int32(crop.resolution.height),
            target.mutablePointer(plane: 0) + placement.offset(in: target.layout, plane: 0), Int32(target.stride(0)),
            target.mutablePointer(plane: 1) + placement.offset(in: target.layout, plane: 1), Int32(target.stride(1)),
            target.mutablePointer(plane: 2) + placement.offset(in: target.layout, plane: 2), Int32(target.stride(2)),
            Int32(size.width), Int32(size.height), filter.mode(from: crop.resolution, to: size))
        // libyuv refuses only null pointers and empty sizes, which frames do not have.
        precondition(result == 0, "libyuv refused to scale \(crop.resolution) to \(size)")
        return finished(target)
    }
}

extension CropRegion {
    /// Bytes from the first sample of an I420 plane to the first one in the region.
    fileprivate func offset(in layout: FrameLayout, plane: Int) -> Int {
        let stride = layout[plane: plane].stride
        return plane == 0 ? y * stride + x : y / 2 * stride + x / 2
    }
}
