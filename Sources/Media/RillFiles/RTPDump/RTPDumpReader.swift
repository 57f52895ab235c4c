import RillCore

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
    private var failure: FileError?

    /// Opens a file and reads its header.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Throws: `notFound`, `openFailed`, `readFailed`, `empty`, `foreign`, `truncated`, `headerTooLong`.
    public convenience init(path: String) throws(FileError) {
        try self.init(try ByteInput(path: path))
    }

    package init(_ input: consuming ByteInput) throws(FileError) {
        var input = input
        let magic = RTPDumpHeader.magic.utf8
        let available = try input.fill(magic.count)
        guard available > 0 else { throw .empty(path: input.path) }
        guard input.buffered.starts(with: magic.prefix(available)) else {
            throw .foreign(path: input.path, expected: RTPDumpHeader.magic, found: input.buffered.prefixBytes())
        }
        let line = try input.lineByteCount(limit: RTPDumpHeader.maximumLineByteCount)
        input.consume(line)
        let rest = try input.fill(RTPDumpHeader.byteCount)
        guard rest >= RTPDumpHeader.byteCount else {
            throw .truncated(path: input.path, position: line, needed: RTPDumpHeader.byteCount, available: rest)
        }
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
        if let failure { throw failure }
        do throws(FileError) {
            return try RTPDumpReader.readRecord(from: &input, into: &packet)
        } catch {
            failure = error
            throw error
        }
    }

    /// The number of bytes read so far.
    public var position: Int { input.position }

    private static func readRecord(
        from input: inout ByteInput, into packet: inout [UInt8]
    ) throws(FileError) -> RTPDumpRecord? {
        let headerByteCount = RTPDumpHeader.packetHeaderByteCount
        let position = input.position
        let available = try input.fill(headerByteCount)
        guard available > 0 else { return nil }
        guard available >= headerByteCount else {
            throw .truncated(path: input.path, position: position, needed: headerByteCount, available: available)
        }
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
        try input.read(byteCount, into: &packet)
        guard packet.count == byteCount else {
            throw .truncated(path: input.path, position: record.position, needed: byteCount, available: packet.count)
        }
        return record
    }
}
