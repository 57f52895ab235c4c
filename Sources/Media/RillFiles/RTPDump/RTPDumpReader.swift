public import RillCore

/// The header of an rtpdump file, which describes the recording.
///
/// The format of rtptools (its `rtpdump.h`); all fields are big-endian:
///
/// ```text
/// #!rtpplay1.0 127.0.0.1/5004\n
///
/// file, 16 bytes                          packet, 8 bytes, then its bytes
///  0  start, seconds        uint32         0  bytes of this record, these 8 included      uint16
///  4  start, microseconds   uint32         2  bytes the packet had; 0: it is RTCP         uint16
///  8  address               uint32         4  milliseconds since the start                uint32
/// 12  port                  uint16
/// 14  not used              uint16
/// ```
public struct RTPDumpHeader: Hashable, Sendable {
    /// The destination IPv4 address, with the first octet in the highest byte.
    public var address: UInt32
    /// The destination UDP port.
    public var port: UInt16
    /// The start of the recording: seconds since 1970.
    public var startSeconds: UInt32
    /// The start of the recording: microseconds after `startSeconds`.
    public var startMicroseconds: UInt32

    /// Creates a header. The defaults, 127.0.0.1/5004 at the start of 1970, are the same in every run.
    public init(
        address: UInt32 = 0x7F00_0001, port: UInt16 = 5004, startSeconds: UInt32 = 0, startMicroseconds: UInt32 = 0
    ) {
        self.address = address
        self.port = port
        self.startSeconds = startSeconds
        self.startMicroseconds = startMicroseconds
    }

    /// The address in dotted form: `127.0.0.1`.
    public var addressText: String { IPAddress.v4(address).description }

    /// The start of the first line of every file. The address after it is the same as in the header.
    static let magic = "#!rtpplay1.0 "
    /// The longest first line that is read; real ones have about 30 bytes.
    static let maximumLineByteCount = 256
    static let byteCount = 16
    static let packetHeaderByteCount = 8
    /// The longest packet that fits the 16-bit length of a record.
    static let maximumPacketByteCount = Int(UInt16.max) - packetHeaderByteCount
}

extension RTPDumpHeader {
    /// Parses the 16 bytes after the first line. Any bytes are accepted: nothing depends on them.
    init(parsing bytes: Span<UInt8>) {
        self.init(
            address: bytes.bigEndian(UInt32.self, at: 8), port: bytes.bigEndian(UInt16.self, at: 12),
            startSeconds: bytes.bigEndian(UInt32.self, at: 0), startMicroseconds: bytes.bigEndian(UInt32.self, at: 4))
    }

    /// The first line and the 16 bytes after it.
    var bytes: [UInt8] {
        var bytes = [UInt8]("\(RTPDumpHeader.magic)\(addressText)/\(port)\n".utf8)
        bytes.append(bigEndian: startSeconds)
        bytes.append(bigEndian: startMicroseconds)
        bytes.append(bigEndian: address)
        bytes.append(bigEndian: port)
        bytes.append(bigEndian: UInt16(0))
        return bytes
    }
}

/// The header of a packet in an rtpdump file.
public struct RTPDumpRecord: Hashable, Sendable {
    /// The packet's protocol.
    public let kind: Kind
    /// When it was recorded, in whole milliseconds since the start of the recording.
    public let time: MediaTime
    /// The number of recorded bytes.
    public let byteCount: Int
    /// The number of bytes that it had: more than `byteCount` if only the first bytes of each packet were recorded.
    /// The same for RTCP.
    public let originalByteCount: Int
    /// The position of its bytes in the file.
    public let position: Int

    /// The two protocols in a recording.
    public enum Kind: String, Hashable, Sendable {
        /// Media.
        case rtp = "RTP"
        /// RTP's control packets.
        case rtcp = "RTCP"

        /// The protocol by a packet's second byte, which distinguishes RTP from RTCP (RFC 5761 §4).
        init(of packet: Span<UInt8>) { self = packet.count > 1 && (192...223).contains(packet[1]) ? .rtcp : .rtp }
    }
}

/// Reads the packets of an rtpdump file, the format of rtptools, Wireshark and libwebrtc.
///
/// ```swift
/// let file = try RTPDumpReader(path: "call.rtpdump")
/// var packet: [UInt8] = []
/// while let record = try file.next(into: &packet) { receiver.insert(packet.span, at: record.time) }
/// ```
///
/// The packets' own bytes are not parsed. One owner, one thread at a time. Nothing is allocated once `packet` has
/// grown to the largest packet.
public final class RTPDumpReader {
    /// The file's header.
    public let header: RTPDumpHeader
    private var input: ByteInput
    private var failure = FirstFailure<FileError>()

    /// Opens a file and reads its header.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Throws: `notFound`, `openFailed`, `readFailed`, `empty`, `foreign`, `truncated`, `headerTooLong`.
    public convenience init(path: String) throws(FileError) {
        try self.init(try ByteInput(path: path))
    }

    package init(_ input: consuming ByteInput) throws(FileError) {
        var input = input
        try input.requireStart(RTPDumpHeader.magic.utf8.count, of: RTPDumpHeader.magic)
        let line = try input.lineByteCount(limit: RTPDumpHeader.maximumLineByteCount)
        input.consume(line)
        try input.require(RTPDumpHeader.byteCount)
        self.header = RTPDumpHeader(parsing: input.buffered)
        input.consume(RTPDumpHeader.byteCount)
        self.input = input
    }

    /// Replaces `packet` with the bytes of the next packet. Returns `nil` after the last one.
    ///
    /// - Parameter packet: receives the packet's bytes.
    /// - Returns: the packet's header.
    /// - Throws: `truncated` if the file ends inside a record (`packet` then holds what exists of it), `invalidField`
    ///   for a length that does not cover the record's own header, `readFailed`. All later calls throw the same
    ///   error.
    public func next(into packet: inout [UInt8]) throws(FileError) -> RTPDumpRecord? {
        try failure.keeping { () throws(FileError) in
            try RTPDumpReader.readRecord(from: &input, into: &packet)
        }
    }

    /// The number of bytes read so far.
    public var position: Int { input.position }

    private static func readRecord(
        from input: inout ByteInput, into packet: inout [UInt8]
    ) throws(FileError) -> RTPDumpRecord? {
        let headerByteCount = RTPDumpHeader.packetHeaderByteCount
        let position = input.position
        guard try input.fillRecord(headerByteCount) else { return nil }
        let length = Int(input.buffered.bigEndian(UInt16.self, at: 0))
        let original = Int(input.buffered.bigEndian(UInt16.self, at: 2))
        let milliseconds = input.buffered.bigEndian(UInt32.self, at: 4)
        guard length >= headerByteCount else {
            throw .invalidField(path: input.path, position: position, field: "length of a record", value: "\(length)")
        }
        input.consume(headerByteCount)
        let byteCount = length - headerByteCount
        let record = RTPDumpRecord(
            kind: original == 0 ? .rtcp : .rtp, time: .zero + .milliseconds(Int(milliseconds)), byteCount: byteCount,
            originalByteCount: original == 0 ? byteCount : original, position: input.position)
        try input.readAll(byteCount, into: &packet)
        return record
    }
}
