import RillCore

/// The dependency descriptor of a frame: which frames it refers to, and how large the pictures are, for whoever cannot
/// read the frame itself (RTP payload format for AV1, appendix A; it serves any codec).
///
/// ```text
///  0                   1                   2
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |S|E|template id|          frame number         |
/// +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// |T|A|I|F|C|  template structure, custom fields    (if there are more than 3 bytes)
/// +-+-+-+-+-+-+-+-+-+-
/// ```
///
/// Read for one thing: whether a frame begins a coded video sequence, and with which sizes. That is a frame that refers
/// to no other and comes with a template structure (T). The rest is checked, and skipped.
package struct DependencyDescriptor: Equatable, Sendable {
    /// S: whether the packet is the first of its frame.
    package let startsFrame: Bool
    /// E: whether it is the last one.
    package let endsFrame: Bool
    /// The template of the frame, 0 to 63.
    package let templateID: UInt8
    /// Counts the frames.
    package let frameNumber: UInt16
    /// Whether the frame begins a sequence: nothing before it is needed.
    package let isKey: Bool
    /// The size of the highest spatial layer, if it comes with the template structure.
    package let size: Resolution?

    /// The bytes that each packet has.
    private static let shortByteCount = 3

    /// Parses the data of an element.
    ///
    /// - Throws: `truncated`, or `invalidExtension` for a descriptor that no encoder writes.
    package init(parsing data: Span<UInt8>) throws(RTPError) {
        guard data.count >= DependencyDescriptor.shortByteCount else {
            throw .truncated(needed: DependencyDescriptor.shortByteCount, available: data.count)
        }
        var reader = DescriptorReader(data)
        startsFrame = try reader.flag()
        endsFrame = try reader.flag()
        templateID = UInt8(try reader.bits(6))
        frameNumber = UInt16(try reader.bits(16))
        guard data.count > DependencyDescriptor.shortByteCount else {
            (isKey, size) = (false, nil)
            return
        }
        let hasStructure = try reader.flag()
        // active_decode_targets_present, custom_dtis, custom_fdiffs, custom_chains.
        _ = try reader.bits(4)
        guard hasStructure else {
            (isKey, size) = (false, nil)
            return
        }
        let structure = try TemplateStructure(&reader)
        size = structure.size
        let place = (Int(templateID) + 64 - structure.firstID) % 64
        guard place < structure.templates.count else { throw .invalidExtension(byteCount: data.count) }
        isKey = structure.templates[place].referenceCount == 0 && structure.templates[place].spatialIndex == 0
    }
}

/// template_dependency_structure().
private struct TemplateStructure {
    struct Template {
        var spatialIndex: Int
        var referenceCount = 0
    }

    /// template_id_offset.
    let firstID: Int
    private(set) var templates: [Template] = []
    /// The size of the highest spatial layer; `nil` if there is none.
    private(set) var size: Resolution?

    /// Frames have at most 64 templates: that many IDs there are.
    private static let mostTemplates = 64
    private static let mostSpatialLayers = 4

    init(_ reader: inout DescriptorReader) throws(RTPError) {
        firstID = Int(try reader.bits(6))
        let targetCount = Int(try reader.bits(5)) + 1
        var spatialIndex = 0
        // template_layers().
        repeat {
            guard templates.count < TemplateStructure.mostTemplates else {
                throw .invalidExtension(byteCount: reader.byteCount)
            }
            templates.append(Template(spatialIndex: spatialIndex))
            switch try reader.bits(2) {
            case 0, 1: continue
            case 2:
                spatialIndex += 1
                guard spatialIndex < TemplateStructure.mostSpatialLayers else {
                    throw .invalidExtension(byteCount: reader.byteCount)
                }
                continue
            default: break
            }
            break
        } while true
        // template_dtis().
        try reader.skip(2 * templates.count * targetCount)
        // template_fdiffs().
        for index in templates.indices {
            while try reader.flag() {
                try reader.skip(4)
                templates[index].referenceCount += 1
            }
        }
        // template_chains().
        let chainCount = try reader.nonSymmetric(targetCount + 1)
        if chainCount > 0 {
            for _ in 0..<targetCount { _ = try reader.nonSymmetric(chainCount) }
            try reader.skip(4 * templates.count * chainCount)
        }
        guard try reader.flag() else { return }
        // render_resolutions().
        for _ in 0...spatialIndex {
            let (width, height) = (Int(try reader.bits(16)) + 1, Int(try reader.bits(16)) + 1)
            size = Resolution(validatingWidth: width, height: height)
        }
    }
}

/// Reads bits, the highest first.
private struct DescriptorReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    var byteCount: Int { bytes.count }

    @_lifetime(self: copy self)
    mutating func skip(_ count: Int) throws(RTPError) {
        guard position + count <= 8 * bytes.count else {
            throw .truncated(needed: (position + count + 7) / 8, available: bytes.count)
        }
        position += count
    }

    /// Reads at most 16 bits.
    @_lifetime(self: copy self)
    mutating func bits(_ count: Int) throws(RTPError) -> UInt32 {
        let start = position
        try skip(count)
        var value: UInt32 = 0
        for index in start..<position { value = value << 1 | UInt32(bytes[index / 8] >> (7 - UInt8(index % 8)) & 1) }
        return value
    }

    @_lifetime(self: copy self)
    mutating func flag() throws(RTPError) -> Bool { try bits(1) == 1 }

    /// ns(n): a value below `limit`, which is at least 1.
    @_lifetime(self: copy self)
    mutating func nonSymmetric(_ limit: Int) throws(RTPError) -> Int {
        let width = Int.bitWidth - limit.leadingZeroBitCount
        let shortCount = (1 << width) - limit
        let value = Int(try bits(width - 1))
        guard value >= shortCount else { return value }
        return (value << 1) - shortCount + Int(try bits(1))
    }
}
