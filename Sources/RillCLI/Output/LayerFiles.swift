import Rill
import RillCore

/// The coded frames of several layers, each to a file of its own; those of a layer without a file go nowhere.
final class LayerFiles: EncodedFrameSink {
    private let files: [StreamLayer.RID: any EncodedFrameSink]

    init(_ files: [StreamLayer.RID: any EncodedFrameSink]) {
        self.files = files
    }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws {
        try files[frame.layer.rid]?.consume(frame, payload: payload)
    }

    /// Finishes all of them, whatever happens to one; the first error is thrown.
    func finish() throws {
        let results = files.values.map { file in Result { try file.finish() } }
        for result in results { try result.get() }
    }
}
