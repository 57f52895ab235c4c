/// What a filter keeps of pictures of one size: the numbers of their cells and blocks, and how they come about.
final class SkinPlanes {
    let width: Int
    let height: Int

    /// Luma of each cell.
    private let luma: CellPlane
    /// How far it is from what surrounds it, and the sum of nine of those.
    private let deviation, edges: CellPlane
    /// The mask, which takes in what skin surrounds, and how much of it is smooth skin.
    let mask, flatness: CellPlane
    /// Luma without pores and noise, where skin is smooth.
    let smoothLuma: CellPlane
    private let aside: CellPlane
    /// Where the mask is not 0.
    let spans: MaskSpans
    /// By how much the mask is lightened.
    let lift: CellPlane
    /// A row of cells.
    private let row: CellPlane
    /// Rows of pixels.
    let pixelRows: CellPlane

    private let blocks: SkinBlocks
    private let size: PictureClass

    /// Planes for pictures of that size. All memory that the filter uses.
    init(pictureWidth: Int, pictureHeight: Int) {
        let (width, height) = ((pictureWidth + 1) / 2, (pictureHeight + 1) / 2)
        func plane() -> CellPlane { CellPlane(width: width, height: height) }
        self.width = pictureWidth
        self.height = pictureHeight
        luma = plane()
        deviation = plane()
        edges = plane()
        flatness = plane()
        mask = plane()
        smoothLuma = plane()
        aside = plane()
        spans = MaskSpans(height: height)
        lift = plane()
        row = CellPlane(width: width, height: 1)
        pixelRows = CellPlane(width: pictureWidth, height: 3)
        size = PictureClass(height: pictureHeight)
        blocks = SkinBlocks(width: (width + 1) / 2, height: (height + 1) / 2, size: size)
    }

    /// Takes in the luma of a picture.
    func take(luma picture: PictureRows) {
        HalvingKernel.run(picture, to: luma)
        blocks.take(luma: luma)
    }

    /// Finds what may be skin by its colour, of the picture whose luma was taken in.
    func findColor(u: PictureRows, v: PictureRows) { blocks.findColor(u: u, v: v) }

    /// Measures edges and texture where there may be skin.
    func measure() { blocks.measure(luma: luma, deviation: deviation) }

    /// Makes the mask; `isFirst` without regard to the one before.
    func makeMask(isFirst: Bool) {
        blocks.makeMask(deviation: deviation, isFirst: isFirst)
        blocks.enlargeMask(to: mask)
        mask.extendRows()
        spans.find(in: mask)
    }

    /// Finds what is smooth in the skin, after its edges were measured.
    func findFlatness() {
        TapKernel.run(SumTap.self, deviation, row: row, spans: spans, to: edges)
        FlatnessKernel.run(
            skin: blocks.skin, mask: mask, luma: luma, edges: edges, spans: spans, limits: size.edgeLimits, to: flatness
        )
        flatness.extendRows()
    }

    /// Finds what luma is without pores and noise where skin is smooth; `coarsely` at a quarter of the work.
    func smooth(coarsely: Bool) {
        if coarsely {
            blocks.enlargeDiffused(to: smoothLuma)
        } else {
            diffuse()
        }
        smoothLuma.extendRows()
    }

    private func diffuse() {
        // In large pictures a third step finds little to do.
        guard !size.isLarge else {
            DiffusionKernel.run(luma, distance: 1, where: flatness, spans: spans, to: aside)
            return DiffusionKernel.run(aside, distance: 2, where: flatness, spans: spans, to: smoothLuma)
        }
        DiffusionKernel.run(luma, distance: 1, where: flatness, spans: spans, to: smoothLuma)
        DiffusionKernel.run(smoothLuma, distance: 2, where: flatness, spans: spans, to: aside)
        DiffusionKernel.run(aside, distance: 4, where: flatness, spans: spans, to: smoothLuma)
    }

    /// Leaves skin as it is, for this picture.
    func leave() {
        for y in 0..<luma.height { smoothLuma.row(y).copy(luma.row(y), count: luma.width) }
        smoothLuma.extendRows()
    }

    /// Finds how much is to be lightened.
    func findLift(_ amounts: BeautyAmounts) {
        LiftKernel.run(luma: smoothLuma, mask: mask, spans: spans, amounts: amounts, to: lift)
        lift.extendRows()
    }
}
