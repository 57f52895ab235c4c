import Rill
import RillCore

/// Writes the encoded frames of several layers, each layer to its own file; layers without a file are discarded.
final class LayerFiles: EncodedFrameSink {
    private let files: [StreamLayer.RID: any EncodedFrameSink]

    init(_ files: [StreamLayer.RID: any EncodedFrameSink]) {
        self.files = files
    }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws {
        try files[frame.layer.rid]?.consume(frame, payload: payload)
    }

    /// Finishes all files, even if one fails, and throws the first error.
    func finish() throws {
        let results = files.values.map { file in Result { try file.finish() } }
        for result in results { try result.get() }
    }
}
