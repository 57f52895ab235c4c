package import RillCore
import RillTestSupport

/// Keeps the bytes of every coded frame, layer by layer.
package final class CodedRecording: EncodedFrameSink, Sendable {
    private let state = Monitor([StreamLayer.RID: [[UInt8]]]())

    package init() {}

    /// The frames of a layer, in order.
    package func frames(of rid: StreamLayer.RID) -> [[UInt8]] { state.withLock { $0[rid] ?? [] } }

    package func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        let copy = payload.array
        state.withLock { $0[frame.layer.rid, default: []].append(copy) }
    }

    package func finish() {}
}

/// Keeps the checksum of every picture.
package final class PictureRecording: FrameSink, Sendable {
    private let state = Monitor((checksums: [UInt64](), isFinished: false))

    package init() {}

    package var checksums: [UInt64] { state.withLock { $0.checksums } }
    package var isFinished: Bool { state.withLock { $0.isFinished } }

    package func consume(_ frame: VideoFrame) {
        let sum = checksum(frame)
        state.withLock { $0.checksums.append(sum) }
    }

    package func finish() { state.withLock { $0.isFinished = true } }
}
