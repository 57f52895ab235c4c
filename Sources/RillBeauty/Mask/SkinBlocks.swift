/// Detects skin in blocks of two by two cells (four by four pixels). Color and texture are averaged over some area
/// anyway, and sensor noise is a quarter of a pixel's.
final class SkinBlocks {
    /// Luma, Cb and Cr of each block, and their blurred versions.
    let luma: CellPlane
    private let u, v, smoothLuma, smoothU, smoothV: CellPlane
    /// How likely a block is skin by its color, and by color and texture.
    private let likelihood, textured: CellPlane
    /// The same without holes.
    private let closed: CellPlane
    /// The deviation of luma from its surroundings, in eighths, and its mean over many blocks.
    private let deviation, texture: CellPlane
    private let aside: CellPlane
    private let row: CellPlane
    /// Two rows: how far each column is from a face.
    private let faceRows: CellPlane

    /// Skin by color and texture, blurred, with rows extended by one sample on both sides.
    let skin: CellPlane
    /// The mask. It includes eyes and lips, and persists from frame to frame, which keeps it steady.
    let mask: CellPlane

    /// The spans where the mask is not 0.
    private let spans: MaskSpans
    private let size: PictureClass

    /// Allocates the planes for that many blocks.
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
        faceRows = CellPlane(width: width, height: 2)
        skin = plane()
        mask = plane()
        spans = MaskSpans(height: height)
        self.size = size
    }

    /// Takes the luma of the cells.
    func take(luma cells: borrowing CellPlane) { HalvingKernel.run(PictureRows(reading: cells), to: luma) }

    /// Measures how far each cell's luma is from its surroundings, where there may be skin.
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

    /// Computes the mask from color and texture; with `isFirst`, without regard to the previous one.
    ///
    /// Where the color is that of a face, texture is no reason against it.
    func makeMask(deviation cells: borrowing CellPlane, faces: FaceFinder?, isFirst: Bool) {
        measureTexture(cells)
        TextureKernel.run(
            likelihood: likelihood, luma: luma, texture: texture, limits: size.textureLimits, to: textured)
        blur(textured, to: skin)
        skin.extendRows()
        let strength = faces?.strength ?? 0
        if strength > 0 { RaisingKernel.run(textured, to: likelihood, atMost: strength) }
        close()
        // Twice: the steps of the closing leave a pattern.
        blur(closed, to: aside)
        blur(aside, distance: 2, to: closed)
        if isFirst {
            SteadyingKernel.begin(mask, with: closed)
        } else {
            SteadyingKernel.run(
                mask, towards: closed, noise: strength == 256 ? SteadyingKernel.noiseOfFaces : SteadyingKernel.noise)
        }
    }

    /// Detects skin by its color: that of any skin, or that of the known faces, found in a plane whose units are
    /// `scale` to a block.
    func findColor(u pictureU: PictureRows, v pictureV: PictureRows, faces: FaceFinder?, scale: Int) {
        HalvingKernel.run(pictureU, to: u)
        HalvingKernel.run(pictureV, to: v)
        blur(u, to: smoothU)
        blur(v, to: smoothV)
        LikelihoodKernel.run(u: smoothU, v: smoothV, luma: luma, to: likelihood)
        guard let faces else { return }
        faces.learn(u: smoothU, v: smoothV, luma: luma, scale: scale)
        let strength = faces.strength
        guard strength > 0 else { return }
        findColor(of: faces, scale)
        FadingKernel.run(likelihood, strength: strength, adding: aside)
    }

    /// Computes how well blocks match the faces. Seams between two other colors can have that of skin: what is narrower
    /// than three blocks does not count.
    private func findColor(of faces: FaceFinder, _ scale: Int) {
        var isAdded = false
        for face in faces.faces where face.strength > 0 {
            guard let color = face.color else { continue }
            SkinColorKernel(color, of: face.region.divided(by: scale), strength: face.strength).run(
                u: smoothU, v: smoothV, luma: luma, rows: faceRows, addsTo: isAdded, to: aside)
            isAdded = true
        }
        TapKernel.run(MinimumTap.self, aside, row: row, to: closed)
        TapKernel.run(MaximumTap.self, closed, row: row, to: aside)
    }

    private func measureTexture(_ cells: borrowing CellPlane) {
        HalvingKernel.run(PictureRows(reading: cells), to: aside)
        DeviationKernel.eighths(of: aside, where: likelihood, to: deviation)
        guard let distance = size.secondTextureDistance else { return blur(deviation, to: texture) }
        blur(deviation, to: aside)
        blur(aside, distance: distance, to: texture)
    }

    /// Closes holes in the skin: first the maximum, then the minimum over a square around each block. What is
    /// narrower than the square and inside skin (an eye with its brow, a nostril, the mouth) becomes part of it if
    /// its color is close to skin. The wall between a face and a hand does not. The outline stays.
    private func close() {
        let (near, far) = size.closingDistances
        TapKernel.run(MaximumTap.self, textured, distance: near, row: row, to: aside)
        TapKernel.run(MaximumTap.self, aside, distance: far, row: row, to: closed)
        TapKernel.run(MinimumTap.self, closed, distance: near, row: row, to: aside)
        TapKernel.run(MinimumTap.self, aside, distance: far, row: row, to: closed)
        TapKernel.run(MaximumTap.self, likelihood, distance: near, row: row, to: aside)
        LimitKernel.run(closed, by: aside)
    }

    private func blur(_ source: borrowing CellPlane, distance: Int = 1, to target: borrowing CellPlane) {
        TapKernel.run(BlurTap.self, source, distance: distance, row: row, to: target)
    }

    /// Computes luma without pores and noise by diffusing the blocks and enlarging them: a quarter of the work.
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
