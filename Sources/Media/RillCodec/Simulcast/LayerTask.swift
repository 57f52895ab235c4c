/// One layer's task for one frame: its current settings, and the requests since the previous frame.
public struct LayerTask: Sendable, Equatable {
    /// The frame's index in the source, from 0.
    public var frame: Int
    /// The layer's settings from this frame on.
    public var settings: LayerSettings
    /// Whether it must be a key frame.
    public var isKeyFrameRequested = false
    /// Whether the codec must be restarted before it.
    public var isRestartRequested = false
    /// The most bytes that the frame should have, because packets wait to be sent; `nil` for no limit.
    public var byteLimit: Int?
    /// A number that increases with each frame that differs from the previous one; `nil` if that is unknown.
    public var content: Int?

    /// Creates a task without requests.
    public init(settings: LayerSettings, frame: Int = 0) {
        self.settings = settings
        self.frame = frame
    }

    /// Returns this task with the requests of a dropped earlier task, so that they are not lost with its frame.
    public func merging(_ dropped: LayerTask) -> LayerTask {
        var task = self
        task.isKeyFrameRequested = task.isKeyFrameRequested || dropped.isKeyFrameRequested
        task.isRestartRequested = task.isRestartRequested || dropped.isRestartRequested
        return task
    }
}

/// The tasks of all layers for one frame, in the order of the layers; stored inline.
public struct LayerTasks: Sendable {
    /// The maximum number of layers in a simulcast.
    public static let capacity = 3

    private var tasks = InlineArray<3, LayerTask?>(repeating: nil)

    /// Creates a value without tasks.
    public init() {}

    /// The task of layer `index`; `nil` if the layer skips the frame.
    public subscript(index: Int) -> LayerTask? {
        get { tasks[index] }
        set { tasks[index] = newValue }
    }
}
