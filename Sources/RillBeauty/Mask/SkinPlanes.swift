/// What a filter keeps of pictures of one size: the numbers of their cells.
final class SkinPlanes {
    let width: Int
    let height: Int

    /// Mean luma, Cb and Cr of each cell, and what is looked up around them.
    let luma, u, v: CellPlane
    /// Means of chroma over a neighbourhood.
    let smoothU, smoothV: CellPlane
    /// How much the colour is skin's; the same less where the texture is not; and that blurred.
    let likelihood, textured, target: CellPlane
    /// The mask: steady in time, so it lasts from frame to frame.
    let mask: CellPlane
    /// Luma's mean around each cell, the distance to it, its sum over nine cells and its mean over many.
    let mean, deviation, edges, texture: CellPlane
    /// How much is smooth skin.
    let flatness: CellPlane
    /// A row of luma.
    let blurred: CellPlane
    let sums: ColumnSums

    private let chromaMean: BoxKernel
    private let lumaMean: BoxKernel
    private let edgeSum = BoxKernel(sumOverRadius: 1)
    private let textureMean: BoxKernel
    private let maskMean: BoxKernel

    /// Planes for pictures of that size. All memory that the filter uses.
    init(pictureWidth: Int, pictureHeight: Int) {
        let (width, height) = ((pictureWidth + 1) / 2, (pictureHeight + 1) / 2)
        func plane() -> CellPlane { CellPlane(width: width, height: height) }
        self.width = pictureWidth
        self.height = pictureHeight
        luma = plane()
        u = plane()
        v = plane()
        smoothU = plane()
        smoothV = plane()
        likelihood = plane()
        textured = plane()
        target = plane()
        mask = plane()
        mean = plane()
        deviation = plane()
        edges = plane()
        texture = plane()
        flatness = plane()
        blurred = CellPlane(width: pictureWidth, height: 1)
        sums = ColumnSums(width: width)
        // What a face measures goes with the picture. Beyond 720 lines the radius stays, and with it the cost of a pixel.
        let radius = pictureHeight < 300 ? 1 : pictureHeight < 600 ? 2 : 3
        lumaMean = BoxKernel(meanOverRadius: radius)
        textureMean = BoxKernel(sixteenthsOverRadius: 2 * radius)
        chromaMean = BoxKernel(meanOverRadius: min(2, radius))
        maskMean = BoxKernel(meanOverRadius: min(2, radius))
    }

    /// Finds skin by its colour.
    func findColor() {
        chromaMean.run(u, to: smoothU, sums: sums)
        chromaMean.run(v, to: smoothV, sums: sums)
        LikelihoodKernel.run(u: smoothU, v: smoothV, luma: luma, to: likelihood)
    }

    /// Measures the texture of what has skin's colour.
    func measureTexture() {
        lumaMean.run(luma, to: mean, sums: sums, where: likelihood)
        DeviationKernel.run(luma: luma, mean: mean, likelihood: likelihood, to: deviation)
        edgeSum.run(deviation, to: edges, sums: sums, where: likelihood)
    }

    /// Makes the mask of colour and texture; `isFirst` without regard to the one before.
    func makeMask(isFirst: Bool) {
        textureMean.run(deviation, to: texture, sums: sums, where: likelihood)
        TextureKernel.run(likelihood: likelihood, mean: mean, texture: texture, to: textured)
        maskMean.run(textured, to: target, sums: sums, where: likelihood)
        if isFirst {
            SteadyingKernel.begin(mask, with: target, likelihood: likelihood)
        } else {
            SteadyingKernel.run(mask, towards: target, likelihood: likelihood)
        }
        for y in 0..<mask.height { mask.extend(y) }
    }

    /// Finds what is smooth in it.
    func findFlatness() {
        FlatnessKernel.run(mask: mask, mean: mean, edges: edges, to: flatness)
        for y in 0..<mask.height {
            mean.extend(y)
            flatness.extend(y)
        }
    }
}
