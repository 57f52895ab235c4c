/// Where a sprite is empty, and where it is opaque, in blocks of 8x8 luma texels.
///
/// Most of a sprite is one or the other, and is placed in a frame by skipping or by plain writing.
struct SpriteBlocks {
    /// The content of a part of a sprite.
    enum Content: UInt8 {
        case nothing
        case opaque
        case mixed
    }

    private static let side = 8
    private let texelColumns: Int
    private let texelRows: Int
    private let columns: Int
    private let rows: Int
    private var contents: [Content]

    /// Creates the blocks of a sprite with that many luma texels.
    init(columns: Int, rows: Int) {
        texelColumns = columns
        texelRows = rows
        self.columns = (columns + SpriteBlocks.side - 1) / SpriteBlocks.side
        self.rows = (rows + SpriteBlocks.side - 1) / SpriteBlocks.side
        contents = Array(repeating: .nothing, count: self.columns * self.rows)
    }

    /// Examines the coverage of all texels.
    mutating func note(_ luma: [UInt8], _ chroma: [UInt8]) {
        for row in 0..<rows {
            for column in 0..<columns {
                var least: UInt8 = 255
                var most: UInt8 = 0
                for y in row * SpriteBlocks.side..<min((row + 1) * SpriteBlocks.side, texelRows) {
                    for x in column * SpriteBlocks.side..<min((column + 1) * SpriteBlocks.side, texelColumns) {
                        let here = luma[y * texelColumns + x]
                        let around = chroma[y / 2 * (texelColumns / 2) + x / 2]
                        least = min(least, here, around)
                        most = max(most, here, around)
                    }
                }
                contents[row * columns + column] = most == 0 ? .nothing : least == 255 ? .opaque : .mixed
            }
        }
    }

    /// Returns the content of a rectangle of luma texels; outside of the sprite it is empty.
    func content(columns x: ClosedRange<Int>, rows y: ClosedRange<Int>) -> Content {
        let left = max(0, x.lowerBound / SpriteBlocks.side)
        let right = min(columns - 1, x.upperBound / SpriteBlocks.side)
        let top = max(0, y.lowerBound / SpriteBlocks.side)
        let bottom = min(rows - 1, y.upperBound / SpriteBlocks.side)
        guard left <= right, top <= bottom, x.upperBound >= 0, y.upperBound >= 0 else { return .nothing }
        let first = contents[top * columns + left]
        for row in top...bottom {
            for column in left...right where contents[row * columns + column] != first { return .mixed }
        }
        let isWithin =
            x.lowerBound >= 0 && x.upperBound < texelColumns && y.lowerBound >= 0 && y.upperBound < texelRows
        return first == .opaque && !isWithin ? .mixed : first
    }
}
