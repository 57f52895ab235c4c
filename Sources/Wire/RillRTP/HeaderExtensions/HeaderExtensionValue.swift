/// The value of a header extension element, parsed from and written to its data.
public protocol HeaderExtensionValue: Equatable, Sendable {
    /// Bytes of the element's data.
    var byteCount: Int { get }

    /// Parses the data of an element.
    ///
    /// - Throws: `invalidExtension` if the data is not such a value.
    init(parsing data: Span<UInt8>) throws(RTPError)

    /// Appends the data. Traps unless `output` has room for `byteCount` bytes.
    @_lifetime(output: copy output)
    func write(into output: inout OutputSpan<UInt8>)
}
