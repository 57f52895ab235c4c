/// Writes a header extension, element by element, directly into a packet (RFC 8285 §4).
///
/// ```swift
/// header.write(into: &output, hasExtension: true)
/// let writer = HeaderExtensionWriter(layout, into: &output)
/// writer.append(TransportSequenceNumber(7), id: 5, into: &output)
/// writer.append(AbsoluteSendTime(now), id: 3, into: &output)
/// writer.finish(into: &output)
/// ```
///
/// Append the elements that were added to the layout, or fewer: unused space becomes padding. Pass the same `output`
/// throughout, and append nothing else to it in between. Allocates nothing.
public struct HeaderExtensionWriter {
    @usableFromInline let form: HeaderExtensionForm
    /// Where in the output the block ends.
    @usableFromInline let end: Int

    /// Starts a block. Traps unless `output` has room for `layout.byteCount` bytes.
    @_lifetime(output: copy output)
    public init(_ layout: HeaderExtensionLayout, into output: inout OutputSpan<UInt8>) {
        form = layout.form
        end = output.count + layout.byteCount
        let words = (layout.byteCount - RTPHeaderExtension.fixedByteCount) / 4
        precondition(words <= UInt16.max, "a header extension of \(words) words: 65535 fit")
        output.append(bigEndian: form.profile)
        output.append(bigEndian: UInt16(words))
    }

    /// Appends an element with the data of `value`. Traps if the layout's form does not allow the element.
    @inlinable @_lifetime(output: copy output)
    public func append(_ value: some HeaderExtensionValue, id: UInt8, into output: inout OutputSpan<UInt8>) {
        beginElement(id: id, byteCount: value.byteCount, into: &output)
        value.write(into: &output)
    }

    /// Appends an element with arbitrary data. Traps if the layout's form does not allow the element.
    @_lifetime(output: copy output)
    public func append(data: Span<UInt8>, id: UInt8, into output: inout OutputSpan<UInt8>) {
        beginElement(id: id, byteCount: data.count, into: &output)
        output.append(copying: data)
    }

    /// Pads the block to the length of the layout. Traps if the elements are longer than that.
    @_lifetime(output: copy output)
    public func finish(into output: inout OutputSpan<UInt8>) {
        precondition(output.count <= end, "\(output.count - end) bytes more than the layout has")
        output.append(repeating: 0, count: end - output.count)
    }

    @usableFromInline @_lifetime(output: copy output)
    func beginElement(id: UInt8, byteCount: Int, into output: inout OutputSpan<UInt8>) {
        precondition(id != 0, "element number 0 is padding")
        switch form {
        case .oneByte:
            precondition(
                HeaderExtensionLayout.fitsOneByte(id: id, byteCount: byteCount),
                "the layout's form does not allow element \(id) with \(byteCount) bytes")
            output.append(id << 4 | UInt8(truncatingIfNeeded: byteCount - 1))
        case .twoByte:
            precondition(byteCount <= 255, "an element of \(byteCount) bytes: 0 to 255 fit")
            output.append(id)
            output.append(UInt8(truncatingIfNeeded: byteCount))
        }
    }
}

/// The form and size of a header extension, computed from its elements.
///
/// The form is one-byte while all IDs are 1 to 14 and all elements have 1 to 16 bytes, otherwise two-byte (RFC 8285
/// §4). A session knows its elements before the first packet, so a packetizer can reserve the extension's size in
/// each packet:
///
/// ```swift
/// var layout = HeaderExtensionLayout()
/// layout.add(id: 5, byteCount: TransportSequenceNumber.byteCount)
/// layout.add(id: 3, byteCount: AbsoluteSendTime.byteCount)
/// layout.byteCount  // 12
/// ```
public struct HeaderExtensionLayout: Equatable, Sendable {
    /// The form of the elements.
    public private(set) var form = HeaderExtensionForm.oneByte
    private var elementCount = 0
    private var dataByteCount = 0

    /// A layout without elements.
    public init() {}

    /// Adds an element with the ID `id` and `byteCount` bytes of data.
    ///
    /// Traps if `id` is 0 or `byteCount` is not 0 to 255.
    public mutating func add(id: UInt8, byteCount: Int) {
        precondition(id != 0, "element number 0 is padding")
        precondition((0...255).contains(byteCount), "an element of \(byteCount) bytes: 0 to 255 fit")
        elementCount += 1
        dataByteCount += byteCount
        if !HeaderExtensionLayout.fitsOneByte(id: id, byteCount: byteCount) { form = .twoByte() }
    }

    static func fitsOneByte(id: UInt8, byteCount: Int) -> Bool {
        id < HeaderExtensionElements.stopID && (1...16).contains(byteCount)
    }

    /// The size of the whole ``RTPHeaderExtension`` in bytes, padded to words of four bytes.
    public var byteCount: Int {
        let elements = dataByteCount + elementCount * form.elementHeaderByteCount
        return RTPHeaderExtension.fixedByteCount + (elements + 3) / 4 * 4
    }
}
