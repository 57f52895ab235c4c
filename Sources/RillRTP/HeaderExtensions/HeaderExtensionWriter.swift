/// Writes a header extension, element by element, straight into a packet (RFC 8285 §4).
///
///     header.write(into: &output, hasExtension: true)
///     var writer = HeaderExtensionWriter(layout, into: &output)
///     writer.append(TransportSequenceNumber(7), id: 5, into: &output)
///     writer.append(AbsoluteSendTime(now), id: 3, into: &output)
///     writer.finish(into: &output)
///
/// The elements are those that the layout was told of, or fewer: what is left of its room becomes padding. `output` is
/// the same throughout and nothing else is appended between. Allocates nothing.
public struct HeaderExtensionWriter {
    @usableFromInline let form: HeaderExtensionForm
    /// Where in the output the block ends.
    @usableFromInline let end: Int

    /// Begins a block. `output` has room for `layout.byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public init(_ layout: HeaderExtensionLayout, into output: inout OutputSpan<UInt8>) {
        form = layout.form
        end = output.count + layout.byteCount
        let words = (layout.byteCount - RTPHeaderExtension.fixedByteCount) / 4
        precondition(words <= UInt16.max, "a header extension of \(words) words: 65535 can be told")
        output.append(bigEndian: form.profile)
        output.append(bigEndian: UInt16(words))
    }

    /// Appends an element that says `value`.
    @inlinable @_lifetime(output: copy output)
    public func append(_ value: some HeaderExtensionValue, id: UInt8, into output: inout OutputSpan<UInt8>) {
        beginElement(id: id, byteCount: value.byteCount, into: &output)
        value.write(into: &output)
    }

    /// Appends an element of any bytes.
    @_lifetime(output: copy output)
    public func append(data: Span<UInt8>, id: UInt8, into output: inout OutputSpan<UInt8>) {
        beginElement(id: id, byteCount: data.count, into: &output)
        output.append(copying: data)
    }

    /// Fills the block up to the length that was told.
    @_lifetime(output: copy output)
    public func finish(into output: inout OutputSpan<UInt8>) {
        precondition(output.count <= end, "\(output.count - end) bytes more than the layout was told of")
        output.append(repeating: 0, count: end - output.count)
    }

    @usableFromInline @_lifetime(output: copy output)
    func beginElement(id: UInt8, byteCount: Int, into output: inout OutputSpan<UInt8>) {
        precondition(id != 0, "element number 0 is padding")
        switch form {
        case .oneByte:
            precondition(
                HeaderExtensionLayout.fitsOneByte(id: id, byteCount: byteCount),
                "the layout was not told of element \(id) with \(byteCount) bytes")
            output.append(id << 4 | UInt8(truncatingIfNeeded: byteCount - 1))
        case .twoByte:
            precondition(byteCount <= 255, "an element of \(byteCount) bytes: 0 to 255 can be told")
            output.append(id)
            output.append(UInt8(truncatingIfNeeded: byteCount))
        }
    }
}
