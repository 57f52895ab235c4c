public import RillCore

// rtpdump, the format of rtptools (its `rtpdump.h`); all fields big-endian:
//
//     #!rtpplay1.0 127.0.0.1/5004\n
//
//     file, 16 bytes                          packet, 8 bytes, then its bytes
//      0  start, seconds        uint32         0  bytes of this record, these 8 included      uint16
//      4  start, microseconds   uint32         2  bytes the packet had; 0: it is RTCP         uint16
//      8  address               uint32         4  milliseconds since the start                uint32
//     12  port                  uint16
//     14  not used              uint16

/// What the head of an rtpdump file says of the recording.
public struct RTPDumpHeader: Hashable, Sendable {
    /// IPv4 address that the packets went to, the first byte highest.
    public var address: UInt32
    /// UDP port that they went to.
    public var port: UInt16
    /// When the recording began: seconds since 1970.
    public var startSeconds: UInt32
    /// When the recording began: microseconds after that.
    public var startMicroseconds: UInt32

    /// A recording at 127.0.0.1/5004 at the beginning of 1970, unless said otherwise: nothing that differs from one run
    /// to the next.
    public init(
        address: UInt32 = 0x7F00_0001, port: UInt16 = 5004, startSeconds: UInt32 = 0, startMicroseconds: UInt32 = 0
    ) {
        self.address = address
        self.port = port
        self.startSeconds = startSeconds
        self.startMicroseconds = startMicroseconds
    }

    /// The address as four numbers: `127.0.0.1`.
    public var addressText: String {
        "\(address >> 24).\(address >> 16 & 0xFF).\(address >> 8 & 0xFF).\(address & 0xFF)"
    }

    /// What the first line of every file begins with; the address behind it is the one that the header has too.
    static let magic = "#!rtpplay1.0 "
    /// The longest first line that is read; real ones have about 30 bytes.
    static let maximumLineByteCount = 256
    static let byteCount = 16
    static let packetHeaderByteCount = 8
    /// The longest packet that the 16-bit length of a record leaves room for.
    static let maximumPacketByteCount = Int(UInt16.max) - packetHeaderByteCount
}

extension RTPDumpHeader {
    /// Takes the 16 bytes behind the first line apart. Any bytes will do: nothing depends on them.
    init(parsing bytes: Span<UInt8>) {
        self.init(
            address: bytes.bigEndian(UInt32.self, at: 8), port: bytes.bigEndian(UInt16.self, at: 12),
            startSeconds: bytes.bigEndian(UInt32.self, at: 0), startMicroseconds: bytes.bigEndian(UInt32.self, at: 4))
    }

    /// The first line and the 16 bytes behind it.
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

/// What stands before each packet of an rtpdump file.
public struct RTPDumpRecord: Hashable, Sendable {
    /// What the packet is.
    public let kind: Kind
    /// When it came, in whole milliseconds since the start of the recording.
    public let time: MediaTime
    /// Bytes of it that were recorded.
    public let byteCount: Int
    /// Bytes that it had. More than `byteCount` where only the front of each packet was recorded; for RTCP the same.
    public let originalByteCount: Int
    /// Where in the file its bytes begin.
    public let position: Int

    /// The two protocols that share a recording.
    public enum Kind: String, Hashable, Sendable {
        /// Media.
        case rtp = "RTP"
        /// Its reports and requests.
        case rtcp = "RTCP"
    }
}
