/// A short name that packets bear so that a receiver knows their stream before it knows the SSRC: MID (RFC 9143),
/// RtpStreamId and RepairedRtpStreamId (RFC 8852). The element's data is the name's text.
///
/// Held inline; up to 16 bytes, which is all that the one-byte form can bear. Names are ASCII by their RFCs, which is
/// not checked.
public struct StreamIdentifier: HeaderExtensionValue, Hashable, CustomStringConvertible {
    /// The most bytes that a name has.
    public static let maximumByteCount = 16
    private let length: UInt8
    private let high: UInt64
    private let low: UInt64

    /// The name whose text is `text`; `nil` unless it has 1 to 16 bytes of UTF-8.
    public init?(_ text: some StringProtocol) {
        self.init(text.utf8)
    }

    /// The name with these bytes; `nil` unless there are 1 to 16.
    public init?(_ bytes: Span<UInt8>) {
        guard (1...StreamIdentifier.maximumByteCount).contains(bytes.count) else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for index in bytes.indices {
            if index < 8 {
                high |= UInt64(bytes[index]) << UInt64(56 - 8 * index)
            } else {
                low |= UInt64(bytes[index]) << UInt64(120 - 8 * index)
            }
        }
        (self.length, self.high, self.low) = (UInt8(bytes.count), high, low)
    }

    private init?(_ bytes: some Collection<UInt8>) {
        var name = InlineArray<16, UInt8>(repeating: 0)
        guard (1...StreamIdentifier.maximumByteCount).contains(bytes.count) else { return nil }
        for (index, byte) in bytes.enumerated() { name[index] = byte }
        self.init(name.span.extracting(first: bytes.count))
    }

    /// Bytes of the name, 1 to 16.
    public var byteCount: Int { Int(length) }

    /// The `index`th byte of the name. One that is not there is the programmer's mistake.
    public subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < byteCount, "byte \(index) of \(byteCount)")
        return UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index % 8)))
    }

    /// Reads the name.
    ///
    /// - Throws: `invalidExtension` unless the data has 1 to 16 bytes.
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard let name = StreamIdentifier(data) else { throw .invalidExtension(byteCount: data.count) }
        self = name
    }

    /// Appends the name. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        for index in 0..<byteCount { output.append(self[index]) }
    }

    /// The name as text; what is no UTF-8 is shown as replacement characters.
    public var description: String {
        String(decoding: (0..<byteCount).map { self[$0] }, as: UTF8.self)
    }
}
