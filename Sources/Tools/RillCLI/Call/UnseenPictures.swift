import Rill
import RillCore

/// A sink that discards pictures, for streams that are only decoded and counted.
final class UnseenPictures: FrameSink, Sendable {
    func consume(_ frame: VideoFrame) {}
    func finish() {}
}
