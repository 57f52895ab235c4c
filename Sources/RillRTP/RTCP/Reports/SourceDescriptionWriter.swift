/// Writes an SDES packet, chunk by chunk and item by item (RFC 3550 §6.5).
///
///     var writer = SourceDescriptionWriter(into: &output)
///     writer.beginChunk(of: SSRC(7), into: &output)
///     writer.append(.canonicalName, name.span, into: &output)
///     writer.append(.tool, tool.span, into: &output)
///     writer.finish(into: &output)
///
/// `output` is the same throughout and nothing else is appended between; too little room is the programmer's mistake.
/// Allocates nothing.
public struct SourceDescriptionWriter {
    private let start: Int
    private var chunkCount = 0

    /// Begins a packet.
    @_lifetime(output: copy output)
    public init(into output: inout OutputSpan<UInt8>) {
        start = output.count
        RTCPPacket.writeHeader(.sourceDescription, count: 0, byteCount: RTCPPacket.headerByteCount, into: &output)
    }

    /// Begins what is said of one source; a thirty-second is the programmer's mistake.
    @_lifetime(output: copy output)
    public mutating func beginChunk(of ssrc: SSRC, into output: inout OutputSpan<UInt8>) {
        precondition(chunkCount < RTCPPacket.maximumCount, "an SDES packet has at most 31 chunks")
        endChunk(into: &output)
        chunkCount += 1
        output.append(bigEndian: ssrc.rawValue)
    }

    /// Appends an item of 0 to 255 bytes of UTF-8 to the chunk; none of type 0, which would end it.
    @_lifetime(output: copy output)
    public func append(
        _ type: SourceDescription.ItemType, _ text: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) {
        beginItem(type, byteCount: text.count, into: &output)
        output.append(copying: text)
    }

    /// Appends a PRIV item; both parts together have at most 254 bytes.
    @_lifetime(output: copy output)
    public func append(_ item: SourceDescription.PrivateExtension, into output: inout OutputSpan<UInt8>) {
        beginItem(.privateExtension, byteCount: 1 + item.prefix.count + item.value.count, into: &output)
        output.append(UInt8(truncatingIfNeeded: item.prefix.count))
        output.append(copying: item.prefix)
        output.append(copying: item.value)
    }

    /// Ends the packet: its count and length become known.
    @_lifetime(output: copy output)
    public func finish(into output: inout OutputSpan<UInt8>) {
        endChunk(into: &output)
        output[start] |= UInt8(truncatingIfNeeded: chunkCount)
        RTCPPacket.patchLength(ofPacketAt: start, in: &output)
    }

    @_lifetime(output: copy output)
    private func beginItem(
        _ type: SourceDescription.ItemType, byteCount: Int, into output: inout OutputSpan<UInt8>
    ) {
        precondition(chunkCount > 0, "an item before the first chunk")
        precondition(type.rawValue != 0, "item type 0 ends the chunk")
        precondition(byteCount <= 255, "an item of \(byteCount) bytes: 255 can be told")
        output.append(type.rawValue)
        output.append(UInt8(truncatingIfNeeded: byteCount))
    }

    /// One to four zero bytes, up to a whole word.
    @_lifetime(output: copy output)
    private func endChunk(into output: inout OutputSpan<UInt8>) {
        guard chunkCount > 0 else { return }
        output.append(repeating: 0, count: 4 - (output.count - start) % 4)
    }
}

extension SourceDescription {
    /// Bytes of a chunk with that many items, whose texts have that many bytes together.
    public static func chunkByteCount(items count: Int, textByteCount: Int) -> Int {
        // The items are followed by at least one zero byte.
        4 + (2 * count + textByteCount + 1 + 3) / 4 * 4
    }

    /// Bytes of a packet with one source and its canonical name.
    public static func byteCount(canonicalName count: Int) -> Int {
        RTCPPacket.headerByteCount + chunkByteCount(items: 1, textByteCount: count)
    }

    /// Appends a packet that says the canonical name, 1 to 255 bytes of UTF-8, of one source.
    ///
    /// `output` has room for `byteCount(canonicalName:)` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public static func write(canonicalName: Span<UInt8>, of ssrc: SSRC, into output: inout OutputSpan<UInt8>) {
        precondition(!canonicalName.isEmpty, "a CNAME of no bytes")
        var writer = SourceDescriptionWriter(into: &output)
        writer.beginChunk(of: ssrc, into: &output)
        writer.append(.canonicalName, canonicalName, into: &output)
        writer.finish(into: &output)
    }
}
