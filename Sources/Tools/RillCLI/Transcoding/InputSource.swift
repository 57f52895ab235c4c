import Rill
import RillCore

/// A source that turns its errors into input errors (``readingInput(_:)``), so that they keep their exit code through
/// all layers.
final class InputSource: FrameSource {
    private let source: any FrameSource

    init(_ source: any FrameSource) {
        self.source = source
    }

    var format: SourceFormat { source.format }

    func next() throws -> SourceOutput {
        try readingInput { try source.next() }
    }
}
