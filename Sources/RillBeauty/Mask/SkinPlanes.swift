/// What a filter keeps of pictures of one size: the numbers of their cells, and how they come about.
final class SkinPlanes {
    let width: Int
    let height: Int

    /// Cb and Cr of each cell, and their means over a neighbourhood.
    let u, v, smoothU, smoothV: CellPlane
    /// The likelihood by colour less where the texture is not skin's; and that blurred.
    let textured, target: CellPlane
    /// The mask: steady in time, so it lasts from frame to frame.
    let mask: CellPlane
    /// How much is smooth skin.
    let flatness: CellPlane
    /// A row of luma.
    let blurred: CellPlane
    /// What is measured of luma in each cell.
    let statistics: CellStatistics
    /// The same of four cells at once.
    private let coarse: CellStatistics

    private let chromaMean = BoxKernel(meanOverRadius: 2)
    private let maskMean = BoxKernel(meanOverRadius: 2)
    private let textureAllowance, edgeAllowance: UInt8

    /// Planes for pictures of that size. All memory that the filter uses.
    init(pictureWidth: Int, pictureHeight: Int) {
        let (width, height) = ((pictureWidth + 1) / 2, (pictureHeight + 1) / 2)
        func plane() -> CellPlane { CellPlane(width: width, height: height) }
        self.width = pictureWidth
        self.height = pictureHeight
        u = plane()
        v = plane()
        smoothU = plane()
        smoothV = plane()
        textured = plane()
        target = plane()
        mask = plane()
        flatness = plane()
        blurred = CellPlane(width: pictureWidth, height: 1)
        // What a face measures goes with the picture. Beyond 720 lines the radius stays, and with it the cost of a pixel.
        let radius = pictureHeight < 300 ? 1 : pictureHeight < 600 ? 2 : 3
        statistics = CellStatistics(width: width, height: height, radius: radius)
        coarse = CellStatistics(width: (width + 1) / 2, height: (height + 1) / 2, radius: (radius + 1) / 2)
        // In small pictures a face is a few cells, and what they differ by is its shape.
        textureAllowance = radius == 1 ? 80 : radius == 2 ? 31 : 27
        edgeAllowance = radius == 1 ? 50 : radius == 2 ? 32 : 28
    }

    /// Finds skin by its colour.
    func findColor() {
        chromaMean.run(u, to: smoothU, sums: statistics.sums)
        chromaMean.run(v, to: smoothV, sums: statistics.sums)
        LikelihoodKernel.run(u: smoothU, v: smoothV, luma: statistics.luma, to: statistics.likelihood)
    }

    /// Measures what has skin's colour; `coarsely` at a quarter of the work.
    func measureEdges(coarsely: Bool) {
        guard coarsely else { return statistics.measureEdges() }
        HalvingKernel.run(PictureRows(reading: statistics.luma), to: coarse.luma)
        HalvingKernel.run(PictureRows(reading: statistics.likelihood), to: coarse.likelihood)
        coarse.measureEdges()
        DoublingKernel.run(coarse.mean, to: statistics.mean)
        DoublingKernel.run(coarse.edges, to: statistics.edges)
    }

    /// Makes the mask of colour and texture; `isFirst` without regard to the one before.
    func makeMask(isFirst: Bool, coarsely: Bool) {
        if coarsely {
            coarse.measureTexture()
            DoublingKernel.run(coarse.texture, to: statistics.texture)
        } else {
            statistics.measureTexture()
        }
        TextureKernel.run(
            likelihood: statistics.likelihood, mean: statistics.mean, texture: statistics.texture,
            allowance: textureAllowance, to: textured)
        maskMean.run(textured, to: target, sums: statistics.sums, where: statistics.likelihood)
        if isFirst {
            SteadyingKernel.begin(mask, with: target)
        } else {
            SteadyingKernel.run(mask, towards: target, likelihood: statistics.likelihood)
        }
        for y in 0..<mask.height { mask.extend(y) }
    }

    /// Finds what is smooth in it.
    func findFlatness() {
        FlatnessKernel.run(
            mask: mask, mean: statistics.mean, edges: statistics.edges,
            allowance: edgeAllowance, to: flatness)
        for y in 0..<mask.height {
            statistics.mean.extend(y)
            flatness.extend(y)
        }
    }
}
