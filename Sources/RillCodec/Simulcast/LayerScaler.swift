public import RillCore
public import RillImage

/// Brings pictures to a layer's shape and size where they have another; those that fit are passed on as they are.
public final class LayerScaler {
    /// The layer's size.
    public let resolution: Resolution
    /// What becomes of pictures of another shape.
    public let aspect: AspectPolicy
    private let pool: FramePool

    /// A scaler to that size.
    ///
    /// - Parameter capacity: how many scaled pictures may be in use at once.
    public init(_ resolution: Resolution, aspect: AspectPolicy = .crop, capacity: Int) throws(FrameError) {
        self.resolution = resolution
        self.aspect = aspect
        self.pool = try FramePool(resolution: resolution, capacity: capacity)
    }

    /// An I420 picture at the layer's size; `nil` when all of the scaler's buffers are in use.
    public func fitted(_ frame: VideoFrame) -> VideoFrame? {
        if frame.resolution == resolution { return frame }
        return frame.scaled(PictureFit(frame.resolution, into: resolution, aspect), into: pool)
    }
}
