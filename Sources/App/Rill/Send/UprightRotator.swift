import RillCodec
import RillCore
import RillImage

/// Rotates pictures upright before they are encoded, into its own buffers.
struct UprightRotator: Sendable {
    private var pictures: ResizingPool
    /// Pictures that could not be rotated because every buffer was in use.
    private(set) var picturesWithoutBuffer = 0

    /// Creates one for `layerCount` layers. Each may have a current picture and some that wait. Four more are for the
    /// one being admitted, the one that the next is compared with, and two for a preview.
    init(layerCount: Int) {
        pictures = ResizingPool(capacity: UprightRotator.capacity(layerCount: layerCount))
    }

    /// The most pictures of one stage that are in use at once.
    static func capacity(layerCount: Int) -> Int { (1 + LayerJob.waitingLimit) * layerCount + 4 }

    /// Returns the picture upright; `nil` (counted) if every buffer is in use.
    ///
    /// - Parameter frame: the picture, I420.
    /// - Throws: ``/RillCodec/CodecError/unsupportedFormat(_:)`` for a format that no encoder would take, or
    ///   ``/RillCodec/CodecError/frames(_:)``.
    mutating func upright(_ frame: VideoFrame) throws(CodecError) -> VideoFrame? {
        guard frame.format == .i420 else { throw .unsupportedFormat(frame.format) }
        let pool: FramePool
        do { pool = try pictures.pool(for: frame.rotation.applied(to: frame.resolution)) } catch {
            throw .frames(error)
        }
        guard let upright = frame.rotated(by: frame.rotation, into: pool) else {
            picturesWithoutBuffer += 1
            return nil
        }
        return upright
    }
}
