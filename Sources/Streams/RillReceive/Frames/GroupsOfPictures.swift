import RillRTP

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
