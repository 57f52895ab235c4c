import RillCodec
import RillCore
import RillImage

/// Turns pictures upright before they are encoded, into buffers of its own.
struct UprightTurner: Sendable {
    private var pictures: FittingPool
    /// Pictures that could not be turned, because every buffer was in use.
    private(set) var picturesWithoutBuffer = 0

    /// A turner for that many layers, of which each may have a picture in work and some that wait; with four more: the one
    /// being admitted, the one that the next is compared with, and two for a preview.
    init(layerCount: Int) {
        pictures = FittingPool(capacity: UprightTurner.capacity(layerCount: layerCount))
    }

    /// Pictures of one stage that are in use at once, at the most.
    static func capacity(layerCount: Int) -> Int { (1 + LayerJob.waitingLimit) * layerCount + 4 }

    /// The picture upright; `nil` (counted) when every buffer is in use.
    ///
    /// - Throws: ``CodecError/unsupportedFormat(_:)`` for what no encoder would take, or ``CodecError/frames(_:)``.
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
