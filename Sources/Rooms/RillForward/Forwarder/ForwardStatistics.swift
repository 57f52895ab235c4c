public import RillCore

/// What was forwarded to a viewer, or to all of them.
public struct ForwardCounts: Equatable, Sendable {
    /// Frames.
    public var frames = 0
    /// Key frames among them.
    public var keyFrames = 0
    /// Bytes of frames, without headers.
    public var bytes = 0
    /// Packets of audio.
    public var audioPackets = 0
    /// Frames that were not sent because the viewer's network did not carry them.
    public var framesLeftOut = 0
    /// How often the layer changed; the first one counts.
    public var layerChanges = 0

    /// Nothing yet.
    public init() {}

    mutating func add(_ other: ForwardCounts) {
        frames += other.frames
        keyFrames += other.keyFrames
        bytes += other.bytes
        audioPackets += other.audioPackets
        framesLeftOut += other.framesLeftOut
        layerChanges += other.layerChanges
    }
}

/// A stream as it is now.
public struct StreamStatistics: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// Its codec.
    public var codec: VideoCodec
    /// Whether somebody publishes it.
    public var isPublished: Bool
    /// For how long its present publisher has been there.
    public var age: MediaDuration
    /// How many watch it.
    public var viewerCount: Int
    /// What its present viewers were sent.
    public var forwarded: ForwardCounts
    /// Its layers, the best one first.
    public var layers: [LayerStatistics]
}

/// A layer as it is now.
public struct LayerStatistics: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// The size of its pictures; `nil` before the first, and if they are encrypted and nothing tells it.
    public var resolution: Resolution?
    /// Frames per second over the last one to two seconds.
    public var framesPerSecond: Double
    /// Its bitrate over the last one to two seconds, without headers.
    public var bitrate: Bitrate
    /// Frames that arrived.
    public var frames: Int
    /// Key frames among them.
    public var keyFrames: Int
    /// How many viewers get it.
    public var viewerCount: Int
}
