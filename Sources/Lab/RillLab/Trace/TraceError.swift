public import RillFiles

/// Why a trace cannot be read, written or replayed.
public enum TraceError: Error, Equatable, Sendable {
    /// The file cannot be read or written.
    case file(FileError)
    /// A line is not valid; lines are counted from 1.
    case damaged(path: String, line: Int, reason: String)
    /// The source ended before the next frame that a layer must encode; both are counted from 0.
    case sourceTooShort(frameCount: Int, wantedFrame: Int)
    /// The run's faces were found by a cascade with the checksum `wanted`, and there is another one, or none.
    case otherCascade(wanted: String, found: String)
    /// A layer of the trace has no output, or an output has no layer of that name.
    case unknownLayer(String)
}

extension TraceError: CustomStringConvertible {
    /// The case with its numbers in one line, for a log or a person.
    public var description: String {
        switch self {
        case .file(let error): error.description
        case .damaged(let path, let line, let reason): "\(path), line \(line): \(reason)"
        case .sourceTooShort(let count, let wanted):
            "the source has \(count) frames, and the trace goes on with frame \(wanted): is it the clip of that trace?"
        case .otherCascade(let wanted, let found):
            "the trace's faces were found by the cascade \(wanted); here is \(found)"
        case .unknownLayer(let rid): "the trace and the outputs do not have the same layers: \(rid)"
        }
    }
}
