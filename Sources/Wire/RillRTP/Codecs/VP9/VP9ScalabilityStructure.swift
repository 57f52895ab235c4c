/// SS: the layers of a VP9 stream, and how its pictures refer to each other (RFC 9628 §4.2.1). Sent with key frames.
///
/// ```text
///      0 1 2 3 4 5 6 7
///     +-+-+-+-+-+-+-+-+
/// V:  | N_S |Y|G|-|-|-|
///     +-+-+-+-+-+-+-+-+              -\
/// Y:  |     WIDTH     | (OPTIONAL)    .
///     +               +               .
///     |               | (OPTIONAL)    .
///     +-+-+-+-+-+-+-+-+               . N_S + 1 times
///     |     HEIGHT    | (OPTIONAL)    .
///     +               +               .
///     |               | (OPTIONAL)    .
///     +-+-+-+-+-+-+-+-+              -/
/// G:  |      N_G      | (OPTIONAL)
///     +-+-+-+-+-+-+-+-+                            -\
/// N_G:| TID |U| R |-|-| (OPTIONAL)                  .
///     +-+-+-+-+-+-+-+-+              -\             . N_G times
///     |    P_DIFF     | (OPTIONAL)    . R times     .
///     +-+-+-+-+-+-+-+-+              -/            -/
/// ```
///
/// A view that cannot outlive the bytes. Parsing validates it, so that accessing it cannot fail.
public struct VP9ScalabilityStructure: ~Escapable {
    /// N_S + 1: the number of spatial layers of each picture, 1 to 8.
    public let spatialLayerCount: Int
    /// Y: whether the structure has the sizes of the layers.
    public let hasSizes: Bool
    /// G and N_G: the number of pictures in the group, after which the pattern repeats, 0 to 255; `nil` if the
    /// structure has no group, as in flexible mode.
    public let pictureCount: Int?
    private let bytes: Span<UInt8>

    private static let sizesBit: UInt8 = 0x10
    private static let groupBit: UInt8 = 0x08
    private static let switchingUpBit: UInt8 = 0x10
    /// The maximum number of spatial layers in three bits.
    public static let maximumSpatialLayerCount = 8

    /// The width and height of a spatial layer in pixels.
    public struct Size: Equatable, Sendable {
        /// The width in pixels.
        public var width: UInt16
        /// The height in pixels.
        public var height: UInt16

        /// A size in pixels.
        public init(width: UInt16, height: UInt16) {
            self.width = width
            self.height = height
        }

        static let byteCount = 4
    }

    /// One picture of the group.
    public struct Picture: Equatable, Sendable {
        /// TID: its temporal layer, 0 to 7.
        public var temporalIndex: UInt8
        /// U: whether a receiver may switch up to higher temporal layers from here on.
        public var isSwitchingUpPoint: Bool
        /// P_DIFF: the distances to the referenced pictures, in pictures before this one, 0 to 255 each.
        public var references: FrameDistances

        /// A picture of the group.
        public init(
            temporalIndex: UInt8, isSwitchingUpPoint: Bool, references: FrameDistances = FrameDistances()
        ) {
            self.temporalIndex = temporalIndex
            self.isSwitchingUpPoint = isSwitchingUpPoint
            self.references = references
        }
    }

    /// The size of the structure on the wire in bytes.
    public var byteCount: Int { bytes.count }

    /// Returns the size of spatial layer `index`; `nil` if the structure has no sizes. Traps unless `index` is in
    /// range.
    public func size(ofLayer index: Int) -> Size? {
        precondition(index >= 0 && index < spatialLayerCount, "spatial layer \(index) of \(spatialLayerCount)")
        guard hasSizes else { return nil }
        let word = bytes.bigEndianUInt32(at: 1 + Size.byteCount * index)
        return Size(width: UInt16(truncatingIfNeeded: word >> 16), height: UInt16(truncatingIfNeeded: word))
    }

    /// Calls `body` with each picture of the group, in order.
    public func forEachPicture(_ body: (Picture) -> Void) {
        guard let pictureCount else { return }
        var position = 1 + (hasSizes ? spatialLayerCount * Size.byteCount : 0) + 1
        for _ in 0..<pictureCount {
            let first = bytes[position]
            var picture = Picture(
                temporalIndex: first >> 5, isSwitchingUpPoint: first & VP9ScalabilityStructure.switchingUpBit != 0)
            let referenceCount = VP9ScalabilityStructure.referenceCount(first)
            for index in 0..<referenceCount { picture.references.append(bytes[position + 1 + index]) }
            position += 1 + referenceCount
            body(picture)
        }
    }

    // MARK: The wire

    /// Parses the structure at the start of `bytes`; other data may follow.
    ///
    /// - Throws: `truncated`.
    @_lifetime(copy bytes)
    public init(parsing bytes: Span<UInt8>) throws(RTPError) {
        var reader = ByteReader(bytes)
        let first = try reader.uint8()
        spatialLayerCount = Int(first >> 5) + 1
        hasSizes = first & VP9ScalabilityStructure.sizesBit != 0
        if hasSizes { _ = try reader.range(spatialLayerCount * Size.byteCount) }
        if first & VP9ScalabilityStructure.groupBit != 0 {
            let count = Int(try reader.uint8())
            pictureCount = count
            for _ in 0..<count { _ = try reader.range(VP9ScalabilityStructure.referenceCount(try reader.uint8())) }
        } else {
            pictureCount = nil
        }
        self.bytes = bytes.extracting(first: reader.position)
    }

    /// R in a picture's first byte.
    private static func referenceCount(_ byte: UInt8) -> Int { Int(byte >> 2 & 3) }

    /// Appends the structure unchanged, to forward it.
    @_lifetime(output: copy output)
    public func write(into output: inout OutputSpan<UInt8>) {
        output.append(copying: bytes)
    }

    /// Appends a structure of 1 to 8 spatial layers and, if given, a group of at most 255 pictures. Traps otherwise.
    ///
    /// - Parameters:
    ///   - sizes: one per spatial layer.
    ///   - pictures: the group; `nil` in flexible mode.
    ///   - output: where to append. Traps unless there is room; see ``maximumByteCount(layers:pictures:)``.
    @_lifetime(output: copy output)
    public static func write(
        sizes: Span<Size>, pictures: Span<Picture>?, into output: inout OutputSpan<UInt8>
    ) {
        precondition((1...maximumSpatialLayerCount).contains(sizes.count), "\(sizes.count) spatial layers: 1 to 8")
        output.append(UInt8(sizes.count - 1) << 5 | sizesBit | (pictures != nil ? groupBit : 0))
        for index in sizes.indices {
            output.append(bigEndian: sizes[index].width)
            output.append(bigEndian: sizes[index].height)
        }
        guard let pictures else { return }
        precondition(pictures.count <= UInt8.max, "a group of \(pictures.count) pictures: 255 fit")
        output.append(UInt8(pictures.count))
        for index in pictures.indices {
            let picture = pictures[index]
            precondition(picture.temporalIndex < 8, "temporal layer \(picture.temporalIndex): 0 to 7 exist")
            let flag = picture.isSwitchingUpPoint ? switchingUpBit : 0
            output.append(picture.temporalIndex << 5 | flag | UInt8(picture.references.count) << 2)
            for reference in 0..<picture.references.count { output.append(picture.references[reference]) }
        }
    }

    /// Returns the maximum number of bytes that ``write(sizes:pictures:into:)`` appends for that many layers and
    /// pictures.
    public static func maximumByteCount(layers: Int, pictures: Int) -> Int {
        2 + Size.byteCount * layers + (1 + FrameDistances.capacity) * pictures
    }
}
