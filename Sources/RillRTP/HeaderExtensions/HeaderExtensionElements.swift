// RFC 8285 §4.2 and §4.3, an element; zero bytes between elements are padding:
//
//      0                   1                            0                   1
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4                    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |   ID  |  len  |   data ...                     |       ID      |     length    |  data ...
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     one byte: data of len + 1 bytes                  two bytes: data of length bytes

/// One element of a header extension. A view: it lives no longer than the bytes.
public struct HeaderExtensionElement: ~Escapable, BitwiseCopyable {
    /// The number that the session has agreed on for this kind of element, 1 to 255; see ``HeaderExtensionMap``.
    public let id: UInt8
    /// What the element says, 0 to 255 bytes.
    public let data: Span<UInt8>

    @inlinable @inline(__always) @_lifetime(copy data)
    init(id: UInt8, data: Span<UInt8>) {
        self.id = id
        self.data = data
    }
}

/// The elements of a header extension, one after the other (RFC 8285 §4).
///
///     var elements = block.elements
///     while let element = try elements.next() {
///         switch map[element.id] {
///         case .transportSequenceNumber: note(try TransportSequenceNumber(parsing: element.data))
///         case .absoluteSendTime: note(try AbsoluteSendTime(parsing: element.data))
///         default: break
///         }
///     }
///
/// A block that is none of RFC 8285 has no elements. A view: it lives no longer than the bytes. Takes any bytes,
/// allocates nothing.
public struct HeaderExtensionElements: ~Escapable, BitwiseCopyable {
    @usableFromInline let data: Span<UInt8>
    @usableFromInline let isOneByte: Bool
    @usableFromInline var position: Int

    /// The number that ends a block of one-byte elements (RFC 8285 §4.2).
    @inlinable static var stopID: UInt8 { 15 }

    @inlinable @_lifetime(copy block)
    init(_ block: RTPHeaderExtension) {
        data = block.data
        let form = HeaderExtensionForm(profile: block.profile)
        isOneByte = form == .oneByte
        position = form == nil ? block.data.count : 0
    }

    /// The next element; `nil` behind the last, and after an error.
    ///
    /// Padding is passed over. A one-byte element of number 15, or one of number 0 that claims to have data, ends the
    /// block (RFC 8285 §4.1.2, §4.2).
    ///
    /// - Throws: `truncated` when the element is longer than the block.
    @inlinable @_lifetime(copy self)
    public mutating func next() throws(RTPError) -> HeaderExtensionElement? {
        while position < data.count {
            let first = data[position]
            guard first != 0 else {
                position &+= 1
                continue
            }
            return isOneByte ? try oneByteElement(first) : try twoByteElement(first)
        }
        return nil
    }

    @inlinable @inline(__always) @_lifetime(copy self)
    mutating func oneByteElement(_ first: UInt8) throws(RTPError) -> HeaderExtensionElement? {
        let id = first >> 4
        guard id != 0, id != HeaderExtensionElements.stopID else {
            position = data.count
            return nil
        }
        return try element(id, at: position &+ 1, byteCount: Int(first & 0x0F) &+ 1)
    }

    @inlinable @inline(__always) @_lifetime(copy self)
    mutating func twoByteElement(_ id: UInt8) throws(RTPError) -> HeaderExtensionElement? {
        let byteCount = position &+ 1 < data.count ? Int(data[position &+ 1]) : 0
        return try element(id, at: position &+ 2, byteCount: byteCount)
    }

    @inlinable @inline(__always) @_lifetime(copy self)
    mutating func element(
        _ id: UInt8, at start: Int, byteCount: Int
    ) throws(RTPError) -> HeaderExtensionElement? {
        let end = start &+ byteCount
        guard end <= data.count else {
            position = data.count
            throw .truncated(needed: end, available: data.count)
        }
        position = end
        // The bytes are there: `start` lies behind `position`, and `end` was compared with the block's.
        return HeaderExtensionElement(
            id: id, data: unsafe data.extracting(unchecked: Range(uncheckedBounds: (start, end))))
    }
}

extension RTPHeaderExtension {
    /// How the elements are written; `nil` where the block is none of RFC 8285.
    public var form: HeaderExtensionForm? { HeaderExtensionForm(profile: profile) }

    /// The elements, one after the other.
    public var elements: HeaderExtensionElements {
        @inlinable @_lifetime(copy self)
        get { HeaderExtensionElements(self) }
    }
}
