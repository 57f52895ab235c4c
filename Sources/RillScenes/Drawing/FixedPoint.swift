/// A position among texels, in 1/65536 of a texel in each direction. Stepping along a row of pixels is one addition.
struct FixedPoint {
    private(set) var x: Int32
    private(set) var y: Int32

    private init(x: Int32, y: Int32) {
        self.x = x
        self.y = y
    }

    /// Converts a position, clamped to ±30000 texels, which no sprite exceeds.
    init(_ p: Point) {
        x = Int32(bounded(p.x, -30000, 30000) * 65536)
        y = Int32(bounded(p.y, -30000, 30000) * 65536)
    }

    /// The column of the texel up and left of the position.
    var column: Int { Int(x &>> 16) }
    /// The row of the texel up and left of the position.
    var row: Int { Int(y &>> 16) }

    /// The horizontal distance from that texel toward the next, in 1/256.
    var columnShare: Int32 { x &>> 8 & 0xFF }
    /// The vertical distance from that texel toward the next, in 1/256.
    var rowShare: Int32 { y &>> 8 & 0xFF }

    /// Whether the position is among the texels, with a texel to the right and one below.
    func isInside(columns: Int, rows: Int) -> Bool {
        column >= 0 && column < columns - 1 && row >= 0 && row < rows - 1
    }

    static func &+ (a: FixedPoint, b: FixedPoint) -> FixedPoint { FixedPoint(x: a.x &+ b.x, y: a.y &+ b.y) }
    static func &+= (a: inout FixedPoint, b: FixedPoint) { a = a &+ b }
    static func &- (a: FixedPoint, b: FixedPoint) -> FixedPoint { FixedPoint(x: a.x &- b.x, y: a.y &- b.y) }
    static func &* (a: FixedPoint, b: Int32) -> FixedPoint { FixedPoint(x: a.x &* b, y: a.y &* b) }
    static func &>> (a: FixedPoint, bits: Int32) -> FixedPoint { FixedPoint(x: a.x &>> bits, y: a.y &>> bits) }

    /// Half a texel in each direction.
    static let half = FixedPoint(x: 0x8000, y: 0x8000)
}
