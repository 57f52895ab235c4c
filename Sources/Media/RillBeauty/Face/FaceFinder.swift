/// Finds the faces of a video and tracks them, with the same small amount of work for each frame.
///
/// One scan searches whole pictures, each over some tens of frames. Another one searches the surroundings of the
/// known faces in turn, each over a few frames. The budget is in features, not in time, so the same frames give the
/// same faces.
///
/// An app with a detector of its own sets the faces instead. Then nothing is searched.
///
/// Memory is allocated once. Owned by one filter.
final class FaceFinder {
    /// `nil` without a cascade.
    private let wide, near: FaceScan?
    /// The face that `near` searches for.
    private var turn = 0
    /// Where it was when that search began.
    private var searched = FaceRegion(x: 0, y: 0, side: 1)
    /// The number of scans of whole pictures.
    private var scans = 0
    private let scale: Int

    /// The faces.
    private(set) var faces: [TrackedFace] = []
    /// Frames for which given faces count.
    private var givenFrames = 0

    /// The features computed for a frame: as many as a scan of the whole picture takes in a second or two. At 1280x720
    /// they are 12,000, some 0.7 million instructions.
    private let featuresPerFrame: Int
    /// A face is searched for again after this many frames.
    private static let framesOfRest = 5
    /// After this many frames without detection, a face is searched for in a larger area.
    private static let framesUntilFar = 12

    /// Creates a finder for planes of that size, of which `scale` units are a block. Without a cascade it knows the
    /// faces that it is given.
    init(_ cascade: FaceCascade?, width: Int, height: Int, scale: Int) {
        wide = cascade.map { FaceScan($0, width: width, height: height, scale: scale) }
        near = cascade.map { FaceScan($0, width: width, height: height, scale: scale) }
        self.scale = scale
        featuresPerFrame = max(1000, width * height * 5 / 24)
        faces.reserveCapacity(FaceRegion.greatestCount)
    }

    /// The frames that a look ahead may take.
    static let greatestLook = 240
    /// The number of scans of whole pictures with which it ends.
    private var lastScan = 0

    /// Begins to search one picture again and again.
    func beginLookingAhead() {
        wide?.stop()
        near?.stop()
        lastScan = scans + 2
    }

    /// Whether there is anything left to look at in it. The second scan begins where the first one is done.
    var isLooking: Bool { scans < lastScan || faces.contains { !$0.isConfirmed && $0.isPresent } }

    /// Lets the faces that were found count in full.
    func endLookingAhead() {
        wide?.stop()
        near?.stop()
        for index in faces.indices { faces[index].countInFull() }
    }

    /// How much the colors of faces count together, from 0 to 256.
    var strength: Int { faces.reduce(0) { max($0, $1.strength) } }

    /// Whether the next frame begins a scan of the whole picture, which needs a map of skin.
    var needsSkin: Bool { givenFrames == 0 && wide?.isDone ?? false }

    /// Searches the next frame's luma. `skin` is where there may be skin, per block.
    func advance(_ luma: borrowing CellPlane, skin: borrowing CellPlane) {
        for index in faces.indices { faces[index].advance() }
        faces.removeAll { !$0.isPresent && $0.strength == 0 }
        joinFaces()
        guard givenFrames == 0, let near, let wide else {
            givenFrames = max(0, givenFrames - 1)
            return
        }
        var budget = featuresPerFrame / 2
        searchNear(near, luma, &budget)
        let isKnown = faces.contains { $0.isConfirmed && $0.isPresent }
        budget = isKnown ? featuresPerFrame / 3 : budget + featuresPerFrame / 2
        searchAll(wide, luma, skin, &budget)
    }

    /// Sets the faces that an app found, in units of the plane. They replace all known faces.
    func give(_ found: [FaceRegion]) {
        givenFrames = TrackedFace.memory
        for index in faces.indices {
            let same = found.firstIndex { $0.isNear(faces[index].region, within: 0.6) }
            faces[index].give(same.map { found[$0] })
        }
        for region in found where index(of: region) == nil && faces.count < FaceRegion.greatestCount {
            var face = TrackedFace(region)
            face.give(region)
            faces.append(face)
        }
    }

    /// Two that have come to the same place are one: a face that moved fast was detected again before it was seen
    /// again.
    private func joinFaces() {
        var index = 0
        while index < faces.count {
            let region = faces[index].region
            if let first = faces[..<index].firstIndex(where: { $0.region.isNear(region, within: 0.6) }) {
                faces[first].join(faces[index])
                faces.remove(at: index)
            } else {
                index += 1
            }
        }
    }

    private func searchNear(_ near: FaceScan, _ luma: borrowing CellPlane, _ budget: inout Int) {
        // Most candidates are no faces, and cost little: several may be examined in a frame.
        while budget > 0, !faces.isEmpty {
            if near.isDone {
                turn = (turn + 1) % faces.count
                // A face that was just detected has not moved.
                if faces[turn].isConfirmed, faces[turn].framesMissed < FaceFinder.framesOfRest {
                    if faces.count == 1 { return }
                    budget -= 1000
                    continue
                }
                searched = faces[turn].region
                near.begin(luma, around: searched, far: faces[turn].framesMissed > FaceFinder.framesUntilFar)
            }
            near.advance(&budget)
            guard near.isDone else { return }
            near.takeFaces { found in
                // The face may have moved, or may be gone, since this search began.
                guard let index = index(of: found) ?? index(of: searched) else { return }
                faces[index].see(found)
            }
            if faces.count == 1 { return }
        }
    }

    private func searchAll(
        _ wide: FaceScan, _ luma: borrowing CellPlane, _ skin: borrowing CellPlane, _ budget: inout Int
    ) {
        if wide.isDone {
            scans += 1
            // Light of a strong color can make all skin look like none.
            wide.begin(luma, skin: skin, scale: scale, onlySkin: scans % 4 != 0)
        }
        wide.advance(&budget)
        wide.takeFaces { found in
            guard index(of: found) == nil, faces.count < FaceRegion.greatestCount else { return }
            faces.append(TrackedFace(found))
        }
    }

    private func index(of found: FaceRegion) -> Int? { faces.firstIndex { $0.region.isNear(found, within: 0.6) } }

    /// Follows the faces by the mask of their skin, between two sightings.
    func follow(_ mask: borrowing CellPlane) {
        for index in faces.indices where faces[index].isPresent { faces[index].follow(mask, scale: scale) }
    }

    /// Learns the colors of the faces that were seen, from blocks that are `scale` units of the plane large.
    func learn(u: borrowing CellPlane, v: borrowing CellPlane, luma: borrowing CellPlane, scale: Int) {
        for index in faces.indices where faces[index].hasNews {
            let face = faces[index]
            let color = SkinColor(
                of: face.region.divided(by: scale), gray: face.color?.gray ?? LightGray(), u: u, v: v, luma: luma)
            // Faces that an app gives may be drawn.
            if let color, color.isFlat, givenFrames == 0 {
                faces[index].doubt()
            } else {
                faces[index].learn(color)
            }
        }
    }
}
