/// A fixed-size element of a list in a packet.
public protocol WireElement: BitwiseCopyable, Sendable {
    /// Bytes of each value on the wire.
    static var byteCount: Int { get }
    /// Reads the value at `offset`. Traps if fewer than `byteCount` bytes follow.
    init(wire bytes: Span<UInt8>, at offset: Int)
    /// Appends the value. `output` must have room for `byteCount` bytes.
    @_lifetime(output: copy output)
    func write(into output: inout OutputSpan<UInt8>)
}

/// A list of fixed-size elements in a packet, such as contributing sources, report blocks or requests.
///
/// It is a view, either of received bytes, whose elements are decoded on access, or of values in memory that are to
/// be written. It cannot outlive what it views, and allocates nothing.
///
/// ```swift
/// for index in report.blocks.indices { note(report.blocks[index]) }
///
/// let sources = [SSRC(1), SSRC(2)]
/// Goodbye(sources: WireList(sources.span)).write(into: &output)
/// ```
@frozen
public struct WireList<Element: WireElement>: ~Escapable, BitwiseCopyable {
    @usableFromInline let storage: Storage

    @frozen @usableFromInline
    enum Storage: ~Escapable, BitwiseCopyable {
        /// Whole elements, one after the other.
        case bytes(Span<UInt8>)
        case values(Span<Element>)
    }

    /// No elements.
    @inlinable @_lifetime(immortal)
    public init() {
        storage = .values(Span())
    }

    /// A list of values in memory.
    @inlinable @_lifetime(copy values)
    public init(_ values: Span<Element>) {
        storage = .values(values)
    }

    /// A list stored in `bytes`. Bytes after the last whole element are ignored.
    @inlinable @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) {
        storage = .bytes(bytes)
    }

    /// The number of elements.
    @inlinable
    public var count: Int {
        switch storage {
        case .bytes(let bytes): bytes.count / Element.byteCount
        case .values(let values): values.count
        }
    }

    /// Whether the list is empty.
    @inlinable
    public var isEmpty: Bool { count == 0 }

    /// 0 to `count`.
    @inlinable
    public var indices: Range<Int> { 0..<count }

    /// The `index`th element, in the order of the packet. Traps unless `index` is in range.
    @inlinable
    public subscript(index: Int) -> Element {
        precondition(index >= 0 && index < count, "element \(index) of \(count)")
        return switch storage {
        case .bytes(let bytes): Element(wire: bytes, at: index &* Element.byteCount)
        case .values(let values): values[index]
        }
    }

    /// A copy that outlives the packet.
    public var array: [Element] { indices.map { self[$0] } }

    /// Bytes on the wire.
    @inlinable
    public var byteCount: Int { count * Element.byteCount }

    /// Appends all elements. Traps unless `output` has room for `byteCount` bytes.
    @inlinable @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        for index in indices { self[index].write(into: &output) }
    }
}

extension SSRC: WireElement {
    /// Four.
    public static var byteCount: Int { 4 }

    /// Reads the identifier at `offset`.
    @inlinable
    public init(wire bytes: Span<UInt8>, at offset: Int) {
        self.init(bytes.bigEndianUInt32(at: offset))
    }

    /// Appends the identifier. Traps unless `output` has room for four bytes.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: rawValue)
    }
}
