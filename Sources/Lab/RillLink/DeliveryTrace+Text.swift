import Glibc

/// What is wrong with a line of a ``DeliveryTrace``.
public enum TraceDefect: Hashable, Sendable {
    /// The trace has no number.
    case empty
    /// The line contains something other than decimal digits.
    case notANumber
    /// The number is above 4294967295, the largest that fits: 49 days.
    case numberTooLarge
    /// The number is below the previous one.
    case timeGoesBack(from: UInt32, to: UInt32)
    /// All numbers are zero: the trace would have no duration.
    case zeroDuration
    /// There are more lines than ``DeliveryTrace/maximumCount``.
    case tooLong
}

/// Parses a trace piece by piece, so that no file takes more memory than a trace may have.
struct DeliveryTraceParser {
    private let name: String
    private var milliseconds: [UInt32] = []
    /// The number of the current line, its value so far, and the number of its digits.
    private var line = 1
    private var number: UInt64 = 0
    private var byteCount = 0
    private var endsInReturn = false

    init(name: String) {
        self.name = name
    }

    /// Adds the next bytes of the text. Lines end with LF, or with CR and LF; the last one need not.
    mutating func add(_ bytes: Span<UInt8>) throws(LinkError) {
        for index in bytes.indices { try add(bytes[index]) }
    }

    private mutating func add(_ byte: UInt8) throws(LinkError) {
        switch byte {
        case UInt8(ascii: "\n"):
            guard byteCount > 0 else { throw invalid(.notANumber) }
            try endLine()
        case _ where endsInReturn:
            throw invalid(.notANumber)
        case UInt8(ascii: "\r"):
            endsInReturn = true
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            byteCount += 1
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
            guard number <= UInt64(UInt32.max) else { throw invalid(.numberTooLarge) }
        default:
            throw invalid(.notANumber)
        }
    }

    private mutating func endLine() throws(LinkError) {
        try add(number)
        number = 0
        byteCount = 0
        endsInReturn = false
    }

    /// Adds the next number.
    mutating func add(_ number: UInt64) throws(LinkError) {
        guard let number = UInt32(exactly: number) else { throw invalid(.numberTooLarge) }
        guard milliseconds.count < DeliveryTrace.maximumCount else { throw invalid(.tooLong) }
        if let last = milliseconds.last, number < last { throw invalid(.timeGoesBack(from: last, to: number)) }
        milliseconds.append(number)
        line += 1
    }

    /// Returns the trace, after the end of the text.
    mutating func finish() throws(LinkError) -> DeliveryTrace {
        if byteCount > 0 { try endLine() } else if endsInReturn { throw invalid(.notANumber) }
        guard let last = milliseconds.last else { throw invalid(.empty) }
        line -= 1
        guard last > 0 else { throw invalid(.zeroDuration) }
        return DeliveryTrace(checked: milliseconds, name: name)
    }

    private func invalid(_ defect: TraceDefect) -> LinkError {
        .invalidTrace(name, line: line, defect)
    }
}

extension DeliveryTrace {
    /// Parses a trace; any bytes are safe.
    ///
    /// - Parameters:
    ///   - text: the trace.
    ///   - name: the trace's name; `trace` by default.
    /// - Throws: `invalidTrace` with the line number.
    public init(parsing text: Span<UInt8>, name: String = "trace") throws(LinkError) {
        var parser = DeliveryTraceParser(name: name)
        try parser.add(text)
        self = try parser.finish()
    }

    /// Reads a trace from a file.
    ///
    /// - Parameter path: the file.
    /// - Throws: `traceUnreadable` if the system cannot read it, `invalidTrace` with the line number.
    public init(contentsOf path: String) throws(LinkError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .traceUnreadable(path, code: errno) }
        defer { close(descriptor) }
        var parser = DeliveryTraceParser(name: path)
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { piece in
                // As many bytes as the buffer has.
                unsafe read(descriptor, piece.baseAddress, piece.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .traceUnreadable(path, code: errno) }
            guard count > 0 else { break }
            try parser.add(piece.span.extracting(0..<count))
        }
        self = try parser.finish()
    }

    /// The trace in its file format.
    public var text: String {
        milliseconds.map { "\($0)\n" }.joined()
    }
}
