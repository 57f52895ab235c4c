import Rill
import RillCore

/// A source whose errors end the command as those of its input, however many hands they go through.
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
