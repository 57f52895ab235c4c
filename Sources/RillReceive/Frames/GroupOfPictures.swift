import RillRTP

/// How the pictures of a VP9 stream refer to each other where a scalability structure says it once for all (RFC 9628
/// §4.2.1), counted from the picture that it came with.
struct GroupOfPictures: Sendable {
    private(set) var start: FrameLabel.PictureID
    /// How far it has moved along: pictures so far before it are of the group too.
    private(set) var moved = 0
    /// Pictures in the group; 0 where the structure tells of none, or of too many.
    private let count: Int
    private let pictures: InlineArray<16, Picture>

    /// One picture of the group.
    struct Picture: BitwiseCopyable {
        /// Its temporal layer, counted as frames' labels count it.
        var layer: UInt8 = 0
        /// How far before it those lie that it refers to.
        var references = FrameLabel.References()
    }

    /// The longest group that is taken: twice the longest that encoders use.
    static let maximumCount = 16

    /// The group that came with picture `start`.
    init(_ structure: borrowing VP9ScalabilityStructure, from start: FrameLabel.PictureID) {
        let told = structure.pictureCount ?? 0
        var (pictures, index) = (InlineArray<16, Picture>(repeating: Picture()), 0)
        if told <= GroupOfPictures.maximumCount {
            structure.forEachPicture { picture in
                pictures[index] = Picture(
                    layer: FrameLabel.layerIndex(picture.temporalIndex),
                    references: FrameLabel.References(picture.references))
                index += 1
            }
        }
        self.start = start
        self.count = index
        self.pictures = pictures
    }

    /// What picture `id` of temporal layer `layer` refers to; `nil` for one that lies before the structure, or that has
    /// another layer than the group gives it: it is of another group, of which nothing came.
    mutating func references(of id: FrameLabel.PictureID, layer: UInt8) -> FrameLabel.References? {
        guard count > 0, let distance = distance(to: id), distance >= -moved else { return nil }
        let index = ((distance % count) + count) % count
        // The start moves along, so that it never lies half the numbers behind.
        let modulus = 1 << Int(id.bitWidth)
        if distance > modulus / 4 {
            start.value = UInt16((Int(id.value) - index) & (modulus - 1))
            moved = min(moved + distance - index, modulus / 4)
        }
        return pictures[index].layer == layer ? pictures[index].references : nil
    }

    /// How many pictures lie from the start to `id`, less than zero if it is the older one; `nil` if it counts in another
    /// width.
    func distance(to id: FrameLabel.PictureID) -> Int? {
        guard id.bitWidth == start.bitWidth else { return nil }
        let modulus = 1 << Int(id.bitWidth)
        let ahead = (Int(id.value) - Int(start.value)) & (modulus - 1)
        return ahead < modulus / 2 ? ahead : ahead - modulus
    }
}
