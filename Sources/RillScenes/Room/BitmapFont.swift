/// A font of capital letters, digits and a few signs on a grid of 5x7 dots, with soft corners at any size.
enum BitmapFont {
    /// The width of a letter with the gap after it, for a height of 1.
    static let advance: Float = 6.0 / 7

    /// Returns the width of a line of text, for letters of height 1.
    static func width(of text: String) -> Float { Float(text.unicodeScalars.count) * advance - 1.0 / 7 }

    /// Returns how much ink is at a position in a line of text.
    ///
    /// - Parameters:
    ///   - text: the text in ASCII.
    ///   - p: the position from the upper left corner of the line, in letter heights.
    ///   - pixel: the size of a pixel in letter heights.
    static func ink(_ text: [UInt8], at p: Point, pixel: Float) -> Float {
        let dots = p * 7
        let index = Int(max(0, dots.x + 0.5) / 6)
        guard index < text.count, dots.y > -1, dots.y < 8 else { return 0 }
        let glyph = rows(of: text[index])
        // Dots are blurred into each other, and a level of the blur becomes the edge: diagonals join, corners become
        // round.
        let x = dots.x - Float(6 * index)
        let column = Int(x + 8) - 8
        let row = Int(dots.y + 8) - 8
        let weightsX = spline(x - Float(column))
        let weightsY = spline(dots.y - Float(row))
        var blurred: Float = 0
        for dy in 0..<3 {
            for dx in 0..<3 where isInked(glyph, column + dx - 1, row + dy - 1) {
                blurred += weightsX[dx] * weightsY[dy]
            }
        }
        let softness = max(0.10, 2.5 * pixel)
        return ramp(0.37 - softness, 0.37 + softness, blurred)
    }

    /// Returns the weights of a dot and its two neighbors, at a position from 0 to 1 across it: the quadratic
    /// B-spline.
    private static func spline(_ t: Float) -> SIMD3<Float> {
        SIMD3(0.5 * (1 - t) * (1 - t), 0.5 + t * (1 - t), 0.5 * t * t)
    }

    private static func isInked(_ glyph: UInt64, _ column: Int, _ row: Int) -> Bool {
        guard column >= 0, column < 5, row >= 0, row < 7 else { return false }
        return glyph >> UInt64((6 - row) * 5 + 4 - column) & 1 == 1
    }

    /// Returns the dots of an ASCII character: seven rows of five bits, the top one first. Unknown characters are
    /// blank.
    private static func rows(of character: UInt8) -> UInt64 {
        switch character {
        case 0x41...0x5A: letters[Int(character - 0x41)]
        case 0x30...0x39: digits[Int(character - 0x30)]
        case 0x26: 0b01100_10010_10100_01000_10101_10010_01101
        case 0x2D: 0b00000_00000_00000_11111_00000_00000_00000
        case 0x2E: 0b00000_00000_00000_00000_00000_01100_01100
        case 0x2C: 0b00000_00000_00000_00000_01100_00100_01000
        case 0x27: 0b01100_00100_01000_00000_00000_00000_00000
        case 0x3A: 0b00000_01100_01100_00000_01100_01100_00000
        case 0x2F: 0b00000_00001_00010_00100_01000_10000_00000
        default: 0
        }
    }

    private static let letters: [UInt64] = [
        0b01110_10001_10001_11111_10001_10001_10001,  // A
        0b11110_10001_10001_11110_10001_10001_11110,  // B
        0b01110_10001_10000_10000_10000_10001_01110,  // C
        0b11110_10001_10001_10001_10001_10001_11110,  // D
        0b11111_10000_10000_11110_10000_10000_11111,  // E
        0b11111_10000_10000_11110_10000_10000_10000,  // F
        0b01110_10001_10000_10111_10001_10001_01110,  // G
        0b10001_10001_10001_11111_10001_10001_10001,  // H
        0b01110_00100_00100_00100_00100_00100_01110,  // I
        0b00111_00010_00010_00010_00010_10010_01100,  // J
        0b10001_10010_10100_11000_10100_10010_10001,  // K
        0b10000_10000_10000_10000_10000_10000_11111,  // L
        0b10001_11011_10101_10101_10001_10001_10001,  // M
        0b10001_11001_10101_10011_10001_10001_10001,  // N
        0b01110_10001_10001_10001_10001_10001_01110,  // O
        0b11110_10001_10001_11110_10000_10000_10000,  // P
        0b01110_10001_10001_10001_10101_10010_01101,  // Q
        0b11110_10001_10001_11110_10100_10010_10001,  // R
        0b01111_10000_10000_01110_00001_00001_11110,  // S
        0b11111_00100_00100_00100_00100_00100_00100,  // T
        0b10001_10001_10001_10001_10001_10001_01110,  // U
        0b10001_10001_10001_10001_10001_01010_00100,  // V
        0b10001_10001_10001_10101_10101_10101_01010,  // W
        0b10001_10001_01010_00100_01010_10001_10001,  // X
        0b10001_10001_01010_00100_00100_00100_00100,  // Y
        0b11111_00001_00010_00100_01000_10000_11111,  // Z
    ]

    private static let digits: [UInt64] = [
        0b01110_10001_10011_10101_11001_10001_01110,  // 0
        0b00100_01100_00100_00100_00100_00100_01110,  // 1
        0b01110_10001_00001_00110_01000_10000_11111,  // 2
        0b11110_00001_00001_01110_00001_00001_11110,  // 3
        0b00010_00110_01010_10010_11111_00010_00010,  // 4
        0b11111_10000_11110_00001_00001_10001_01110,  // 5
        0b00110_01000_10000_11110_10001_10001_01110,  // 6
        0b11111_00001_00010_00100_01000_01000_01000,  // 7
        0b01110_10001_10001_01110_10001_10001_01110,  // 8
        0b01110_10001_10001_01111_00001_00010_01100,  // 9
    ]
}

extension Canvas {
    /// Writes a line of text.
    ///
    /// - Parameters:
    ///   - text: the text in ASCII.
    ///   - origin: the upper left corner of the first letter.
    ///   - height: the height of the letters.
    ///   - direction: the unit direction of the line; (0, 1) runs down, with letters rotated clockwise.
    ///   - color: the color of the ink.
    ///   - opacity: the opacity of the ink, 0 to 1.
    mutating func write(
        _ text: String, at origin: Point, height: Float, direction: Point = Point(1, 0), _ color: RGB,
        opacity: Float = 1
    ) {
        let bytes = Array(text.utf8)
        let pixel = pixelSize / height
        let along = direction * (BitmapFont.width(of: text) * height)
        let down = Point(-direction.y, direction.x) * height
        let box = Box(centre: origin, radii: .zero).including(origin + along).including(origin + down)
            .including(origin + along + down).grown(by: pixelSize)
        paint(box) { p in
            let d = (p - origin) / height
            let place = Point(d.x * direction.x + d.y * direction.y, d.y * direction.x - d.x * direction.y)
            return Paint(color, coverage: opacity * BitmapFont.ink(bytes, at: place, pixel: pixel))
        }
    }
}
