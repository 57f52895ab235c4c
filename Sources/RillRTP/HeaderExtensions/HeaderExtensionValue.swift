/// What an element of a header extension says: a value that is read from its data and written back.
public protocol HeaderExtensionValue: Equatable, Sendable {
    /// Bytes of the element's data.
    var byteCount: Int { get }

    /// Reads the data of an element.
    ///
    /// - Throws: `invalidExtension` when the data is no such value.
    init(parsing data: Span<UInt8>) throws(RTPError)

    /// Appends the data. `output` has room for `byteCount` bytes; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    func write(into output: inout OutputSpan<UInt8>)
}
