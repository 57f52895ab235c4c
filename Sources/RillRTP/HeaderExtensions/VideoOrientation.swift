// 3GPP TS 26.114 §7.4.5, coordination of video orientation (CVO), here with the header of the one-byte form:
//
//      0                   1
//      0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
//     |  ID   | len=0 |0 0 0 0 C F R R|
//     +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+

/// How the receiver is to turn a stream's pictures before it shows them (3GPP TS 26.114 §7.4.5).
///
/// It holds until another packet of the stream says otherwise.
public struct VideoOrientation: HeaderExtensionValue {
    /// C: the camera at the back of the device, which points away from its user.
    public var isBackCamera: Bool
    /// F: the pictures are mirrored left to right; undone by the receiver before it turns them.
    public var isFlipped: Bool
    /// R: by how much the receiver turns the pictures.
    public var rotation: Rotation

    /// A turn clockwise.
    public enum Rotation: UInt8, Sendable, CaseIterable {
        /// As sent.
        case none
        /// A quarter.
        case clockwise90
        /// A half.
        case clockwise180
        /// Three quarters.
        case clockwise270
    }

    private static let cameraBit: UInt8 = 0x08
    private static let flipBit: UInt8 = 0x04
    private static let rotationMask: UInt8 = 0x03

    /// An orientation of these fields.
    public init(rotation: Rotation = .none, isFlipped: Bool = false, isBackCamera: Bool = false) {
        self.rotation = rotation
        self.isFlipped = isFlipped
        self.isBackCamera = isBackCamera
    }

    /// Bytes of the element's data.
    public static let byteCount = 1
    /// One.
    public var byteCount: Int { VideoOrientation.byteCount }

    /// Reads the orientation; the upper four bits are passed over.
    ///
    /// - Throws: `invalidExtension` unless the data has one byte.
    public init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count == VideoOrientation.byteCount else { throw .invalidExtension(byteCount: data.count) }
        self.init(
            rotation: Rotation(rawValue: data[0] & VideoOrientation.rotationMask) ?? .none,
            isFlipped: data[0] & VideoOrientation.flipBit != 0,
            isBackCamera: data[0] & VideoOrientation.cameraBit != 0)
    }

    /// Appends the orientation. `output` has room for one byte; too little is the programmer's mistake.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        var bits = rotation.rawValue
        if isFlipped { bits |= VideoOrientation.flipBit }
        if isBackCamera { bits |= VideoOrientation.cameraBit }
        output.append(bits)
    }
}
