/// Detects skin in blocks of two by two cells (four by four pixels). Color and texture are averaged over some area
/// anyway, and sensor noise is a quarter of a pixel's.
final class SkinBlocks {
    /// Luma, Cb and Cr of each block, and their blurred versions.
    let luma, u, v: CellPlane
    private let smoothLuma, smoothU, smoothV: CellPlane
    /// Skin by the color of all skin, and by that of the known faces.
    private let general, learned: SkinLayer
    /// How much the latter counts, from 0 to 256.
    private var share = 0
    /// How much the former counts where the latter does not, from 0 to 256: nothing where faces are looked for, and
    /// less and less once an app gives some.
    private var trust: Int
    /// The units of a face that a block has.
    private var faceScale = 1
    /// The side of the largest face.
    private var faceSide = 0
    /// How coarsely the faces are looked at; see ``coarseness(of:_:)``. It changes slowly, so that nothing jumps.
    private var coarseness = 256
    /// How likely a block is skin by color and texture, and the same without holes.
    private let textured, closed: CellPlane
    /// No skin at all.
    private let none: CellPlane
    /// The deviation of luma from its surroundings, in eighths, and its mean over many blocks.
    private let deviation, texture: CellPlane
    private let aside: CellPlane
    /// Where faces are searched for.
    let searched: CellPlane
    private let row: CellPlane
    /// Three rows: how far each column is from a face.
    private let faceRows: CellPlane

    /// Skin by color and texture, blurred, with rows extended by one sample on both sides.
    let skin: CellPlane
    /// The mask, which includes eyes and lips.
    let mask: CellPlane

    /// The spans where the mask is not 0.
    private let spans: MaskSpans
    private let size: PictureClass

    /// Allocates the planes for that many blocks. With `looksForFaces` the color of all skin does not count.
    init(width: Int, height: Int, size: PictureClass, looksForFaces: Bool) {
        func plane() -> CellPlane { CellPlane(width: width, height: height) }
        luma = plane()
        u = plane()
        v = plane()
        smoothLuma = plane()
        smoothU = plane()
        smoothV = plane()
        general = SkinLayer(width: width, height: height)
        learned = SkinLayer(width: width, height: height)
        textured = plane()
        closed = plane()
        none = plane()
        deviation = plane()
        texture = plane()
        aside = plane()
        searched = plane()
        row = CellPlane(width: width, height: 1)
        faceRows = CellPlane(width: width, height: 3)
        skin = plane()
        mask = plane()
        spans = MaskSpans(height: height)
        self.size = size
        trust = looksForFaces ? 0 : 256
    }

    /// Finds where the last picture whose color was detected may have skin, for a search.
    func findSearched() { LikelihoodKernel.run(u: smoothU, v: smoothV, luma: luma, to: searched) }

    /// Takes the luma of the cells.
    func take(luma cells: borrowing CellPlane) { HalvingKernel.run(PictureRows(reading: cells), to: luma) }

    /// Detects skin by its color: that of any skin, or that of the known faces, found in a plane whose units are
    /// `scale` to a block.
    func findColor(u pictureU: PictureRows, v pictureV: PictureRows, faces: FaceFinder?, scale: Int) {
        HalvingKernel.run(pictureU, to: u)
        HalvingKernel.run(pictureV, to: v)
        blur(u, to: smoothU)
        blur(v, to: smoothV)
        faces?.learn(u: smoothU, v: smoothV, luma: luma, scale: scale)
        let before = share
        share = faces?.strength ?? 0
        if faces != nil { loseTrust(shareWas: before) }
        faceScale = scale
        if usesGeneral { LikelihoodKernel.run(u: smoothU, v: smoothV, luma: luma, to: general.likelihood) }
        if let faces, share > 0 { findColor(of: faces, scale) }
    }

    /// Lets the color of all skin count less where faces are known of. Not while the share changes: one of both at a
    /// time changes a pixel by a code value a frame.
    private func loseTrust(shareWas before: Int) {
        if share == 256 {
            trust = 0
        } else if share == before {
            trust = max(0, trust - Self.step)
        }
    }

    private var usesGeneral: Bool { share < 256 && trust > 0 }

    /// Computes how well blocks match the faces.
    private func findColor(of faces: FaceFinder, _ scale: Int) {
        var isAdded = false
        let isAlone = faces.faces.count { $0.strength > 0 } == 1
        faceSide = 0
        var greatest = 0
        for face in faces.faces where face.strength > 0 {
            guard let color = face.color else { continue }
            faceSide = max(faceSide, face.region.side / scale)
            let kernel = SkinColorKernel(
                color, of: face.region.divided(by: scale), strength: face.strength * 256 / share)
            let blur = Self.coarseness(of: face.region, scale)
            greatest = max(greatest, blur)
            if blur == 256, face.region.side >= SkinColorKernel.largeSide * scale, isAlone {
                kernel.runCoarsely(u: smoothU, v: smoothV, luma: luma, rows: faceRows, to: aside)
            } else if blur == 256 {
                kernel.run(u: smoothU, v: smoothV, luma: luma, rows: faceRows, addsTo: isAdded, to: aside)
            } else {
                MixingKernel.run(u, smoothU, share: blur, to: closed)
                MixingKernel.run(v, smoothV, share: blur, to: textured)
                kernel.run(u: closed, v: textured, luma: luma, rows: faceRows, addsTo: isAdded, to: aside)
            }
            isAdded = true
        }
        coarseness = learned.hasMask ? max(coarseness - Self.step, min(coarseness + Self.step, greatest)) : greatest
        removeSeams()
    }

    /// The change of coarseness per mask.
    private static let step = 4

    /// How coarsely a face is looked at, from 0 to 256. A large one can do with a blurred color, which has less noise.
    /// The hand of one that is eight blocks wide has four, and a blur would leave little of it.
    private static func coarseness(of face: FaceRegion, _ scale: Int) -> Int {
        max(0, min(256, (face.side - 8 * scale) * 64 / scale))
    }

    /// Seams between two other colors can have the color of skin. Areas narrower than three blocks do not count, and
    /// while faces are small, those narrower than two.
    private func removeSeams() {
        if coarseness < 256 {
            PairKernel.run(MinimumTap.self, aside, .rightAndBelow, row: row, to: closed)
            PairKernel.run(MaximumTap.self, closed, .leftAndAbove, row: row, to: textured)
        }
        TapKernel.run(MinimumTap.self, aside, row: row, to: closed)
        TapKernel.run(MaximumTap.self, closed, row: row, to: learned.likelihood)
        if coarseness < 256 {
            MixingKernel.run(textured, learned.likelihood, share: coarseness, to: learned.likelihood)
        }
    }

    /// Measures how far each cell's luma is from its surroundings, where there may be skin, and so near to it that
    /// nothing depends on what is not measured.
    func measure(luma cells: borrowing CellPlane, deviation: borrowing CellPlane) {
        switch (usesGeneral, share > 0) {
        case (false, false): LimitKernel.run(aside, by: none)
        case (false, true): TapKernel.run(MaximumTap.self, learned.likelihood, distance: 2, row: row, to: aside)
        case (true, false): TapKernel.run(MaximumTap.self, general.likelihood, distance: 2, row: row, to: aside)
        case (true, true):
            MixingKernel.run(general.likelihood, learned.likelihood, share: 128, to: closed)
            TapKernel.run(MaximumTap.self, closed, distance: 2, row: row, to: aside)
        }
        if size.isLarge {
            blur(luma, to: smoothLuma)
            smoothLuma.extendRows()
            DeviationKernel.run(luma: cells, surroundings: smoothLuma, where: aside, to: deviation)
        } else {
            luma.extendRows()
            DeviationKernel.run(luma: cells, surroundings: luma, where: aside, to: deviation)
        }
    }

    /// Computes the mask from color and texture; with `isFirst`, without regard to the previous one.
    func makeMask(deviation cells: borrowing CellPlane, faces: FaceFinder?, isFirst: Bool) {
        if isFirst || !usesGeneral { general.hasMask = false }
        if isFirst || share == 0 { learned.hasMask = false }
        if usesGeneral { makeGeneralMask(cells) }
        if share > 0 {
            makeLearnedMask(cells, faces)
            faces?.follow(learned.mask)
        }
        // Smoothing and lightening change by turns, so that a fading mask does not change a pixel by both at once.
        let (even, odd) = (share & ~7, min(256, (share + 4) & ~7))
        mix(general.mask, trust & ~7, learned.mask, share: even, rim: rim, to: mask)
        if share == 256 {
            LimitKernel.run(learned.skin, by: mask, to: skin)
        } else {
            limitLearnedSkin()
            mix(general.skin, min(256, (trust + 4) & ~7), learned.skin, share: odd, rim: nil, to: skin)
        }
        skin.extendRows()
    }

    /// Mixes a plane by the color of all skin, as far as that is trusted, and one by the color of the known faces.
    private func mix(
        _ general: borrowing CellPlane, _ trust: Int, _ learned: borrowing CellPlane, share: Int, rim: UInt8?,
        to target: borrowing CellPlane
    ) {
        switch trust {
        case 0: MixingKernel.run(none, learned, share: share, rim: rim, to: target)
        case 256: MixingKernel.run(general, learned, share: share, rim: rim, to: target)
        default:
            MixingKernel.run(none, general, share: trust, to: textured)
            MixingKernel.run(textured, learned, share: share, rim: rim, to: target)
        }
    }

    private func makeGeneralMask(_ cells: borrowing CellPlane) {
        leaveTexture(cells, of: general)
        let (near, far) = size.closingDistances
        close(textured, near, far, limit: general.likelihood, near)
        // Twice: the steps of the closing leave a pattern.
        blur(closed, to: aside)
        blur(aside, distance: 2, to: closed)
        general.steady(towards: closed, noise: SteadyingKernel.noise)
        LimitKernel.run(general.skin, by: general.mask)
    }

    /// Where the color is that of a face, texture is no reason against it; but what is coarse is not smoothed.
    private func makeLearnedMask(_ cells: borrowing CellPlane, _ faces: FaceFinder?) {
        leaveTexture(cells, of: learned)
        if let faces { leaveHair(faces) }
        // An eye with its brow is a third of the face high.
        let reach = max(2, min(10, faceSide / 6))
        let near = max(1, reach / 3)
        close(learned.likelihood, near, reach - near, limit: learned.likelihood, max(1, reach / 2))
        blur(closed, to: aside)
        if coarseness < 256 {
            MixingKernel.run(closed, aside, share: coarseness, to: closed)
            LimitKernel.run(aside, atLeast: closed)
        }
        learned.steady(towards: aside, noise: SteadyingKernel.noiseOfFaces)
    }

    private func limitLearnedSkin() {
        guard share > 0 else { return }
        MixingKernel.run(learned.mask, learned.mask, share: 256, rim: rim, to: closed)
        LimitKernel.run(learned.skin, by: closed)
    }

    /// The forehead of a face of eight blocks is one block high, and most of it would be rim: that moves outwards by a
    /// third of a block.
    private var rim: UInt8 { MixingKernel.evenRim - UInt8((256 - coarseness) * 28 / 256) }

    /// How much less skin is smoothed because faces are small, from 0 to 256.
    var fineness: Int { (256 - coarseness) * share / 256 }

    private func leaveHair(_ faces: FaceFinder) {
        for face in faces.faces where face.strength > 0 {
            HairKernel.run(learned.likelihood, textured: textured, above: face.region.divided(by: faceScale))
        }
    }

    /// Limits the likelihood of skin by its texture, and smooths it.
    private func leaveTexture(_ cells: borrowing CellPlane, of layer: SkinLayer) {
        measureTexture(cells, where: layer.likelihood)
        TextureKernel.run(
            likelihood: layer.likelihood, luma: luma, texture: texture, limits: size.textureLimits, to: textured)
        blur(textured, to: layer.skin)
    }

    private func measureTexture(_ cells: borrowing CellPlane, where likelihood: borrowing CellPlane) {
        HalvingKernel.run(PictureRows(reading: cells), to: aside)
        DeviationKernel.eighths(of: aside, where: likelihood, to: deviation)
        guard let distance = size.secondTextureDistance else { return blur(deviation, to: texture) }
        blur(deviation, to: aside)
        blur(aside, distance: distance, to: texture)
    }

    /// Closes holes in the skin: first the maximum, then the minimum over a square around each block. An area inside
    /// skin that is narrower than the square (an eye with its brow, a nostril, the mouth) becomes part of it if its
    /// color is close to skin. The wall between a face and a hand does not. The outline stays.
    private func close(
        _ skin: borrowing CellPlane, _ near: Int, _ far: Int, limit: borrowing CellPlane, _ reach: Int
    ) {
        TapKernel.run(MaximumTap.self, skin, distance: near, row: row, to: aside)
        TapKernel.run(MaximumTap.self, aside, distance: far, row: row, to: closed)
        TapKernel.run(MinimumTap.self, closed, distance: near, row: row, to: aside)
        TapKernel.run(MinimumTap.self, aside, distance: far, row: row, to: closed)
        TapKernel.run(MaximumTap.self, limit, distance: reach, row: row, to: aside)
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
