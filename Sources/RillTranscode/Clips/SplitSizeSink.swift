public import RillCore

/// A sink that begins a new file whenever the size of the pictures changes, so that each holds its pictures as they are.
///
///     let sink = SplitSizeSink { part, size in try Y4MWriter(path: "out.\(part).y4m", resolution: size, frameRate: 30) }
///
/// One owner, one thread at a time.
public final class SplitSizeSink: FrameSink {
    /// One of the files.
    public struct Part: Sendable, Equatable {
        /// Size of its pictures.
        public var resolution: Resolution
        /// How many there are.
        public var frameCount = 0
    }

    /// The files so far, in their order.
    public private(set) var parts: [Part] = []
    private let begin: (Int, Resolution) throws -> any FrameSink
    private var sink: (any FrameSink)?

    /// A sink that has `begin` called for each file, with its number, from 1 on, and the size of its pictures.
    public init(_ begin: @escaping (Int, Resolution) throws -> any FrameSink) {
        self.begin = begin
    }

    /// Writes a picture to the file of its size, which is a new one where the picture before had another.
    public func consume(_ frame: VideoFrame) throws {
        if parts.last?.resolution != frame.resolution {
            try finish()
            sink = try begin(parts.count + 1, frame.resolution)
            parts.append(Part(resolution: frame.resolution))
        }
        try sink?.consume(frame)
        parts[parts.count - 1].frameCount += 1
    }

    /// Finishes the file that is being written, if there is one.
    public func finish() throws {
        defer { sink = nil }
        try sink?.finish()
    }
}
