public import RillCore

/// Writes UDP datagrams to a capture, with headers and checksums as on the wire.
///
/// The format is pcap, pcapng or rtpdump, by the extension of the file's name. Wireshark reads all of them.
///
/// ```swift
/// let capture = try CaptureWriter(path: "call.pcap")
/// try capture.write(packet, from: sender, to: receiver, at: time)
/// try capture.finish()
/// ```
///
/// Times are nanoseconds since 1970. pcap and pcapng keep nanoseconds, rtpdump keeps milliseconds. Times before 1970
/// are clamped to it. rtpdump stores only the address of the recording.
///
/// One owner, one thread at a time. Cost per datagram: its checksum, and one gathering write from the caller's own
/// memory. Nothing is allocated.
public final class CaptureWriter {
    /// The format.
    public let format: VideoFileFormat
    /// The settings chosen at the start.
    public let settings: Settings
    private let path: String
    private var output: ByteOutput?
    private var rtpDump: RTPDumpWriter?
    private var head: [UInt8] = []

    /// How a capture is written.
    public struct Settings: Sendable {
        /// The link layer: `.rawIP` (none) or `.ethernet`.
        public var linkType = LinkType.rawIP
        /// The start of the recording, since 1970. Only rtpdump stores it; its times are relative to it.
        public var startTime = MediaTime.zero
        /// The address of the recording. Only rtpdump stores it, and only IPv4.
        public var address = UDPAddress(.loopback, port: 5004)
        /// The byte order of numbers. Readers accept both.
        var byteOrder = ByteOrder.little
        /// Whether pcap counts microseconds instead of nanoseconds.
        var isInMicroseconds = false

        /// Creates the default settings.
        public init() {}
    }

    /// Creates or truncates a file and writes its header.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard output.
    ///   - name: the file's name in errors, if it is not its path.
    ///   - format: `.pcap`, `.pcapng` or `.rtpDump`; by default the extension of the name, or else of the path,
    ///     decides.
    ///   - settings: how it is written.
    /// - Throws: `notFound`, `openFailed`, `writeFailed`; `unsupportedCapture` for any other format.
    public init(
        path: String, name: String? = nil, format: VideoFileFormat? = nil, settings: Settings = Settings()
    ) throws(FileError) {
        let said = name ?? path
        precondition(
            settings.linkType == .rawIP || settings.linkType == .ethernet,
            "captures are written as raw IP or Ethernet")
        let format = format ?? VideoFileFormat(path: said)
        switch format {
        case .pcap, .pcapng:
            var output = try ByteOutput(path: path, name: said)
            let head = format == .pcap ? CaptureWriter.pcapHead(settings) : CaptureWriter.pcapngHead(settings)
            try output.write(head.span)
            self.output = consume output
        case .rtpDump: rtpDump = try CaptureWriter.rtpDump(path, said, settings)
        case .y4m, .i420, .nv12, .ivf, .png, nil:
            throw .unsupportedCapture(path: said, format: "a capture of this ending")
        }
        self.format = format ?? .pcap
        self.path = said
        self.settings = settings
    }

    /// Writes a datagram. Both addresses must have the same IP version; otherwise it traps.
    ///
    /// - Parameters:
    ///   - datagram: the payload of the datagram.
    ///   - source: the sender's address.
    ///   - destination: the receiver's address.
    ///   - time: when it was sent, in nanoseconds since 1970.
    /// - Throws: `tooLarge` for more bytes than a datagram can have, `writeFailed`.
    public func write(
        _ datagram: Span<UInt8>, from source: UDPAddress, to destination: UDPAddress, at time: MediaTime
    ) throws(FileError) {
        if let rtpDump { return try rtpDump.write(datagram, RTPDumpRecord.Kind(of: datagram), at: time) }
        let limit = InternetPacket.maximumDatagramByteCount(source.ip)
        guard datagram.count <= limit else {
            throw .tooLarge(path: path, position: output?.position ?? 0, byteCount: datagram.count, limit: limit)
        }
        head.removeAll(keepingCapacity: true)
        if format == .pcapng {
            try writeEnhancedPacket(datagram, source, destination, time)
        } else {
            try writePacket(datagram, source, destination, time)
        }
    }

    /// Closes the file. Called once, after the last datagram.
    ///
    /// - Throws: `writeFailed`.
    public func finish() throws(FileError) {
        if let rtpDump { return try rtpDump.finish() }
        try output?.finish()
    }

    /// Appends the Ethernet header: locally administered addresses and the protocol.
    private func appendLinkHead(_ source: UDPAddress) {
        guard settings.linkType == .ethernet else { return }
        head += [0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1]
        if case .v4 = source.ip { head += [0x08, 0x00] } else { head += [0x86, 0xDD] }
    }

    private static func nanoseconds(_ time: MediaTime) -> UInt64 { UInt64(clamping: time.nanoseconds) }
}

// MARK: - rtpdump

extension CaptureWriter {
    private static func rtpDump(
        _ path: String, _ name: String, _ settings: Settings
    ) throws(FileError) -> RTPDumpWriter {
        let start = nanoseconds(settings.startTime)
        var header = RTPDumpHeader(
            port: settings.address.port, startSeconds: UInt32(clamping: start / 1_000_000_000),
            startMicroseconds: UInt32(start % 1_000_000_000 / 1000))
        if case .v4(let address) = settings.address.ip { header.address = address }
        return try RTPDumpWriter(path: path, name: name, header: header, startTime: settings.startTime)
    }

}

// MARK: - pcap

extension CaptureWriter {
    private static func pcapHead(_ settings: Settings) -> [UInt8] {
        let order = settings.byteOrder
        var head: [UInt8] = []
        head.append(settings.isInMicroseconds ? PCAPFormat.microsecondMagic : PCAPFormat.nanosecondMagic, order)
        head.append(PCAPFormat.majorVersion, order)
        head.append(PCAPFormat.minorVersion, order)
        head.append(UInt64(0), order)
        head.append(UInt32(CapturedPacket.maximumByteCount), order)
        head.append(UInt32(settings.linkType.rawValue), order)
        return head
    }

    private func writePacket(
        _ datagram: Span<UInt8>, _ source: UDPAddress, _ destination: UDPAddress, _ time: MediaTime
    ) throws(FileError) {
        let nanoseconds = CaptureWriter.nanoseconds(time)
        let fraction = nanoseconds % 1_000_000_000 / (settings.isInMicroseconds ? 1000 : 1)
        head.append(UInt32(clamping: nanoseconds / 1_000_000_000), settings.byteOrder)
        head.append(UInt32(fraction), settings.byteOrder)
        head.append(UInt64(0), settings.byteOrder)
        appendLinkHead(source)
        InternetPacket.appendHeaders(of: datagram, from: source, to: destination, to: &head)
        let byteCount = UInt32(head.count - PCAPFormat.packetHeaderByteCount + datagram.count)
        head.replace(byteCount, at: 8, settings.byteOrder)
        head.replace(byteCount, at: 12, settings.byteOrder)
        let front = head  // shared, not copied: its life ends with this call
        try output?.write(front.span, datagram)
    }
}

// MARK: - pcapng

extension CaptureWriter {
    /// A section of unknown length, and one interface that counts nanoseconds.
    private static func pcapngHead(_ settings: Settings) -> [UInt8] {
        let order = settings.byteOrder
        var head: [UInt8] = []
        head.append(PCAPNGFormat.sectionHeader, order)
        head.append(UInt32(28), order)
        head.append(PCAPNGFormat.byteOrderMagic, order)
        head.append(UInt16(1), order)
        head.append(UInt16(0), order)
        head.append(Int64(-1), order)
        head.append(UInt32(28), order)

        head.append(PCAPNGFormat.interfaceDescription, order)
        head.append(UInt32(32), order)
        head.append(settings.linkType.rawValue, order)
        head.append(UInt16(0), order)
        head.append(UInt32(CapturedPacket.maximumByteCount), order)
        head.append(PCAPNGFormat.timeResolution, order)
        head.append(UInt16(1), order)
        head += [9, 0, 0, 0]
        head.append(UInt32(0), order)  // the end of the options, of which there are no more
        head.append(UInt32(32), order)
        return head
    }

    private func writeEnhancedPacket(
        _ datagram: Span<UInt8>, _ source: UDPAddress, _ destination: UDPAddress, _ time: MediaTime
    ) throws(FileError) {
        let order = settings.byteOrder
        let nanoseconds = CaptureWriter.nanoseconds(time)
        head.append(PCAPNGFormat.enhancedPacket, order)
        head.append(UInt64(0), order)  // the block's length, filled in below, and the first interface
        head.append(UInt32(nanoseconds >> 32), order)
        head.append(UInt32(truncatingIfNeeded: nanoseconds), order)
        head.append(UInt64(0), order)
        let headByteCount = head.count
        appendLinkHead(source)
        InternetPacket.appendHeaders(of: datagram, from: source, to: destination, to: &head)
        let byteCount = head.count - headByteCount + datagram.count
        let padding = (4 - byteCount % 4) % 4
        let blockByteCount = UInt32(
            headByteCount + byteCount + padding + PCAPNGFormat.blockTrailerByteCount)
        head.replace(blockByteCount, at: 4, order)
        head.replace(UInt32(byteCount), at: 20, order)
        head.replace(UInt32(byteCount), at: 24, order)

        // The datagram is followed by padding and the block's length again.
        let frontByteCount = head.count
        head.append(contentsOf: repeatElement(0, count: padding))
        head.append(blockByteCount, order)
        let block = head  // shared, not copied: its life ends with this call
        try output?.write(
            block.span.extracting(..<frontByteCount), datagram, block.span.extracting(frontByteCount...))
    }
}

extension [UInt8] {
    /// Overwrites a four-byte number.
    fileprivate mutating func replace(_ value: UInt32, at offset: Int, _ order: ByteOrder) {
        for index in 0..<4 {
            let shift = 8 * (order == .little ? index : 3 - index)
            self[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
        }
    }
}
