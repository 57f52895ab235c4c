/// Finds the faces of a video and follows them, with the same small amount of work for each frame.
///
/// One scan searches whole pictures, each over some tens of frames; another searches the surroundings of the known faces
/// in turn, each over a few frames. What is counted is features, not time, so the same frames give the same faces.
///
/// Memory is allocated once. Owned by one filter.
final class FaceFinder {
    private let wide, near: FaceScan
    /// The face that `near` searches for.
    private var turn = 0

    /// The faces.
    private(set) var faces: [TrackedFace] = []

    /// The features computed for a frame: some 0.7 million instructions.
    static let featuresPerFrame = 12_000
    private static let greatestCount = 4
    /// A face that the search near it has not found for so many frames is lost to that search.
    private static let framesUntilLost = 15

    /// Creates a finder for planes of that size.
    init(_ cascade: FaceCascade, width: Int, height: Int) {
        wide = FaceScan(cascade, width: width, height: height)
        near = FaceScan(cascade, width: width, height: height)
        faces.reserveCapacity(FaceFinder.greatestCount)
    }

    /// How much the colors of faces count together, from 0 to 256.
    var strength: Int { faces.reduce(0) { max($0, $1.strength) } }

    /// Searches the next frame's luma.
    func advance(_ luma: borrowing CellPlane) {
        for index in faces.indices { faces[index].advance() }
        faces.removeAll { !$0.isPresent && $0.strength == 0 }
        var budget = FaceFinder.featuresPerFrame / 2
        searchNear(luma, &budget)
        budget += FaceFinder.featuresPerFrame / 2
        searchAll(luma, &budget)
    }

    private func searchNear(_ luma: borrowing CellPlane, _ budget: inout Int) {
        guard !faces.isEmpty else { return }
        if near.isDone {
            turn = (turn + 1) % faces.count
            near.begin(luma, around: faces[turn].region)
        }
        near.advance(&budget)
        guard near.isDone else { return }
        near.takeFaces { found in
            guard let index = index(of: found) else { return }
            faces[index].see(found)
            faces[index].isConfirmed = true
        }
    }

    private func searchAll(_ luma: borrowing CellPlane, _ budget: inout Int) {
        if wide.isDone { wide.begin(luma) }
        wide.advance(&budget)
        wide.takeFaces { found in
            guard let index = index(of: found) else {
                if faces.count < FaceFinder.greatestCount { faces.append(TrackedFace(found)) }
                return
            }
            // Where a face was a second ago is of use only if the other scan has lost it.
            if faces[index].framesMissed > FaceFinder.framesUntilLost { faces[index].see(found) }
        }
    }

    private func index(of found: FaceRegion) -> Int? { faces.firstIndex { $0.region.isNear(found, within: 0.6) } }

    /// Learns the colors of the faces that were seen, from blocks that are `scale` units of the plane large.
    func learn(u: borrowing CellPlane, v: borrowing CellPlane, luma: borrowing CellPlane, scale: Int) {
        for index in faces.indices where faces[index].hasNews {
            faces[index].learn(SkinColor(of: faces[index].region.divided(by: scale), u: u, v: v, luma: luma))
        }
    }
}
