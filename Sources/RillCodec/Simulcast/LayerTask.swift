public import RillCore
public import RillImage

/// What one layer is to do with one frame: its part, and what was asked of the encoder since the frame before.
public struct LayerTask: Sendable, Equatable {
    /// The part of the picture that the layer codes.
    public var crop: CropRegion
    /// Whether it has to be a key frame.
    public var isKeyFrameRequested: Bool
    /// The rate control's target from this frame on.
    public var bitrate: Bitrate

    /// This task with what a dropped one before it asked for: a request must not be lost with its frame.
    public func absorbing(_ dropped: LayerTask) -> LayerTask {
        var task = self
        task.isKeyFrameRequested = task.isKeyFrameRequested || dropped.isKeyFrameRequested
        return task
    }
}

/// The tasks of all layers for one frame, in the order of the layers; held inline.
public struct LayerTasks: Sendable {
    /// The most layers that a simulcast has.
    public static let capacity = 3

    private var tasks = InlineArray<3, LayerTask?>(repeating: nil)

    /// What layer `index` is to do with the frame; `nil` when it does not want it.
    public subscript(index: Int) -> LayerTask? {
        get { tasks[index] }
        set { tasks[index] = newValue }
    }
}
