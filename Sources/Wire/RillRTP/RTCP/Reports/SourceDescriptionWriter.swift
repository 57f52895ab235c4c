/// Writes an SDES packet, chunk by chunk and item by item (RFC 3550 §6.5).
///
/// ```swift
/// var writer = SourceDescriptionWriter(into: &output)
/// writer.beginChunk(of: SSRC(7), into: &output)
/// writer.append(.canonicalName, name.span, into: &output)
/// writer.append(.tool, tool.span, into: &output)
/// writer.finish(into: &output)
/// ```
///
/// Pass the same `output` throughout, and append nothing else to it in between. Traps if it has too little room.
/// Allocates nothing.
public struct SourceDescriptionWriter {
    private let start: Int
    private var chunkCount = 0

    /// Starts a packet.
    @_lifetime(output: copy output)
    public init(into output: inout OutputSpan<UInt8>) {
        start = output.count
        RTCPPacket.writeHeader(.sourceDescription, count: 0, byteCount: RTCPPacket.headerByteCount, into: &output)
    }

    /// Starts the chunk of one source. Traps if it is the 32nd.
    @_lifetime(output: copy output)
    public mutating func beginChunk(of ssrc: SSRC, into output: inout OutputSpan<UInt8>) {
        precondition(chunkCount < RTCPPacket.maximumCount, "an SDES packet has at most 31 chunks")
        endChunk(into: &output)
        chunkCount += 1
        output.append(bigEndian: ssrc.rawValue)
    }

    /// Appends an item of 0 to 255 bytes of UTF-8 to the chunk. Traps if its type is 0, which would end the chunk.
    @_lifetime(output: copy output)
    public func append(
        _ type: SourceDescription.ItemType, _ text: Span<UInt8>, into output: inout OutputSpan<UInt8>
    ) {
        beginItem(type, byteCount: text.count, into: &output)
        output.append(copying: text)
    }

    /// Appends a PRIV item, whose parts have at most 254 bytes together.
    @_lifetime(output: copy output)
    public func append(_ item: SourceDescription.PrivateExtension, into output: inout OutputSpan<UInt8>) {
        beginItem(.privateExtension, byteCount: 1 + item.prefix.count + item.value.count, into: &output)
        output.append(UInt8(truncatingIfNeeded: item.prefix.count))
        output.append(copying: item.prefix)
        output.append(copying: item.value)
    }

    /// Completes the packet by writing its count and length.
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
        precondition(byteCount <= 255, "an item of \(byteCount) bytes: 255 fit")
        output.append(type.rawValue)
        output.append(UInt8(truncatingIfNeeded: byteCount))
    }

    /// Appends one to four zero bytes, up to a word boundary.
    @_lifetime(output: copy output)
    private func endChunk(into output: inout OutputSpan<UInt8>) {
        guard chunkCount > 0 else { return }
        output.append(repeating: 0, count: 4 - (output.count - start) % 4)
    }
}

extension SourceDescription {
    /// Returns the size of a chunk with that many items and that many bytes of text in total.
    public static func chunkByteCount(items count: Int, textByteCount: Int) -> Int {
        // The items are followed by at least one zero byte.
        4 + (2 * count + textByteCount + 1 + 3) / 4 * 4
    }

    /// Returns the size in bytes of a packet with one source and a canonical name of that many bytes.
    public static func byteCount(canonicalName count: Int) -> Int {
        RTCPPacket.headerByteCount + chunkByteCount(items: 1, textByteCount: count)
    }

    /// Appends a packet with the canonical name, 1 to 255 bytes of UTF-8, of one source.
    ///
    /// Traps unless `output` has room for `byteCount(canonicalName:)` bytes.
    @_lifetime(output: copy output)
    public static func write(canonicalName: Span<UInt8>, of ssrc: SSRC, into output: inout OutputSpan<UInt8>) {
        precondition(!canonicalName.isEmpty, "a CNAME of no bytes")
        var writer = SourceDescriptionWriter(into: &output)
        writer.beginChunk(of: ssrc, into: &output)
        writer.append(.canonicalName, canonicalName, into: &output)
        writer.finish(into: &output)
    }
}
