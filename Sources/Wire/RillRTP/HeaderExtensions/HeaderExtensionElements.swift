/// One element of a header extension (RFC 8285 §4.2, §4.3). A view that cannot outlive the bytes.
///
/// Zero bytes between elements are padding:
///
/// ```text
///  0                   1                            0                   1
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4                    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |   ID  |  len  |   data ...                     |       ID      |     length    |  data ...
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+                    +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// one byte: data of len + 1 bytes                  two bytes: data of length bytes
/// ```
public struct HeaderExtensionElement: ~Escapable, BitwiseCopyable {
    /// The element's ID, 1 to 255. The session maps it to a kind of element; see ``HeaderExtensionMap``.
    public let id: UInt8
    /// The element's data, 0 to 255 bytes.
    public let data: Span<UInt8>

    @inlinable @inline(__always) @_lifetime(copy data)
    init(id: UInt8, data: Span<UInt8>) {
        self.id = id
        self.data = data
    }
}

/// Iterates over the elements of a header extension (RFC 8285 §4).
///
/// ```swift
/// var elements = block.elements
/// while let element = try elements.next() {
///     switch map[element.id] {
///     case .transportSequenceNumber: note(try TransportSequenceNumber(parsing: element.data))
///     case .absoluteSendTime: note(try AbsoluteSendTime(parsing: element.data))
///     default: break
///     }
/// }
/// ```
///
/// A block whose profile is not one of RFC 8285 has no elements. A view that cannot outlive the bytes. Accepts
/// arbitrary bytes and allocates nothing.
public struct HeaderExtensionElements: ~Escapable, BitwiseCopyable {
    @usableFromInline let data: Span<UInt8>
    @usableFromInline let isOneByte: Bool
    @usableFromInline var position: Int

    /// The ID that ends a block of one-byte elements (RFC 8285 §4.2).
    @inlinable static var stopID: UInt8 { 15 }

    @inlinable @_lifetime(copy block)
    init(_ block: RTPHeaderExtension) {
        data = block.data
        let form = HeaderExtensionForm(profile: block.profile)
        isOneByte = form == .oneByte
        position = form == nil ? block.data.count : 0
    }

    /// Returns the next element, or `nil` after the last one and after an error.
    ///
    /// Skips padding. A one-byte element with ID 15, or with ID 0 and a length other than 0, ends the block (RFC 8285
    /// §4.1.2, §4.2).
    ///
    /// - Throws: `truncated` if the element is longer than the block.
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
        // In bounds: `start` is not before `position`, and `end` was compared with the block's size.
        return HeaderExtensionElement(
            id: id, data: unsafe data.extracting(unchecked: Range(uncheckedBounds: (start, end))))
    }
}

extension RTPHeaderExtension {
    /// The form of the elements; `nil` if the block's profile is not one of RFC 8285.
    public var form: HeaderExtensionForm? { HeaderExtensionForm(profile: profile) }

    /// The elements, in order.
    public var elements: HeaderExtensionElements {
        @inlinable @_lifetime(copy self)
        get { HeaderExtensionElements(self) }
    }
}

/// The form of the elements in a header extension (RFC 8285 §4).
public enum HeaderExtensionForm: Equatable, Sendable {
    /// Identifiers 1 to 14, and 1 to 16 bytes of data (§4.2).
    case oneByte
    /// Identifiers 1 to 255, and 0 to 255 bytes of data (§4.3). The meaning of `applicationBits`, 0 to 15, is up to
    /// the application.
    case twoByte(applicationBits: UInt8 = 0)

    @inlinable static var oneByteProfile: UInt16 { 0xBEDE }
    @inlinable static var twoByteProfile: UInt16 { 0x1000 }
    @inlinable static var applicationMask: UInt16 { 0x000F }

    /// The form of a block with that profile; `nil` if the profile is not one of RFC 8285.
    @inlinable
    public init?(profile: UInt16) {
        if profile == HeaderExtensionForm.oneByteProfile {
            self = .oneByte
        } else if profile & ~HeaderExtensionForm.applicationMask == HeaderExtensionForm.twoByteProfile {
            self = .twoByte(applicationBits: UInt8(profile & HeaderExtensionForm.applicationMask))
        } else {
            return nil
        }
    }

    /// The 16 bits "defined by profile" that identify the form. Traps if the application bits exceed 15.
    public var profile: UInt16 {
        switch self {
        case .oneByte:
            return HeaderExtensionForm.oneByteProfile
        case .twoByte(let applicationBits):
            precondition(
                applicationBits <= HeaderExtensionForm.applicationMask, "application bits \(applicationBits) in 4 bits")
            return HeaderExtensionForm.twoByteProfile | UInt16(applicationBits)
        }
    }

    /// Bytes before the data of each element.
    public var elementHeaderByteCount: Int { self == .oneByte ? 1 : 2 }
}
