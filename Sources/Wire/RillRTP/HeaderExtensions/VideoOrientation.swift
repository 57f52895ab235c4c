/// How a receiver rotates a stream's pictures before display (3GPP TS 26.114 §7.4.5).
///
/// The element of the header extension "coordination of video orientation" (CVO), here with a one-byte header:
///
/// ```text
///  0                   1
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |  ID   | len=0 |0 0 0 0 C F R R|
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
///
/// An orientation applies until another packet of the stream changes it.
public struct VideoOrientation: HeaderExtensionValue {
    /// C: whether the camera is at the back of the device, facing away from its user.
    public var isBackCamera: Bool
    /// F: whether the pictures are mirrored left to right. The receiver undoes this before it rotates them.
    public var isFlipped: Bool
    /// R: the rotation that the receiver applies.
    public var rotation: Rotation

    /// A clockwise rotation.
    public enum Rotation: UInt8, Sendable, CaseIterable {
        /// No rotation.
        case none
        /// A quarter turn.
        case clockwise90
        /// A half turn.
        case clockwise180
        /// Three quarter turns.
        case clockwise270
    }

    private static let cameraBit: UInt8 = 0x08
    private static let flipBit: UInt8 = 0x04
    private static let rotationMask: UInt8 = 0x03

    /// An orientation with these fields.
    public init(rotation: Rotation = .none, isFlipped: Bool = false, isBackCamera: Bool = false) {
        self.rotation = rotation
        self.isFlipped = isFlipped
        self.isBackCamera = isBackCamera
    }

    /// Bytes of the element's data.
    public static let byteCount = 1
    /// The size of the element's data: 1 byte.
    public var byteCount: Int { VideoOrientation.byteCount }

    /// Reads the orientation. Ignores the upper four bits.
    ///
    /// - Throws: `invalidExtension` unless the data has one byte.
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == VideoOrientation.byteCount else { throw .invalidExtension(byteCount: data.count) }
        self.init(
            rotation: Rotation(rawValue: data[0] & VideoOrientation.rotationMask) ?? .none,
            isFlipped: data[0] & VideoOrientation.flipBit != 0,
            isBackCamera: data[0] & VideoOrientation.cameraBit != 0)
    }

    /// Appends the orientation. Traps unless `output` has room for one byte.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        var bits = rotation.rawValue
        if isFlipped { bits |= VideoOrientation.flipBit }
        if isBackCamera { bits |= VideoOrientation.cameraBit }
        output.append(bits)
    }
}
