import Testing

@testable import RillScenes

struct SkinToneTests {
    @Test func `Ten swatches go from light to dark`() {
        #expect(SkinTone.all.map(\.number) == Array(1...10))
        let greens = SkinTone.all.map { $0.srgb >> 8 & 255 }
        // The scale's first three are about equally light.
        for (lighter, darker) in zip(greens.dropFirst(2), greens.dropFirst(3)) { #expect(lighter > darker) }
        #expect(SkinTone(number: 1)?.srgb == 0xF6EDE4 && SkinTone(number: 10)?.srgb == 0x292420)
    }

    @Test(arguments: ["light", "medium", "dark", "1", "4", "10"])
    func `Words and numbers are read`(text: String) throws {
        let tone = try #require(SkinTone(text))
        #expect(tone.description == text)
    }

    @Test(arguments: ["", "0", "11", "-1", "pale", "1.5", "99999999999999999999"])
    func `Other text is refused`(text: String) {
        #expect(SkinTone(text) == nil)
    }

    @Test func `Words name different tones`() {
        #expect(SkinTone.light.number < SkinTone.medium.number && SkinTone.medium.number < SkinTone.dark.number)
    }
}
