public import RillCore

/// One UDP datagram of a capture; its bytes come beside it.
public struct CapturedDatagram: Hashable, Sendable {
    /// When it passed, in nanoseconds since 1970, from 1970 to 2106. In rtpdump, to the millisecond after the start that
    /// the file tells. Where a file gives a packet no time, that of the packet before it.
    public let time: MediaTime
    /// Who sent it; rtpdump does not say.
    public let source: UDPAddress?
    /// Whom it was sent to. In rtpdump, where the recording was made.
    public let destination: UDPAddress
    /// Bytes of it that were captured.
    public let byteCount: Int
    /// Bytes that it had.
    public let originalByteCount: Int
    /// Where in the file its bytes begin.
    public let position: Int

    /// Whether only its front was captured: the capture was told to keep no more of a packet.
    public var isCut: Bool { byteCount < originalByteCount }
}

/// What was in a capture so far, datagrams and others.
public struct CaptureStatistics: Codable, Hashable, Sendable {
    /// Packets of all kinds.
    public var packets = 0
    /// UDP datagrams, which were handed out.
    public var datagrams = 0
    /// Those of them of which only the front was captured.
    public var cutDatagrams = 0
    /// Fragments of datagrams, which are passed over: they are not put together again.
    public var fragments = 0
    /// Packets of other protocols, or of links that Rill does not know.
    public var others = 0
    /// Packets whose headers are cut short or contradict themselves.
    public var unreadable = 0

    /// Nothing yet.
    public init() {}
}

extension CaptureStatistics: CustomStringConvertible {
    /// What is not zero, by name: `packets 310, datagrams 300`.
    public var description: String { countedText(self) }
}
