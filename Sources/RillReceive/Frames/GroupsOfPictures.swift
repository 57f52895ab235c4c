import RillRTP

/// The newest group of pictures, and the one before it: pictures that were sent before the newest structure may come
/// after it.
///
/// Of those that lie before both nothing is said. Nor can it be known of a picture whether a structure that began behind
/// its group was lost; its TL0PICIDX tells (``ReferenceFinder``).
struct GroupsOfPictures: Sendable {
    private var newest: GroupOfPictures?
    private var older: GroupOfPictures?

    /// Takes in the structure that came with picture `id`.
    mutating func add(_ structure: borrowing VP9ScalabilityStructure, from id: FrameLabel.PictureID) {
        let group = GroupOfPictures(structure, from: id)
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

    /// What picture `id` of temporal layer `layer` refers to; `nil` where that is not known.
    mutating func references(of id: FrameLabel.PictureID, layer: UInt8) -> FrameLabel.References? {
        guard let newest, let distance = newest.distance(to: id) else { return nil }
        if distance >= -newest.moved { return self.newest?.references(of: id, layer: layer) }
        // Once the newest has moved along, the numbers no longer tell how far back the older one lies.
        return newest.moved == 0 ? older?.references(of: id, layer: layer) : nil
    }
}
