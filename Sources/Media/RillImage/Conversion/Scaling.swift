internal import CYUV
public import RillCore

/// The filter for resizing a picture.
public enum ScaleFilter: Sendable {
    /// Box if both sides shrink, otherwise bilinear: the right choice for video.
    case automatic
    /// The mean of all source samples under each target sample. libyuv falls back to bilinear for reductions to more
    /// than half.
    case box
    /// Linear interpolation between the nearest source samples.
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
    /// Resizes the picture as `fit` specifies, with black around it.
    ///
    /// - Parameters:
    ///   - fit: which part of the picture fills which part of the new frame.
    ///   - pool: a pool of I420 frames.
    ///   - filter: the filter for resizing.
    /// - Returns: the resized picture, or `nil` if the pool has no free buffer.
    public func scaled(_ fit: PictureFit, into pool: FramePool, filter: ScaleFilter = .automatic) -> VideoFrame? {
        scaled(fit.region, to: fit.placement, into: pool, filter: filter)
    }

    /// Crops the picture and resizes it to the frames of `pool`, or to a part of them.
    ///
    /// Time, color space, rotation and timestamps are kept. libyuv makes one pass over the pixels, without a further
    /// copy. Each sample around the filled part is written once.
    ///
    /// - Parameters:
    ///   - crop: the part to keep; `nil` keeps the whole picture. Traps if it reaches beyond the picture.
    ///   - placement: the part of the new frame to fill, with black around it; `nil` fills the whole frame. Traps if
    ///     it reaches beyond the frame.
    ///   - pool: a pool of I420 frames.
    ///   - filter: the filter for resizing.
    /// - Returns: the resized picture, or `nil` if the pool has no free buffer.
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
        // Both regions are inside their pictures, and libyuv accesses the planes within their layouts.
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
    /// Returns the number of bytes from the first sample of an I420 plane to the first one in the region.
    fileprivate func offset(in layout: FrameLayout, plane: Int) -> Int {
        let stride = layout[plane: plane].stride
        return plane == 0 ? y * stride + x : y / 2 * stride + x / 2
    }
}
