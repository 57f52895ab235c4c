import Rill
import RillCore

/// Where pictures go that nobody looks at: their stream is decoded and counted.
final class UnseenPictures: FrameSink, Sendable {
    func consume(_ frame: VideoFrame) {}
    func finish() {}
}
