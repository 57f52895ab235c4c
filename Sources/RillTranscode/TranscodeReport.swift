public import RillCore

/// What a ``Transcoder`` has done.
public struct TranscodeReport: Sendable {
    /// Frames that the source gave.
    public var framesRead = 0
    /// Pictures of full range that became ones of limited range, in which all outputs are; those of a segment's run-in
    /// count too.
    public var framesConverted = 0
    /// Length of what was read.
    public var duration = MediaDuration.zero
    /// Parts that the clip was cut into and coded apart.
    public var segmentCount = 1
    /// The outputs, in their order.
    public var outputs: [Output] = []
    /// Why the source ended before its end, if it did. What came before was processed.
    public var sourceFailure: (any Error)?

    /// What was written to one output.
    public struct Output: Codable, Sendable, Equatable {
        /// Frames written that show a picture.
        public var framesWritten = 0
        /// Frames written that show none; see ``RillCore/EncodedFrame/isHidden``.
        public var hiddenFramesWritten = 0
        /// Key frames among them; pictures have none.
        public var keyFramesWritten = 0
        /// Bytes of coded frames; pictures have none.
        public var bytesEncoded = 0

        /// Nothing written yet.
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
    /// A line of what was read, and a line for each output, without what is zero.
    public var description: String {
        let ending = sourceFailure.map { ", then \($0)" } ?? ""
        let parts = outputs.enumerated().map { ("output \($0.offset + 1)", $0.element.description) }
        return countedText("\(framesRead) frames read, \(duration)\(ending)", parts)
    }
}

extension TranscodeReport.Output: CustomStringConvertible {
    /// What is not zero, by name: `framesWritten 150, keyFramesWritten 1`.
    public var description: String { countedText(self) }
}
