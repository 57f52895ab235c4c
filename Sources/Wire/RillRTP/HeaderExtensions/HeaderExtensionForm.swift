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
