/// What one layer is to do with one frame: how it is set as of now, and what was asked of it since the frame before.
public struct LayerTask: Sendable, Equatable {
    /// The frame's place in the source, counted from 0.
    public var frame: Int
    /// The layer's settings from this frame on.
    public var settings: LayerSettings
    /// Whether it has to be a key frame.
    public var isKeyFrameRequested = false
    /// Whether the codec is to be started anew before it.
    public var isRestartRequested = false
    /// Rises with each frame that differs from the one before; `nil` where nobody looked.
    public var content: Int?

    /// A task without requests.
    public init(settings: LayerSettings, frame: Int = 0) {
        self.settings = settings
        self.frame = frame
    }

    /// This task with what a dropped one before it asked for: a request must not be lost with its frame.
    public func merging(_ dropped: LayerTask) -> LayerTask {
        var task = self
        task.isKeyFrameRequested = task.isKeyFrameRequested || dropped.isKeyFrameRequested
        task.isRestartRequested = task.isRestartRequested || dropped.isRestartRequested
        return task
    }
}

/// The tasks of all layers for one frame, in the order of the layers; held inline.
public struct LayerTasks: Sendable {
    /// The most layers that a simulcast has.
    public static let capacity = 3

    private var tasks = InlineArray<3, LayerTask?>(repeating: nil)

    /// A frame that no layer wants.
    public init() {}

    /// What layer `index` is to do with the frame; `nil` when it does not want it.
    public subscript(index: Int) -> LayerTask? {
        get { tasks[index] }
        set { tasks[index] = newValue }
    }
}
