public import RillCore
public import RillImage

/// Cuts and scales pictures to a layer's size where they have another; those that fit are passed on as they are.
public final class LayerScaler {
    /// The layer's size.
    public let resolution: Resolution
    private let pool: FramePool

    /// A scaler to that size.
    ///
    /// - Parameter capacity: how many scaled pictures may be in use at once.
    public init(_ resolution: Resolution, capacity: Int) throws(FrameError) {
        self.resolution = resolution
        self.pool = try FramePool(resolution: resolution, capacity: capacity)
    }

    /// The part `crop` of an I420 picture at the layer's size; `nil` when all of the scaler's buffers are in use.
    public func fitted(_ frame: VideoFrame, to crop: CropRegion) -> VideoFrame? {
        if crop == CropRegion(all: resolution), frame.resolution == resolution { return frame }
        return frame.scaled(crop, into: pool)
    }
}
