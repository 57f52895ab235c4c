public import RillCore

/// The description of a UDP datagram in a capture, without its bytes.
public struct CapturedDatagram: Hashable, Sendable {
    /// When it was captured, in nanoseconds since 1970, from 1970 to 2106. In rtpdump, in milliseconds after the
    /// start stored in the file. If a file stores no time for a packet, it is that of the previous packet.
    public let time: MediaTime
    /// The sender's address; `nil` in rtpdump, which does not store it.
    public let source: UDPAddress?
    /// The destination address. In rtpdump, the address of the recording.
    public let destination: UDPAddress
    /// The number of captured bytes.
    public let byteCount: Int
    /// The number of bytes that the datagram had.
    public let originalByteCount: Int
    /// The position of its bytes in the file.
    public let position: Int

    /// Whether it is truncated: the capture was limited to the first bytes of each packet.
    public var isCut: Bool { byteCount < originalByteCount }
}

/// Counts of a capture's packets so far.
public struct CaptureStatistics: Codable, Hashable, Sendable {
    /// Packets of all kinds.
    public var packets = 0
    /// UDP datagrams, which were returned.
    public var datagrams = 0
    /// Truncated datagrams among these.
    public var cutDatagrams = 0
    /// Fragments of datagrams, which are skipped, not reassembled.
    public var fragments = 0
    /// Packets of other protocols, or of unsupported links.
    public var others = 0
    /// Packets whose headers are truncated or inconsistent.
    public var unreadable = 0

    /// Creates zero counts.
    public init() {}
}

extension CaptureStatistics: CustomStringConvertible {
    /// The counts that are not zero, by name: `packets 310, datagrams 300`.
    public var description: String { countedText(self) }
}
