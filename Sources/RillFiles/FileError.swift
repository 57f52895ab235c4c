import Glibc
import RillCore

/// What can go wrong with a file, with the file's name, the byte where it happened and the numbers that say why.
///
/// `path` is the path as it was given, or `standard input` and `standard output` for `-`. Positions count from the first
/// byte that was read or written.
public enum FileError: Error, Equatable, Sendable {
    /// There is no file of that name, or no folder to make it in.
    case notFound(path: String)
    /// The system refused to open it; `code` is its `errno`.
    case openFailed(path: String, code: Int32)
    /// The system could not read on; `code` is its `errno`.
    case readFailed(path: String, position: Int, code: Int32)
    /// The system could not write on (disk full, reader gone, …); `code` is its `errno`.
    case writeFailed(path: String, position: Int, code: Int32)
    /// The file is written, but the system did not give it its name; `code` is its `errno`.
    case renameFailed(path: String, code: Int32)

    /// The file has no byte at all.
    case empty(path: String)
    /// The file is of another kind: it begins with `found`, not with `expected`.
    case foreign(path: String, expected: String, found: [UInt8])
    /// The file ends inside a structure of `needed` bytes that begins at `position`, of which `available` are there.
    case truncated(path: String, position: Int, needed: Int, available: Int)
    /// At `position` stands `found` where `expected` belongs.
    case damaged(path: String, position: Int, expected: String, found: [UInt8])

    /// A line of text that begins at `position` has no end within `limit` bytes.
    case headerTooLong(path: String, position: Int, limit: Int)
    /// The header does not say what it must say.
    case missingParameter(path: String, parameter: String)
    /// The header, or a record's, says of `field` what cannot be.
    case invalidField(path: String, position: Int, field: String, value: String)
    /// The file is of the right kind, but of a variety that Rill does not read.
    case unsupportedFormat(path: String, format: String)
    /// The same of a capture of packets, read or to be written.
    case unsupportedCapture(path: String, format: String)
    /// The header claims a picture size outside 1x1 to 16383x16383.
    case resolutionOutOfRange(path: String, width: Int, height: Int)
    /// A frame's time lies more than 73 years from the start of the file: differences of such times would overflow.
    case timeOutOfRange(path: String, position: Int)
    /// A frame or packet has, or claims to have, more bytes than the format, or than Rill's limit for it, allows.
    case tooLarge(path: String, position: Int, byteCount: Int, limit: Int)

    /// A writer was given something else than it was made for.
    case unexpectedInput(path: String, expected: String, given: String)
    /// The system gave no memory for the frames of a reader.
    case outOfMemory(path: String, byteCount: Int)
    /// libpng refused, with its own words.
    case imageNotEncoded(reason: String)
}

extension FileError: CustomStringConvertible {
    /// One line: the file, what is wrong at which byte, what to do about it where that is not plain.
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
            "\(path): is of another kind: it begins with \(quoted(found)), not with \"\(expected)\""
        case .truncated(let path, let position, let needed, let available):
            "\(path): ends too early: of \(needed) bytes from byte \(position) on only \(available) are there;"
                + " what stands before them is good"
        case .damaged(let path, let position, let expected, let found):
            "\(path): is damaged at byte \(position): \(quoted(found)) stands where \(expected) belongs;"
                + " what stands before it is good"
        case .headerTooLong(let path, let position, let limit):
            "\(path): the header at byte \(position) does not end within \(limit) bytes"
        case .missingParameter(let path, let parameter):
            "\(path): the header does not give the \(parameter)"
        case .invalidField(let path, let position, let field, let value):
            "\(path): the header at byte \(position) gives \(value) as \(field)"
        case .unsupportedFormat(let path, let format):
            "\(path): \(format) is not supported; convert it first (8-bit 4:2:0 video, VP8 and VP9 are read)"
        case .unsupportedCapture(let path, let format):
            "\(path): \(format) is not supported; pcap, pcapng and rtpdump are, with Ethernet, Linux cooked, raw IP or"
                + " loopback links"
        case .resolutionOutOfRange(let path, let width, let height):
            "\(path): the header claims pictures of \(width)x\(height);"
                + " sizes from 1x1 to \(Resolution.maximumDimension)x\(Resolution.maximumDimension) can be read"
        case .timeOutOfRange(let path, let position):
            "\(path): the frame at byte \(position) lies more than 73 years from the start; its rate or stamp is wrong"
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

/// A stranger's bytes as harmless text: printable ASCII as it is, everything else as `\x1b`.
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
