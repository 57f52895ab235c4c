public import RillCodec
public import RillCore

/// The result of a ``Transcoder``.
public struct TranscodeReport: Sendable {
    /// Frames that the source returned.
    public var framesRead = 0
    /// Pictures converted from full to limited range, in which all outputs are. Those of a segment's run-in also
    /// count.
    public var framesConverted = 0
    /// The duration of the frames read.
    public var duration = MediaDuration.zero
    /// The number of parts into which the clip was split.
    public var segmentCount = 1
    /// The outputs, in order.
    public var outputs: [Output] = []
    /// Why the source ended early, if it did. Everything before was processed.
    public var sourceFailure: (any Error)?

    /// Counts of one output.
    public struct Output: Codable, Sendable, Equatable {
        /// Frames written that show a picture.
        public var framesWritten = 0
        /// Frames written that show no picture; see ``RillCore/EncodedFrame/isHidden``.
        public var hiddenFramesWritten = 0
        /// Key frames among these; 0 for pictures.
        public var keyFramesWritten = 0
        /// Bytes of coded frames; 0 for pictures.
        public var bytesEncoded = 0

        /// Creates zero counts.
        public init() {}

        mutating func count(_ frame: EncodedFrame) {
            framesWritten += frame.isHidden ? 0 : 1
            hiddenFramesWritten += frame.isHidden ? 1 : 0
            keyFramesWritten += frame.isKey ? 1 : 0
            bytesEncoded += frame.byteCount
        }
    }
}

extension TranscodeReport: CustomStringConvertible {
    /// One line on the input, and one per output, without zero counts.
    public var description: String {
        let ending = sourceFailure.map { ", then \($0)" } ?? ""
        let parts = outputs.enumerated().map { ("output \($0.offset + 1)", $0.element.description) }
        return countedText("\(framesRead) frames read, \(duration)\(ending)", parts)
    }
}

extension TranscodeReport.Output: CustomStringConvertible {
    /// The counts that are not zero, by name: `framesWritten 150, keyFramesWritten 1`.
    public var description: String { countedText(self) }
}

/// Why a transcode could not start.
public enum TranscodeError: Error, Equatable, Sendable {
    /// An encoder or the layers' plan rejected its settings.
    case codec(CodecError)
    /// Two passes and segments need a source that can be reopened; this one is read once.
    case sourceNotReopenable
}

extension TranscodeError: CustomStringConvertible {
    /// One line with the underlying error, for a log or a person.
    public var description: String {
        switch self {
        case .codec(let error): error.description
        case .sourceNotReopenable:
            "the source can only be read once: two passes and segments need one that can be reopened"
        }
    }
}
