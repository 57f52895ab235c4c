public import RillCore

/// Writes packets to an rtpdump file, which rtptools, Wireshark and libwebrtc's tools read.
///
/// ```swift
/// let dump = try RTPDumpWriter(path: "call.rtpdump")
/// dump.send(packet, at: now)
/// try dump.finish()
/// ```
///
/// One owner, one thread at a time. Cost per packet: one gathering write from the sender's own memory, without a
/// copy.
public final class RTPDumpWriter: PacketSink {
    /// The file's header.
    public let header: RTPDumpHeader
    /// The time that the records' offsets count from, on the clock of the packets.
    public let startTime: MediaTime
    private var output: ByteOutput
    private var recordHeader: [UInt8] = []
    private var failure: FileError?

    /// Creates or truncates a file and writes its header.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard output.
    ///   - name: the file's name in errors, if it is not its path.
    ///   - header: the description of the recording.
    ///   - startTime: the time on the packets' clock that offsets count from.
    /// - Throws: `notFound`, `openFailed`, `writeFailed`.
    public init(
        path: String, name: String? = nil, header: RTPDumpHeader = RTPDumpHeader(), startTime: MediaTime = .zero
    ) throws(FileError) {
        var output = try ByteOutput(path: path, name: name)
        try output.write(header.bytes.span)
        self.header = header
        self.startTime = startTime
        self.output = consume output
    }

    /// Writes a packet.
    ///
    /// - Parameters:
    ///   - packet: its bytes.
    ///   - kind: its protocol.
    ///   - time: when it was received or sent, rounded to the nearest millisecond, and clamped to 0 to 49 days after
    ///     the start.
    /// - Throws: `tooLarge` for more than 65527 bytes, `writeFailed`.
    public func write(_ packet: Span<UInt8>, _ kind: RTPDumpRecord.Kind, at time: MediaTime) throws(FileError) {
        let limit = RTPDumpHeader.maximumPacketByteCount
        guard packet.count <= limit else {
            throw .tooLarge(path: output.path, position: output.position, byteCount: packet.count, limit: limit)
        }
        // In 128 bits, so that even `distantFuture` does not overflow.
        let offset = (Int128(time.nanoseconds) - Int128(startTime.nanoseconds) + 500_000) / 1_000_000
        recordHeader.removeAll(keepingCapacity: true)
        recordHeader.append(bigEndian: UInt16(RTPDumpHeader.packetHeaderByteCount + packet.count))
        recordHeader.append(bigEndian: kind == .rtp ? UInt16(packet.count) : 0)
        recordHeader.append(bigEndian: UInt32(clamping: offset))
        let head = recordHeader  // shared, not copied: its life ends with this call
        try output.write(head.span, packet)
    }

    /// Writes a packet. Its second byte distinguishes RTP from RTCP (RFC 5761 §4).
    ///
    /// After a failure nothing more is written, and ``finish()`` throws the error.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        guard failure == nil else { return }
        do throws(FileError) {
            try write(packet, RTPDumpRecord.Kind(of: packet), at: time)
        } catch {
            failure = error
        }
    }

    /// Closes the file. Called once, after the last packet.
    ///
    /// - Throws: the first failure of ``send(_:at:)``, or `writeFailed`.
    public func finish() throws(FileError) {
        try output.finish()
        if let failure { throw failure }
    }
}
