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
