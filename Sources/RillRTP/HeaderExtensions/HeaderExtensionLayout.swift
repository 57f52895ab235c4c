/// How large a header extension with given elements becomes, and in which form it is written.
///
/// The one-byte form, while all numbers are 1 to 14 and all elements have 1 to 16 bytes; else the two-byte form
/// (RFC 8285 §4). A session knows both before the first packet, so a packetizer can be told beforehand what each packet
/// spends on its extension:
///
///     var layout = HeaderExtensionLayout()
///     layout.add(id: 5, byteCount: TransportSequenceNumber.byteCount)
///     layout.add(id: 3, byteCount: AbsoluteSendTime.byteCount)
///     layout.byteCount  // 12
public struct HeaderExtensionLayout: Equatable, Sendable {
    /// How the elements are written.
    public private(set) var form = HeaderExtensionForm.oneByte
    private var elementCount = 0
    private var dataByteCount = 0

    /// No elements so far.
    public init() {}

    /// Reckons with one more element of number `id` and with that many bytes of data.
    ///
    /// Number 0 and more than 255 bytes are the programmer's mistake.
    public mutating func add(id: UInt8, byteCount: Int) {
        precondition(id != 0, "element number 0 is padding")
        precondition((0...255).contains(byteCount), "an element of \(byteCount) bytes: 0 to 255 can be told")
        elementCount += 1
        dataByteCount += byteCount
        if !HeaderExtensionLayout.fitsOneByte(id: id, byteCount: byteCount) { form = .twoByte() }
    }

    static func fitsOneByte(id: UInt8, byteCount: Int) -> Bool {
        id < HeaderExtensionElements.stopID && (1...16).contains(byteCount)
    }

    /// Bytes of the whole ``RTPHeaderExtension``, filled up to words of four bytes.
    public var byteCount: Int {
        let elements = dataByteCount + elementCount * form.elementHeaderByteCount
        return RTPHeaderExtension.fixedByteCount + (elements + 3) / 4 * 4
    }
}
