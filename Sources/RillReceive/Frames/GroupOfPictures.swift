import RillRTP

/// How the pictures of a VP9 stream refer to each other where a scalability structure says it once for all (RFC 9628
/// §4.2.1), counted from the picture that it came with.
struct GroupOfPictures: Sendable {
    private var start: FrameLabel.PictureID
    /// How far it has moved along: pictures so far before it are of the group too.
    private var moved = 0
    private let count: Int
    private let references: InlineArray<16, FrameLabel.References>

    /// The longest group that is taken: twice the longest that encoders use.
    static let maximumCount = 16

    /// The group that came with picture `start`; `nil` where none is told, or one that is too long.
    init?(_ structure: borrowing VP9ScalabilityStructure, from start: FrameLabel.PictureID) {
        guard let count = structure.pictureCount, (1...GroupOfPictures.maximumCount).contains(count) else { return nil }
        var (references, index) = (InlineArray<16, FrameLabel.References>(repeating: FrameLabel.References()), 0)
        structure.forEachPicture { picture in
            references[index] = FrameLabel.References(picture.references)
            index += 1
        }
        self.start = start
        self.count = count
        self.references = references
    }

    /// What picture `id` refers to; `nil` for one that lies before the structure, of which it says nothing.
    mutating func references(of id: FrameLabel.PictureID) -> FrameLabel.References? {
        guard id.bitWidth == start.bitWidth else { return nil }
        let modulus = 1 << Int(id.bitWidth)
        let ahead = (Int(id.value) - Int(start.value)) & (modulus - 1)
        let distance = ahead < modulus / 2 ? ahead : ahead - modulus
        guard distance >= -moved else { return nil }
        let index = ((distance % count) + count) % count
        // The start moves along, so that it never lies half the numbers behind.
        if distance > modulus / 4 {
            start.value = UInt16((Int(id.value) - index) & (modulus - 1))
            moved = min(moved + distance - index, modulus / 4)
        }
        return references[index]
    }

    /// Whether picture `id` lies before the structure, so that one that came with it is an older one.
    func isOlder(_ id: FrameLabel.PictureID) -> Bool {
        guard id.bitWidth == start.bitWidth else { return false }
        let modulus = 1 << Int(id.bitWidth)
        return (Int(id.value) - Int(start.value)) & (modulus - 1) >= modulus / 2
    }
}
