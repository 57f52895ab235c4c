import RillRTP

/// How the pictures of a stream refer to each other, as a scalability structure defines it for the whole group
/// (RFC 9628 §4.2.1). Counted from the picture that carried it.
struct GroupOfPictures: Sendable {
    private(set) var start: FrameLabel.PictureID
    /// How far the start has moved: pictures up to this far before it also belong to the group.
    private(set) var moved = 0
    /// The number of pictures in the group; 0 if the structure has none, or too many.
    private let count: Int
    private let pictures: InlineArray<16, Picture>

    /// One picture of the group.
    struct Picture: BitwiseCopyable {
        /// Its temporal layer, mapped as in frame labels.
        var layer: UInt8 = 0
        /// The distances to the earlier pictures that it refers to.
        var references = FrameLabel.References()
    }

    /// Creates the group that came with picture `start`.
    init(_ group: PictureGroup, from start: FrameLabel.PictureID) {
        var pictures = InlineArray<16, Picture>(repeating: Picture())
        for index in 0..<group.count {
            let picture = group.pictures[index]
            pictures[index] = Picture(
                layer: FrameLabel.layerIndex(picture.temporalIndex), references: picture.references)
        }
        self.start = start
        self.count = group.count
        self.pictures = pictures
    }

    /// Returns the references of picture `id` of temporal layer `layer`. `nil` if it is before the structure, or its
    /// layer differs from the group's: then it belongs to a group whose structure was not received.
    mutating func references(of id: FrameLabel.PictureID, layer: UInt8) -> FrameLabel.References? {
        guard count > 0, let distance = distance(to: id), distance >= -moved else { return nil }
        let index = ((distance % count) + count) % count
        // The start moves along, so that it is never half the number range behind.
        let modulus = 1 << Int(id.bitWidth)
        if distance > modulus / 4 {
            start.value = UInt16((Int(id.value) - index) & (modulus - 1))
            moved = min(moved + distance - index, modulus / 4)
        }
        return pictures[index].layer == layer ? pictures[index].references : nil
    }

    /// Returns the distance from the start to `id`, negative if `id` is older; `nil` if the widths differ.
    func distance(to id: FrameLabel.PictureID) -> Int? {
        guard id.bitWidth == start.bitWidth else { return nil }
        let modulus = 1 << Int(id.bitWidth)
        let ahead = (Int(id.value) - Int(start.value)) & (modulus - 1)
        return ahead < modulus / 2 ? ahead : ahead - modulus
    }
}

/// The newest group of pictures and the previous one: pictures that were sent before the newest structure may arrive
/// after it.
///
/// It gives no references for pictures before both. It cannot know whether a later structure was lost that applies to
/// a picture; TL0PICIDX shows that (``ReferenceFinder``).
struct GroupsOfPictures: Sendable {
    private var newest: GroupOfPictures?
    private var older: GroupOfPictures?

    /// Adds the structure that arrived with picture `id`.
    mutating func add(_ group: PictureGroup, from id: FrameLabel.PictureID) {
        let group = GroupOfPictures(group, from: id)
        guard let newest, let distance = newest.distance(to: id) else {
            (newest, older) = (group, nil)
            return
        }
        if distance > 0 {
            (self.newest, older) = (group, newest)
        } else if distance < 0, newest.moved == 0, (older?.distance(to: id)).map({ $0 > 0 }) ?? true {
            older = group
        }
    }

    /// Returns the references of picture `id` of temporal layer `layer`; `nil` if they are not known.
    mutating func references(of id: FrameLabel.PictureID, layer: UInt8) -> FrameLabel.References? {
        guard let newest, let distance = newest.distance(to: id) else { return nil }
        if distance >= -newest.moved { return self.newest?.references(of: id, layer: layer) }
        // Once the newest has moved, the distance to the older one is no longer known.
        return newest.moved == 0 ? older?.references(of: id, layer: layer) : nil
    }
}
