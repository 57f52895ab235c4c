public import RillCore

/// A sink that starts a new file whenever the size of the pictures changes, so that each file holds its pictures
/// unscaled.
///
/// ```swift
/// let sink = SplitSizeSink { part, size in try Y4MWriter(path: "out.\(part).y4m", resolution: size, frameRate: 30) }
/// ```
///
/// One owner, one thread at a time.
public final class SplitSizeSink: FrameSink {
    /// One of the files.
    public struct Part: Sendable, Equatable {
        /// The size of its pictures.
        public var resolution: Resolution
        /// The number of its pictures.
        public var frameCount = 0
    }

    /// The files so far, in order.
    public private(set) var parts: [Part] = []
    private let begin: (Int, Resolution) throws -> any FrameSink
    private var sink: (any FrameSink)?

    /// Creates a sink that calls `begin` for each file, with its number, starting at 1, and the size of its pictures.
    public init(_ begin: @escaping (Int, Resolution) throws -> any FrameSink) {
        self.begin = begin
    }

    /// Writes a picture to the current file, or to a new one if its size differs from the previous picture's.
    public func consume(_ frame: VideoFrame) throws {
        if parts.last?.resolution != frame.resolution {
            try finish()
            sink = try begin(parts.count + 1, frame.resolution)
            parts.append(Part(resolution: frame.resolution))
        }
        try sink?.consume(frame)
        parts[parts.count - 1].frameCount += 1
    }

    /// Finishes the current file, if there is one.
    public func finish() throws {
        defer { sink = nil }
        try sink?.finish()
    }
}
