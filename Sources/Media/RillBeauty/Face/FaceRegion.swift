/// A face in a picture: a square from the brows to the mouth and some way beyond, as cascades find it.
///
/// An app with a detector of its own passes its faces in this form. A box from the hair line to the chin is too large:
/// its square is the box's width, and ends a tenth of it below the chin's.
///
/// Any numbers are allowed: each is clamped to far outside of the largest picture, and a side is at least 1.
public struct FaceRegion: Hashable, Sendable {
    /// The left column in pixels. It may lie outside of the picture.
    public var x: Int { didSet { x = max(-Self.limit, min(Self.limit, x)) } }
    /// The top row in pixels. It may lie outside of the picture.
    public var y: Int { didSet { y = max(-Self.limit, min(Self.limit, y)) } }
    /// The width and the height in pixels.
    public var side: Int { didSet { side = max(1, min(Self.limit, side)) } }

    /// Twice the size of the largest picture. Sums and products of such numbers do not overflow.
    private static let limit = 1 << 15

    /// Creates a region, with numbers clamped as described.
    public init(x: Int, y: Int, side: Int) {
        self.x = max(-Self.limit, min(Self.limit, x))
        self.y = max(-Self.limit, min(Self.limit, y))
        self.side = max(1, min(Self.limit, side))
    }

    /// The number of faces that a filter follows.
    package static let greatestCount = 4

    /// Whether each side of the two differs by at most that share of their size.
    package func isNear(_ other: FaceRegion, within share: Double) -> Bool {
        let most = share * Double(min(side, other.side))
        let ends = max(abs(x + side - other.x - other.side), abs(y + side - other.y - other.side))
        return Double(max(abs(x - other.x), abs(y - other.y), ends)) <= most
    }

    /// The same region in units of another scale.
    func divided(by scale: Int) -> FaceRegion { FaceRegion(x: x / scale, y: y / scale, side: max(1, side / scale)) }
    func multiplied(by scale: Int) -> FaceRegion { FaceRegion(x: x * scale, y: y * scale, side: side * scale) }
}

extension FaceRegion: CustomStringConvertible {
    /// The size and the place: `240x240 at 500,120`.
    public var description: String { "\(side)x\(side) at \(x),\(y)" }
}
