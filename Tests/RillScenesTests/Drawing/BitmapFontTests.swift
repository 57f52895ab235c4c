import Testing

@testable import RillScenes

struct BitmapFontTests {
    private static let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789&-.,':/".utf8)

    /// The ink in the middle of each of a character's 5x7 dots.
    private func dots(_ character: UInt8) -> [Float] {
        (0..<35).map { dot in
            let place = Point(Float(dot % 5) + 0.5, Float(dot / 5) + 0.5) / 7
            return BitmapFont.ink([character], at: place, pixel: 0.01)
        }
    }

    @Test func `A letter looks like itself`() {
        let picture = dots(UInt8(ascii: "R")).map { $0 > 0.5 ? "#" : "." }.joined()
        #expect(picture == "####." + "#...#" + "#...#" + "####." + "#.#.." + "#..#." + "#...#")
    }

    @Test func `Every character has its own shape`() {
        var seen: Set<[Bool]> = []
        for character in BitmapFontTests.characters {
            let picture = dots(character).map { $0 > 0.5 }
            #expect(picture.contains(true), "\(Character(Unicode.Scalar(character))) is blank")
            #expect(seen.insert(picture).inserted, "\(Character(Unicode.Scalar(character))) looks like another one")
        }
    }

    @Test func `A character stays in its place in the line`() {
        let line = Array("A L".utf8)
        for column in 0..<5 {
            for row in 0..<7 {
                let place = Point(Float(column) + 0.5, Float(row) + 0.5) / 7
                let third = place + Point(2 * BitmapFont.advance, 0)
                #expect(
                    abs(
                        BitmapFont.ink(line, at: third, pixel: 0.01) - BitmapFont.ink([line[2]], at: place, pixel: 0.01)
                    )
                        < 0.01, "dot \(column), \(row)")
            }
        }
        #expect(BitmapFont.ink(line, at: Point(9, 0.5), pixel: 0.01) == 0)
        #expect(BitmapFont.ink(line, at: Point(-3, -3), pixel: 0.01) == 0)
    }
}
