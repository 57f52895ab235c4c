import RillTestSupport

@testable import Rill

/// Keeps the bytes of every coded frame, layer by layer.
final class CodedRecording: EncodedFrameSink, Sendable {
    private let state = Monitor([StreamLayer.RID: [[UInt8]]]())

    /// The frames of a layer, in order.
    func frames(of rid: StreamLayer.RID) -> [[UInt8]] { state.withLock { $0[rid] ?? [] } }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) {
        let copy = Array(copying: payload)
        state.withLock { $0[frame.layer.rid, default: []].append(copy) }
    }

    func finish() {}
}

/// Keeps the checksum of every picture.
final class PictureRecording: FrameSink, Sendable {
    private let state = Monitor((checksums: [UInt64](), isFinished: false))

    var checksums: [UInt64] { state.withLock { $0.checksums } }
    var isFinished: Bool { state.withLock { $0.isFinished } }

    func consume(_ frame: VideoFrame) {
        let sum = checksum(frame)
        state.withLock { $0.checksums.append(sum) }
    }

    func finish() { state.withLock { $0.isFinished = true } }
}
