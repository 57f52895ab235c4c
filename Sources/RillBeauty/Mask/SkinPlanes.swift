/// The state of a filter for pictures of one size: the planes of cells and blocks, and the steps that compute them.
final class SkinPlanes {
    let width: Int
    let height: Int

    /// The luma of each cell.
    private let luma: CellPlane
    /// The deviation of luma from its surroundings, and the sum over nine cells.
    private let deviation, edges: CellPlane
    /// The mask, which includes what skin surrounds, and how much of it is smooth skin.
    let mask, flatness: CellPlane
    /// The luma without pores and noise, where skin is smooth.
    let smoothLuma: CellPlane
    private let aside: CellPlane
    /// The spans where the mask is not 0.
    let spans: MaskSpans
    /// How much each cell of the mask is lightened.
    let lift: CellPlane
    /// A row of cells.
    private let row: CellPlane
    /// Rows of pixels.
    let pixelRows: CellPlane

    private let blocks: SkinBlocks
    private let size: PictureClass
    /// Finds faces, in pixels of small pictures, cells of medium and blocks of large ones; `nil` without a cascade.
    private let faces: FaceFinder?
    /// The pixels of small pictures.
    private let pixels: CellPlane

    /// Allocates the planes for pictures of that size. This is all memory that the filter uses.
    init(pictureWidth: Int, pictureHeight: Int, cascade: FaceCascade?) {
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
        let unit = size.faceUnit
        let isSmall = unit == 1 && cascade != nil
        pixels = CellPlane(width: isSmall ? pictureWidth : 1, height: isSmall ? pictureHeight : 1)
        faces = cascade.map {
            FaceFinder($0, width: (pictureWidth + unit - 1) / unit, height: (pictureHeight + unit - 1) / unit)
        }
    }

    /// The faces that were found and confirmed, in pixels.
    var foundFaces: [FaceRegion] {
        (faces?.faces ?? []).filter { $0.isPresent && $0.isConfirmed }.map { $0.region.multiplied(by: size.faceUnit) }
    }

    /// Searches the picture whose luma was taken for faces.
    func findFaces(luma picture: PictureRows) {
        guard let faces else { return }
        switch size {
        case .small:
            for y in 0..<picture.height { pixels.row(y).copy(picture.row(y), count: picture.width) }
            faces.advance(pixels)
        case .medium: faces.advance(luma)
        case .large: faces.advance(blocks.luma)
        }
    }

    /// Takes the luma of a picture.
    func take(luma picture: PictureRows) {
        HalvingKernel.run(picture, to: luma)
        blocks.take(luma: luma)
    }

    /// Detects skin by its color, in the picture whose luma was taken.
    func findColor(u: PictureRows, v: PictureRows) {
        blocks.findColor(u: u, v: v, faces: faces, scale: 4 / size.faceUnit)
    }

    /// Measures edges and texture where there may be skin.
    func measure() { blocks.measure(luma: luma, deviation: deviation) }

    /// Computes the mask; with `isFirst`, without regard to the previous one.
    func makeMask(isFirst: Bool) {
        blocks.makeMask(deviation: deviation, faces: faces, isFirst: isFirst)
        blocks.enlargeMask(to: mask)
        mask.extendRows()
        spans.find(in: mask)
    }

    /// Computes where skin is smooth, after its edges were measured.
    func findFlatness() {
        TapKernel.run(SumTap.self, deviation, row: row, spans: spans, to: edges)
        FlatnessKernel.run(
            skin: blocks.skin, mask: mask, luma: luma, edges: edges, spans: spans, limits: size.edgeLimits, to: flatness
        )
        flatness.extendRows()
    }

    /// Computes luma without pores and noise where skin is smooth; with `coarsely`, at a quarter of the work.
    func smooth(coarsely: Bool) {
        if coarsely {
            blocks.enlargeDiffused(to: smoothLuma)
        } else {
            diffuse()
        }
        smoothLuma.extendRows()
    }

    private func diffuse() {
        // In large pictures a third step has little effect.
        guard !size.isLarge else {
            DiffusionKernel.run(luma, distance: 1, where: flatness, spans: spans, to: aside)
            return DiffusionKernel.run(aside, distance: 2, where: flatness, spans: spans, to: smoothLuma)
        }
        DiffusionKernel.run(luma, distance: 1, where: flatness, spans: spans, to: smoothLuma)
        DiffusionKernel.run(smoothLuma, distance: 2, where: flatness, spans: spans, to: aside)
        DiffusionKernel.run(aside, distance: 4, where: flatness, spans: spans, to: smoothLuma)
    }

    /// Leaves skin unchanged for this picture.
    func leave() {
        for y in 0..<luma.height { smoothLuma.row(y).copy(luma.row(y), count: luma.width) }
        smoothLuma.extendRows()
    }

    /// Computes how much each cell is lightened.
    func findLift(_ amounts: BeautyAmounts) {
        LiftKernel.run(luma: smoothLuma, mask: mask, spans: spans, amounts: amounts, to: lift)
        lift.extendRows()
    }
}
