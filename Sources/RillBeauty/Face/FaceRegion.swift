/// A face in a picture: a square from the brows to the mouth and some way beyond, as cascades find it.
///
/// An app with a detector of its own passes its faces in this form.
public struct FaceRegion: Hashable, Sendable {
    /// The left column and the top row, in pixels. They may lie outside of the picture.
    public var x, y: Int
    /// The width and the height.
    public var side: Int

    /// Creates a region. The side must be positive.
    public init(x: Int, y: Int, side: Int) {
        precondition(side > 0, "a face of \(side) pixels")
        (self.x, self.y, self.side) = (x, y, side)
    }

    /// Whether each side of the two differs by at most that share of their size.
    func isNear(_ other: FaceRegion, within share: Double) -> Bool {
        let most = share * Double(min(side, other.side))
        let ends = max(abs(x + side - other.x - other.side), abs(y + side - other.y - other.side))
        return Double(max(abs(x - other.x), abs(y - other.y), ends)) <= most
    }

    /// The same region in units that are so many times as large, or as small.
    func divided(by scale: Int) -> FaceRegion { FaceRegion(x: x / scale, y: y / scale, side: max(1, side / scale)) }
    func multiplied(by scale: Int) -> FaceRegion { FaceRegion(x: x * scale, y: y * scale, side: side * scale) }
}
