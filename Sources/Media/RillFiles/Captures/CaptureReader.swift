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
    /// Fragments of datagrams that are incomplete.
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

/// Reads the UDP datagrams of a capture: pcap, pcapng or rtpdump, detected by its first bytes.
///
/// ```swift
/// let capture = try CaptureReader(path: "call.pcapng")
/// var bytes: [UInt8] = []
/// while let datagram = try capture.next(into: &bytes) {
///     print(datagram.time, datagram.destination, bytes.count)
/// }
/// print(capture.statistics)
/// ```
///
/// It finds IPv4 and IPv6 packets in Ethernet frames (with VLAN tags), Linux "cooked" frames of both versions, raw IP
/// and loopback. Fragments are joined: such a datagram is returned at the place of its last one. What stays incomplete
/// is counted and skipped, like everything that is not UDP.
///
/// One owner, one thread at a time. It reads from start to end, so a pipe works as well as a file. It keeps one
/// packet (at most 256 KiB) and at most 64 incomplete datagrams, and allocates nothing for whole ones once `bytes` has
/// grown to the largest.
public final class CaptureReader {
    /// The format: `.pcap`, `.pcapng` or `.rtpDump`.
    public let format: VideoFileFormat
    /// Counts so far.
    public private(set) var statistics = CaptureStatistics()
    // Exactly one of these is set, according to the format.
    private var rtpDump: RTPDumpReader?
    private var pcap: PCAPReader?
    private var pcapng: PCAPNGReader?
    private var packet: [UInt8] = []
    private var fragments = FragmentBuffer()
    private var lastTime = MediaTime.zero
    private var failure = FirstFailure<FileError>()

    /// Opens a file and reads its header.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Throws: `notFound`, `openFailed`, `readFailed`; `empty`, `foreign`, `truncated`, `headerTooLong`, `damaged`;
    ///   `unsupportedCapture` for an unknown version or link type.
    public convenience init(path: String) throws(FileError) {
        try self.init(try ByteInput(path: path))
    }

    /// Opens a capture in memory.
    public convenience init(bytes: [UInt8]) throws(FileError) {
        try self.init(ByteInput(bytes: bytes))
    }

    package init(_ input: consuming ByteInput) throws(FileError) {
        var input = input
        let format = try input.sniffFormat()
        switch format {
        case .rtpDump: rtpDump = try RTPDumpReader(input)
        case .pcap: pcap = try PCAPReader(input)
        case .pcapng: pcapng = try PCAPNGReader(input)
        case .y4m, .i420, .nv12, .ivf, .png, nil:
            guard !input.buffered.isEmpty else { throw .empty(path: input.path) }
            throw .foreign(
                path: input.path, expected: "pcap, pcapng or rtpdump", found: input.buffered.prefixBytes())
        }
        self.format = format ?? .pcap
    }

    /// Replaces `bytes` with the next datagram. Returns `nil` after the last one.
    ///
    /// - Parameter bytes: receives the datagram's bytes.
    /// - Returns: the description of the datagram.
    /// - Throws: `truncated` if the file ends inside a packet; `damaged`, `invalidField`, `tooLarge`,
    ///   `timeOutOfRange` for invalid content; `readFailed`. All later calls throw the same error. Datagrams returned
    ///   before it are valid.
    public func next(into bytes: inout [UInt8]) throws(FileError) -> CapturedDatagram? {
        try failure.keeping { () throws(FileError) in
            if let rtpDump { return try nextRecord(of: rtpDump, into: &bytes) }
            while let found = try nextPacket() {
                if let datagram = datagram(in: found, into: &bytes) { return datagram }
            }
            return nil
        }
    }

    /// The number of bytes read so far.
    public var position: Int { rtpDump?.position ?? pcap?.position ?? pcapng?.position ?? 0 }

    private func nextPacket() throws(FileError) -> CapturedPacket? {
        format == .pcap ? try pcap?.next(into: &packet) : try pcapng?.next(into: &packet)
    }

    // MARK: Finding datagrams

    private func nextRecord(
        of reader: RTPDumpReader, into bytes: inout [UInt8]
    ) throws(FileError) -> CapturedDatagram? {
        guard let record = try reader.next(into: &bytes) else { return nil }
        statistics.packets += 1
        let header = reader.header
        // 2^32 seconds are 136 years, and the rest is at most 49 days, so no sum of these fields overflows.
        let start = Int64(header.startSeconds) * 1_000_000_000 + Int64(header.startMicroseconds) * 1000
        return handOut(
            CapturedDatagram(
                time: MediaTime(nanoseconds: start + record.time.nanoseconds), source: nil,
                destination: UDPAddress(.v4(header.address), port: header.port), byteCount: record.byteCount,
                originalByteCount: max(record.originalByteCount, record.byteCount), position: record.position))
    }

    /// Returns the datagram in a packet, if there is one.
    private func datagram(in found: CapturedPacket, into bytes: inout [UInt8]) -> CapturedDatagram? {
        statistics.packets += 1
        lastTime = found.time ?? lastTime
        let frame = packet  // shared, not copied: its life ends with this call
        let internet: InternetPacket
        switch found.linkType.content(of: frame.span) {
        case .internet(let offset): internet = InternetPacket(in: frame.span, at: offset)
        case .other: internet = .other
        case .tooShort: internet = .unreadable
        }
        switch internet {
        case .fragment(let fragment):
            statistics.fragments += 1
            guard let joined = fragments.insert(fragment, of: frame.span) else { return nil }
            statistics.fragments -= joined.fragmentCount
            switch InternetPacket(joined: joined.bytes.span, byteCount: joined.byteCount, fragment.key) {
            case .datagram(let datagram): return handOut(datagram, joined.bytes, at: found.position, into: &bytes)
            case .fragment, .other, .unreadable: statistics.unreadable += 1
            }
        case .other: statistics.others += 1
        case .unreadable: statistics.unreadable += 1
        case .datagram(let datagram):
            return handOut(datagram, frame, at: found.position + datagram.payload.lowerBound, into: &bytes)
        }
        return nil
    }

    private func handOut(
        _ datagram: InternetPacket.Datagram, _ frame: [UInt8], at position: Int, into bytes: inout [UInt8]
    ) -> CapturedDatagram {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: frame[datagram.payload])
        return handOut(
            CapturedDatagram(
                time: lastTime, source: datagram.source, destination: datagram.destination,
                byteCount: datagram.payload.count, originalByteCount: datagram.originalByteCount, position: position))
    }

    private func handOut(_ datagram: CapturedDatagram) -> CapturedDatagram {
        statistics.datagrams += 1
        if datagram.isCut { statistics.cutDatagrams += 1 }
        return datagram
    }
}
