/// The state of a filter for pictures of one size: the planes of cells and blocks, and the steps that compute them.
final class SkinPlanes {
    let width: Int
    let height: Int

    /// The luma of each cell.
    private let luma: CellPlane
    /// The deviation of luma from its surroundings, and the sum over nine cells; the latter is free once flatness is
    /// known.
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
    /// Finds faces, in pixels of small pictures, cells of medium and blocks of large ones; `nil` without a cascade
    /// until faces are given.
    private var faces: FaceFinder?
    /// The pixels of small pictures, if they are searched.
    private let pixels: CellPlane
    private let hasPixels: Bool
    /// Lips and eyes; `nil` as long as there can be no faces.
    private var features: FaceFeatures?
    private var featureFaces: [FaceFeatures.Face] = []
    /// Cb and Cr of each cell, for features that are found in cells.
    private var chroma: ChromaCells?
    /// The faces that are known and confirmed, in pixels.
    private(set) var knownFaces: [FaceRegion] = []

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
        blocks = SkinBlocks(width: (width + 1) / 2, height: (height + 1) / 2, size: size, looksForFaces: cascade != nil)
        hasPixels = size.isSmall && cascade != nil
        pixels = CellPlane(width: hasPixels ? pictureWidth : 1, height: hasPixels ? pictureHeight : 1)
        if let cascade { faces = finder(cascade) }
    }

    private func finder(_ cascade: FaceCascade?) -> FaceFinder {
        features = FaceFeatures(width: luma.width, height: luma.height, inBlocks: size.isLarge)
        if !size.isLarge { chroma = ChromaCells(width: luma.width, height: luma.height) }
        let unit = size.faceUnit
        return FaceFinder(
            cascade, width: (width + unit - 1) / unit, height: (height + unit - 1) / unit, scale: 4 / unit)
    }

    /// Takes faces that an app found, in pixels.
    func give(_ regions: [FaceRegion]) {
        let finder = faces ?? finder(nil)
        faces = finder
        finder.give(regions.map { $0.divided(by: size.faceUnit) })
    }

    /// Searches the picture whose luma was taken for faces.
    func findFaces(luma picture: PictureRows) {
        guard let faces else { return }
        defer { note(faces.faces) }
        if faces.needsSkin { blocks.findSearched() }
        if size.isLarge {
            faces.advance(blocks.luma, skin: blocks.searched)
        } else if size.isSmall {
            for y in 0..<pixels.height where hasPixels { pixels.row(y).copy(picture.row(y), count: picture.width) }
            faces.advance(pixels, skin: blocks.searched)
        } else {
            faces.advance(luma, skin: blocks.searched)
        }
    }

    /// Searches the picture whose luma was taken until all of it has been looked at, and all that was found twice.
    func lookAhead(luma picture: PictureRows, u: PictureRows, v: PictureRows) {
        guard let faces else { return }
        faces.beginLookingAhead()
        findColor(u: u, v: v)
        for _ in 0..<FaceFinder.greatestLook where faces.isLooking { findFaces(luma: picture) }
        // Their colors.
        findColor(u: u, v: v)
        faces.endLookingAhead()
        note(faces.faces)
    }

    // In place: reading the list costs no memory per frame.
    private func note(_ tracked: [TrackedFace]) {
        knownFaces.removeAll(keepingCapacity: true)
        for face in tracked where face.isPresent && face.isConfirmed {
            knownFaces.append(face.region.multiplied(by: size.faceUnit))
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
        chroma?.take(u: u, v: v)
    }

    /// Measures edges and texture where there may be skin.
    func measure() { blocks.measure(luma: luma, deviation: deviation) }

    /// Computes the mask; with `isFirst`, without regard to the previous one.
    func makeMask(isFirst: Bool) {
        blocks.makeMask(deviation: deviation, faces: faces, isFirst: isFirst)
        blocks.enlargeMask(to: mask)
        mask.extendRows()
        spans.find(in: mask)
        findFeatures(isFirst: isFirst)
    }

    private func findFeatures(isFirst: Bool) {
        guard let faces, let features else { return }
        featureFaces.removeAll(keepingCapacity: true)
        for face in faces.faces where face.featureStrength > 0 {
            guard let color = face.color else { continue }
            // Cells are twice as large as the pixels in which faces of small pictures are found.
            let region = size.isSmall ? face.region.divided(by: 2) : face.region
            featureFaces.append(FaceFeatures.Face(region: region, color: color, strength: face.featureStrength))
        }
        if let chroma {
            features.find(featureFaces, luma: luma, u: chroma.u, v: chroma.v, isFirst: isFirst)
        } else {
            features.find(featureFaces, luma: blocks.luma, u: blocks.u, v: blocks.v, isFirst: isFirst)
        }
    }

    /// Computes where skin is smooth, after its edges were measured.
    func findFlatness() {
        TapKernel.run(SumTap.self, deviation, row: row, spans: spans, to: edges)
        FlatnessKernel.run(
            skin: blocks.skin, mask: mask, luma: luma, edges: edges, spans: spans, limits: size.edgeLimits, to: flatness
        )
        features?.spare(flatness, offset: 0)
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
        let fineness = blocks.fineness
        guard fineness > 0 else {
            return DiffusionKernel.run(aside, distance: 4, where: flatness, spans: spans, to: smoothLuma)
        }
        // Seven cells are much of a small face, which would become flat: its parts are not equally lightened then.
        DiffusionKernel.run(aside, distance: 4, where: flatness, spans: spans, to: edges)
        MixingKernel.run(smoothLuma, edges, share: 256 - fineness * 5 / 8, to: smoothLuma)
    }

    /// Leaves skin unchanged for this picture.
    func leave() {
        for y in 0..<luma.height { smoothLuma.row(y).copy(luma.row(y), count: luma.width) }
        smoothLuma.extendRows()
    }

    /// Computes how much each cell is lightened: no part of a face more than its highlights can be.
    func findLift(_ wanted: BeautyAmounts) {
        var amounts = wanted
        for face in faces?.faces ?? [] {
            guard let color = face.color else { continue }
            let limited = wanted.limited(byHighlight: color.highlight, strength: face.highlightStrength)
            if limited.lift < amounts.lift { amounts = limited }
        }
        LiftKernel.run(luma: smoothLuma, mask: mask, spans: spans, amounts: amounts, to: lift)
        features?.spare(lift, offset: 4)
        features?.brightenEyes(lift, luma: luma, mask: mask, amount: amounts.eyeLift)
        lift.extendRows()
    }

    /// Corrects Cr, which was reddened where the mask is, in lips and eyes.
    func colorLips(_ source: PictureRows, _ amounts: BeautyAmounts, in target: PictureRows) {
        features?.color(source, amount: amounts.lipColor, in: target)
    }
}

/// Chroma with room around each row, for kernels that look at neighbors.
private final class ChromaCells {
    let u, v: CellPlane

    init(width: Int, height: Int) {
        u = CellPlane(width: width, height: height)
        v = CellPlane(width: width, height: height)
    }

    func take(u pictureU: PictureRows, v pictureV: PictureRows) {
        for y in 0..<u.height { u.row(y).copy(pictureU.row(y), count: u.width) }
        for y in 0..<v.height { v.row(y).copy(pictureV.row(y), count: v.width) }
    }
}

/// The skin of each block by one method: by the color of all skin, or by that of the known faces.
final class SkinLayer {
    /// How likely a block is skin by its color.
    let likelihood: CellPlane
    /// How likely it is by color and texture, blurred.
    let skin: CellPlane
    /// The mask. It includes eyes and lips, and persists from frame to frame, which keeps it steady.
    let mask: CellPlane
    /// Whether the mask is that of the previous frame.
    var hasMask = false

    /// Allocates the planes for that many blocks.
    init(width: Int, height: Int) {
        likelihood = CellPlane(width: width, height: height)
        skin = CellPlane(width: width, height: height)
        mask = CellPlane(width: width, height: height)
    }

    /// Moves the mask towards that of a new frame.
    func steady(towards target: borrowing CellPlane, noise: UInt8) {
        if hasMask {
            SteadyingKernel.run(mask, towards: target, noise: noise)
        } else {
            SteadyingKernel.begin(mask, with: target)
        }
        hasMask = true
    }
}
