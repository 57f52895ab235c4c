public import RillCore
public import RillImage

/// Fits pictures to a layer's shape and size. Pictures that already fit pass unchanged.
public final class LayerScaler {
    /// The layer's size.
    public let resolution: Resolution
    /// How pictures of another shape are fitted.
    public let aspect: AspectPolicy
    private let pool: FramePool

    /// Creates a scaler.
    ///
    /// - Parameters:
    ///   - resolution: the target size.
    ///   - aspect: how pictures of another shape are fitted.
    ///   - capacity: how many scaled pictures may be in use at once.
    /// - Throws: ``/RillCore/FrameError`` if there is no memory.
    public init(_ resolution: Resolution, aspect: AspectPolicy = .crop, capacity: Int) throws(FrameError) {
        self.resolution = resolution
        self.aspect = aspect
        self.pool = try FramePool(resolution: resolution, capacity: capacity)
    }

    /// Returns an I420 picture at the layer's size; `nil` if all of the scaler's buffers are in use.
    public func fitted(_ frame: VideoFrame) -> VideoFrame? {
        if frame.resolution == resolution { return frame }
        return frame.scaled(PictureFit(frame.resolution, into: resolution, aspect), into: pool)
    }
}
