import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// Faces with parts that are white already, or nearly so.
struct HighlightsTests {
    private static let contrasts: [BeautyOptions.LighteningContrast] = [.low, .normal, .high]

    @Test(arguments: contrasts)
    func `A face is lightened by what its highlights have room for`(contrast: BeautyOptions.LighteningContrast) {
        let amounts = BeautyAmounts(BeautyOptions(lighteningContrast: contrast, lightening: 0.6))
        func lift(_ amounts: BeautyAmounts, _ luma: Int) -> Int {
            Int(amounts.lift) + (luma - 16) * Int(amounts.liftSlope)
        }
        var last = amounts
        for luma in 16...255 {
            let limited = amounts.limited(byHighlight: 16 * luma, strength: 256)
            let room = 128 * max(0, 235 - luma)
            // Rounded down twice: one 256th for each code value of luma.
            #expect(limited == amounts || lift(limited, luma) <= room + 240, "luma \(luma): \(limited)")
            #expect((limited == amounts) == (lift(amounts, luma) <= room), "luma \(luma): \(limited)")
            #expect(limited.lift <= last.lift, "luma \(luma): \(limited), \(last)")
            last = limited
        }
        #expect(last.lift == 0 && last.smoothing == amounts.smoothing && last.redness == amounts.redness)
    }

    @Test func `The limit comes and goes with the face, slowly`() {
        let amounts = BeautyAmounts(.natural)
        #expect(amounts.limited(byHighlight: 16 * 230, strength: 0) == amounts)
        var last = amounts
        for strength in stride(from: 0, through: 256, by: 4) {
            let limited = amounts.limited(byHighlight: 16 * 230, strength: strength)
            #expect(last.lift >= limited.lift && Int(last.lift) - Int(limited.lift) < 70, "\(strength): \(limited)")
            last = limited
        }
        #expect(last.lift < amounts.lift / 4)
    }

    /// A drawn face with a white forehead: the rest is lightened less than without the white.
    @Test func `Clipped pixels count among the highlights`() throws {
        let u = CellPlane(width: 32, height: 32)
        let v = CellPlane(width: 32, height: 32)
        let luma = CellPlane(width: 32, height: 32)
        func highlight(_ whiteRows: Int) throws -> Int {
            for y in 0..<32 {
                for x in 0..<32 {
                    let isWhite = y >= 8 && y < 8 + whiteRows
                    (u.row(y)[x], v.row(y)[x], luma.row(y)[x]) = isWhite ? (128, 128, 235) : (116, 146, 150)
                }
            }
            let face = FaceRegion(x: 0, y: 0, side: 32)
            return try existing(SkinColor(of: face, u: u, v: v, luma: luma)).highlight
        }
        #expect(try highlight(0) == 16 * 150)
        #expect(try highlight(3) == 16 * 235)
    }
}
