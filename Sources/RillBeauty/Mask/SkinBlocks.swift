/// What decides where skin is, in blocks of two by two cells (four by four pixels): colour and texture are means over some
/// area in any case, and sensor noise is a quarter of a pixel's.
final class SkinBlocks {
    /// Luma, Cb and Cr of each block, and blurred.
    private let luma, u, v, smoothLuma, smoothU, smoothV: CellPlane
    /// How much a block is skin by its colour, and by its texture too.
    private let likelihood, textured: CellPlane
    /// The same without holes.
    private let closed: CellPlane
    /// How far luma is from its surroundings, in eighths, and as a mean over many blocks.
    private let deviation, texture: CellPlane
    private let aside: CellPlane
    private let row: CellPlane

    /// How much is skin by colour and texture, blurred, with rows continued by a sample on both sides.
    let skin: CellPlane
    /// The mask: eyes and lips belong to it, and it is steady in time, so it lasts from frame to frame.
    let mask: CellPlane

    /// Where the mask is not 0.
    private let spans: MaskSpans
    private let size: PictureClass

    /// Planes for so many blocks.
    init(width: Int, height: Int, size: PictureClass) {
        func plane() -> CellPlane { CellPlane(width: width, height: height) }
        luma = plane()
        u = plane()
        v = plane()
        smoothLuma = plane()
        smoothU = plane()
        smoothV = plane()
        likelihood = plane()
        textured = plane()
        closed = plane()
        deviation = plane()
        texture = plane()
        aside = plane()
        row = CellPlane(width: width, height: 1)
        skin = plane()
        mask = plane()
        spans = MaskSpans(height: height)
        self.size = size
    }

    /// Takes in the luma of cells.
    func take(luma cells: borrowing CellPlane) { HalvingKernel.run(PictureRows(reading: cells), to: luma) }

    /// Measures how far each cell's luma is from what surrounds it, where there may be skin.
    func measure(luma cells: borrowing CellPlane, deviation: borrowing CellPlane) {
        if size.isLarge {
            blur(luma, to: smoothLuma)
            smoothLuma.extendRows()
            DeviationKernel.run(luma: cells, surroundings: smoothLuma, where: likelihood, to: deviation)
        } else {
            luma.extendRows()
            DeviationKernel.run(luma: cells, surroundings: luma, where: likelihood, to: deviation)
        }
    }

    /// Makes the mask of colour and texture; `isFirst` without regard to the one before.
    func makeMask(deviation cells: borrowing CellPlane, isFirst: Bool) {
        measureTexture(cells)
        TextureKernel.run(
            likelihood: likelihood, luma: luma, texture: texture, limits: size.textureLimits, to: textured)
        blur(textured, to: skin)
        skin.extendRows()
        close()
        // Twice: the steps of the closing leave a pattern.
        blur(closed, to: aside)
        blur(aside, distance: 2, to: closed)
        if isFirst {
            SteadyingKernel.begin(mask, with: closed)
        } else {
            SteadyingKernel.run(mask, towards: closed)
        }
    }

    /// Finds skin by its colour.
    func findColor(u pictureU: PictureRows, v pictureV: PictureRows) {
        HalvingKernel.run(pictureU, to: u)
        HalvingKernel.run(pictureV, to: v)
        blur(u, to: smoothU)
        blur(v, to: smoothV)
        LikelihoodKernel.run(u: smoothU, v: smoothV, luma: luma, to: likelihood)
    }

    private func measureTexture(_ cells: borrowing CellPlane) {
        HalvingKernel.run(PictureRows(reading: cells), to: aside)
        DeviationKernel.eighths(of: aside, where: likelihood, to: deviation)
        guard let distance = size.secondTextureDistance else { return blur(deviation, to: texture) }
        blur(deviation, to: aside)
        blur(aside, distance: distance, to: texture)
    }

    /// Closes the holes of what is skin: first the greatest, then the least of the squares around each block. What is
    /// narrower than the square and lies within skin (an eye with its brow, a nostril, the mouth) belongs to it then, as far
    /// as it is near to skin's colour; between a face and a hand before it the wall does not. The outline stays.
    private func close() {
        let (near, far) = size.closingDistances
        TapKernel.run(GreatestTap.self, textured, distance: near, row: row, to: aside)
        TapKernel.run(GreatestTap.self, aside, distance: far, row: row, to: closed)
        TapKernel.run(LeastTap.self, closed, distance: near, row: row, to: aside)
        TapKernel.run(LeastTap.self, aside, distance: far, row: row, to: closed)
        TapKernel.run(GreatestTap.self, likelihood, distance: near, row: row, to: aside)
        LimitKernel.run(closed, by: aside)
    }

    private func blur(_ source: borrowing CellPlane, distance: Int = 1, to target: borrowing CellPlane) {
        TapKernel.run(BlurTap.self, source, distance: distance, row: row, to: target)
    }

    /// Luma without pores and noise, diffused by blocks and enlarged: a quarter of the work.
    func enlargeDiffused(to cells: borrowing CellPlane) {
        DiffusionKernel.run(luma, distance: 1, where: skin, to: aside)
        DiffusionKernel.run(aside, distance: 2, where: skin, to: closed)
        closed.extendRows()
        EnlargingKernel.run(closed, to: cells)
    }

    /// Enlarges the mask.
    func enlargeMask(to cells: borrowing CellPlane) {
        spans.find(in: mask)
        mask.extendRows()
        EnlargingKernel.run(mask, spans: spans, to: cells)
    }
}
