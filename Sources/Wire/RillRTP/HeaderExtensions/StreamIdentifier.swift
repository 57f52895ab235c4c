/// A short name in packets that identifies their stream before its SSRC is known.
///
/// Used by MID (RFC 9143), RtpStreamId and RepairedRtpStreamId (RFC 8852). The element's data is the text of the
/// name. It is stored inline, in up to 16 bytes, the most that the one-byte form can carry. The RFCs require ASCII;
/// this is not checked.
public struct StreamIdentifier: HeaderExtensionValue, Hashable, CustomStringConvertible {
    /// The maximum length of a name in bytes.
    public static let maximumByteCount = 16
    private let length: UInt8
    private let high: UInt64
    private let low: UInt64

    /// A name with that text; `nil` unless it has 1 to 16 bytes of UTF-8.
    public init?(_ text: some StringProtocol) {
        self.init(text.utf8)
    }

    /// A name of these bytes; `nil` unless there are 1 to 16.
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

    /// The length of the name in bytes, 1 to 16.
    public var byteCount: Int { Int(length) }

    /// The `index`th byte of the name. Traps unless `index` is in range.
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

    /// Appends the name. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        for index in 0..<byteCount { output.append(self[index]) }
    }

    /// The name as text; invalid UTF-8 becomes replacement characters.
    public var description: String {
        String(decoding: (0..<byteCount).map { self[$0] }, as: UTF8.self)
    }
}
