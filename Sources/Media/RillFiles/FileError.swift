import Glibc
import RillCore
import RillRTP

/// Errors of files, with the file's path, the position and the values involved.
///
/// `path` is the path as passed in, or `standard input` and `standard output` for `-`. Positions count from the first
/// byte that was read or written.
public enum FileError: Error, Equatable, Sendable {
    /// There is no such file, or no folder to create it in.
    case notFound(path: String)
    /// The system refused to open it; `code` is its `errno`.
    case openFailed(path: String, code: Int32)
    /// The system failed to read; `code` is its `errno`.
    case readFailed(path: String, position: Int, code: Int32)
    /// The system failed to write (disk full, reader gone, …); `code` is its `errno`.
    case writeFailed(path: String, position: Int, code: Int32)
    /// The file is written but could not be renamed; `code` is its `errno`.
    case renameFailed(path: String, code: Int32)

    /// The file is empty.
    case empty(path: String)
    /// The file has another type: it starts with `found`, not with `expected`.
    case foreign(path: String, expected: String, found: [UInt8])
    /// The file ends inside a structure of `needed` bytes at `position`, of which only `available` exist.
    case truncated(path: String, position: Int, needed: Int, available: Int)
    /// At `position` there is `found` instead of `expected`.
    case damaged(path: String, position: Int, expected: String, found: [UInt8])

    /// The line of text at `position` has no end within `limit` bytes.
    case headerTooLong(path: String, position: Int, limit: Int)
    /// The header lacks a required parameter.
    case missingParameter(path: String, parameter: String)
    /// The header of the file or a record has an invalid value in `field`.
    case invalidField(path: String, position: Int, field: String, value: String)
    /// The file has the right type, but a variant that Rill does not support.
    case unsupportedFormat(path: String, format: String)
    /// The variant of a capture is not supported for reading or writing.
    case unsupportedCapture(path: String, format: String)
    /// The header declares a picture size outside 1x1 to 16383x16383.
    case resolutionOutOfRange(path: String, width: Int, height: Int)
    /// A frame's time is more than 73 years from the start of the file. Differences of such times would overflow.
    case timeOutOfRange(path: String, position: Int)
    /// A frame or packet has, or declares, more bytes than the format or Rill's own limit allows.
    case tooLarge(path: String, position: Int, byteCount: Int, limit: Int)

    /// A writer got input of another kind than it was created for.
    case unexpectedInput(path: String, expected: String, given: String)
    /// The system has no memory for the frames of a reader.
    case outOfMemory(path: String, byteCount: Int)
    /// libpng failed, with its own message.
    case imageNotEncoded(reason: String)
}

extension FileError: CustomStringConvertible {
    /// One line: the file, what is wrong at which byte, and a remedy where it is not obvious.
    public var description: String {
        switch self {
        case .notFound(let path):
            "\(path): no such file or folder; check the path"
        case .openFailed(let path, let code):
            "\(path): cannot be opened: \(systemText(code))"
        case .readFailed(let path, let position, let code):
            "\(path): cannot be read at byte \(position): \(systemText(code))"
        case .writeFailed(let path, let position, let code):
            "\(path): cannot be written at byte \(position): \(systemText(code))"
        case .renameFailed(let path, let code):
            "\(path): the finished file cannot be given this name: \(systemText(code))"
        case .empty(let path):
            "\(path): is empty"
        case .foreign(let path, let expected, let found):
            "\(path): is not the expected type: it begins with \(quoted(found)), not with \"\(expected)\""
        case .truncated(let path, let position, let needed, let available):
            "\(path): ends too early: \(needed) bytes needed at byte \(position), \(available) available;"
                + " everything before is intact"
        case .damaged(let path, let position, let expected, let found):
            "\(path): is damaged at byte \(position): found \(quoted(found)) where \(expected) belongs;"
                + " everything before is intact"
        case .headerTooLong(let path, let position, let limit):
            "\(path): the header at byte \(position) does not end within \(limit) bytes"
        case .missingParameter(let path, let parameter):
            "\(path): the header does not give the \(parameter)"
        case .invalidField(let path, let position, let field, let value):
            "\(path): the header at byte \(position) gives \(value) as \(field)"
        case .unsupportedFormat(let path, let format):
            "\(path): \(format) is not supported; convert it first (8-bit 4:2:0 video, "
                + "\(CodecTraits.videoNames.joined(separator: " and ")) are read)"
        case .unsupportedCapture(let path, let format):
            "\(path): \(format) is not supported; use pcap, pcapng or rtpdump with Ethernet, Linux cooked, raw IP or"
                + " loopback links"
        case .resolutionOutOfRange(let path, let width, let height):
            "\(path): the header claims pictures of \(width)x\(height);"
                + " sizes from 1x1 to \(Resolution.maximumDimension)x\(Resolution.maximumDimension) can be read"
        case .timeOutOfRange(let path, let position):
            "\(path): the frame at byte \(position) is over 73 years from the start; its rate or timestamp is wrong"
        case .tooLarge(let path, let position, let byteCount, let limit):
            "\(path): a record of \(byteCount) bytes at byte \(position); at most \(limit) are possible"
        case .unexpectedInput(let path, let expected, let given):
            "\(path): was opened for \(expected) and was given \(given)"
        case .outOfMemory(let path, let byteCount):
            "\(path): no memory for frames of \(byteCount) bytes in all; use a smaller pool"
        case .imageNotEncoded(let reason):
            "the picture could not be written as PNG: \(reason)"
        }
    }
}

/// Returns untrusted bytes as harmless text: printable ASCII as it is, everything else as `\x1b`.
func quoted(_ bytes: some Sequence<UInt8>) -> String {
    var text = "\""
    for byte in bytes {
        if (0x20...0x7E).contains(byte), byte != 0x22, byte != 0x5C {
            text.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            text += (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16)
        }
    }
    return text + "\""
}

/// The first failure of a reader or writer. All later calls throw it again.
package struct FirstFailure<Failure: Error>: Sendable {
    private var failure: Failure?

    package init() {}

    /// Calls `body`, unless an earlier call failed.
    package mutating func keeping<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        if let failure { throw failure }
        do throws(Failure) { return try body() } catch {
            failure = error
            throw error
        }
    }
}
