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
    public var addressText: String {
        "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
    }

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
    }
}
