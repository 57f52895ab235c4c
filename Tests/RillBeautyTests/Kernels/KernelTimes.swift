import Foundation
import RillCore
import RillTestSupport
import Testing

@testable import RillBeauty

/// The times of each kernel and its scalar reference, printed as a table. Nothing is asserted: times are for people.
///
///     RILL_KERNEL_TIMES=1 swift test -c release -Xswiftc -enable-testing --filter KernelTimes
struct KernelTimes {
    static let isAskedFor = ProcessInfo.processInfo.environment["RILL_KERNEL_TIMES"] != nil

    @Test(.enabled(if: isAskedFor, "RILL_KERNEL_TIMES is not set"))
    func `A table of times`() throws {
        // The cells of a picture of 1280x720; a third of them is not skin, in whole vectors.
        let (width, height) = (640, 360)
        let a = cells(width, height, .noise, seed: 1)
        let b = cells(width, height, .faint, seed: 2)
        let small = cells(width, height, .small, seed: 3)
        let skin = sparseCells(width, height, seed: 4)
        let target = cells(width, height, .noise, seed: 5)
        let lasting = CellPlane(width: width, height: height)
        let row = CellPlane(width: width, height: 1)
        let rows = CellPlane(width: 2 * width, height: 3)
        let half = cells(width / 2, height / 2, .noise, seed: 6)
        let halfSkin = sparseCells(width / 2, height / 2, seed: 7)
        let limits = LumaLimits(least: 30, slope: 60)
        let spans = spans(of: skin)
        let amounts = BeautyAmounts(.natural)
        half.extendRows()
        skin.extendRows()
        a.extendRows()
        let picture = try frame(2 * width, 2 * height, .noise, seed: 8)
        let luma = PictureRows(reading: picture, plane: 0)
        let red = PictureRows(reading: picture, plane: 2)
        var output = try existing(FramePool(layout: picture.layout, capacity: 1).makeFrame())
        let outputLuma = PictureRows(writing: &output, plane: 0)
        let outputRed = PictureRows(writing: &output, plane: 2)
        let kernel = LumaKernel(amounts: amounts)

        print("kernel               vectors, us   reference, us   times as fast")
        time("halving", { HalvingKernel.run(luma, to: target) }, target) { HalvingKernel.reference(luma, $0, $1) }
        time("enlarging", { EnlargingKernel.run(half, to: target) }, target) {
            EnlargingKernel.reference(half, $0, $1)
        }
        time("blur", { TapKernel.run(BlurTap.self, a, row: row, to: target) }, target) {
            TapKernel.reference(BlurTap.self, a, distance: 1, $0, $1)
        }
        time("sum of nine", { TapKernel.run(SumTap.self, small, row: row, to: target) }, target) {
            TapKernel.reference(SumTap.self, small, distance: 1, $0, $1)
        }
        time("greatest of nine", { TapKernel.run(MaximumTap.self, a, row: row, to: target) }, target) {
            TapKernel.reference(MaximumTap.self, a, distance: 1, $0, $1)
        }
        time("likelihood", { LikelihoodKernel.run(u: b, v: a, luma: small, to: target) }, target) {
            LikelihoodKernel.reference(u: b.row($1)[$0], v: a.row($1)[$0], luma: small.row($1)[$0])
        }
        time("deviation", { DeviationKernel.run(luma: a, surroundings: half, where: halfSkin, to: target) }, target) {
            DeviationKernel.reference(luma: a.row($1)[$0], surroundings: EnlargingKernel.reference(half, $0, $1))
        }
        time(
            "texture", { TextureKernel.run(likelihood: a, luma: b, texture: small, limits: limits, to: target) }, target
        ) {
            TextureKernel.reference(
                likelihood: a.row($1)[$0], luma: b.row($1)[$0], texture: small.row($1)[$0], limits: limits)
        }
        time(
            "flatness",
            {
                FlatnessKernel.run(
                    skin: half, mask: skin, luma: b, edges: small, spans: spans, limits: limits, to: lasting)
            },
            target
        ) {
            FlatnessKernel.reference(
                skin: EnlargingKernel.reference(half, $0, $1), mask: skin.row($1)[$0], luma: b.row($1)[$0],
                edges: small.row($1)[$0],
                limits: limits)
        }
        time("diffusion", { DiffusionKernel.run(a, distance: 2, where: skin, spans: spans, to: target) }, target) {
            DiffusionKernel.reference(a, distance: 2, $0, $1)
        }
        time("lift", { LiftKernel.run(luma: a, mask: skin, spans: spans, amounts: amounts, to: lasting) }, target) {
            LiftKernel.reference(luma: a.row($1)[$0], mask: skin.row($1)[$0], amounts: amounts)
        }
        time("redness", { RednessKernel.run(red, mask: skin, spans: spans, amount: 2, to: outputRed) }, target) {
            RednessKernel.reference(red.row($1)[$0], mask: skin.row($1)[$0], amount: 2)
        }
        time(
            "luma, pixels",
            {
                kernel.run(
                    luma, smooth: a, flatness: skin, lift: skin, mask: skin, spans: spans, rows: rows, to: outputLuma)
            }, luma.width, luma.height
        ) {
            kernel.reference(
                luma, $0, $1, smooth: EnlargingKernel.reference(a, $0, $1),
                flatness: EnlargingKernel.reference(skin, $0, $1), lift: EnlargingKernel.reference(skin, $0, $1))
        }
    }

    private func time(
        _ name: String, _ vectors: () -> Void, _ plane: borrowing CellPlane, _ reference: (Int, Int) -> UInt8
    ) {
        time(name, vectors, plane.width, plane.height, reference)
    }

    /// The least of several turns of each.
    private func time(
        _ name: String, _ vectors: () -> Void, _ width: Int, _ height: Int, _ reference: (Int, Int) -> UInt8
    ) {
        let clock = ContinuousClock()
        var sum = 0
        let fast = (0..<50).map { _ in clock.measure(vectors) }.min() ?? .zero
        let slow =
            (0..<5).map { _ in
                clock.measure { for y in 0..<height { for x in 0..<width { sum &+= Int(reference(x, y)) } } }
            }.min() ?? .zero
        // So that the reference is not left out as unused.
        precondition(sum >= 0)
        let (a, b) = (fast / .microseconds(1), slow / .microseconds(1))
        print(
            name.padding(toLength: 20, withPad: " ", startingAt: 0)
                + String(format: "%12.1f %15.1f %15.1f", a, b, b / a))
    }
}
