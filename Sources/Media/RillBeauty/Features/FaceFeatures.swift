/// The positions of lips and eyes in the known faces.
///
/// The face's square limits the positions, and the pixels determine them: see ``FeatureKernel``. They are searched
/// with each new mask: in cells, but in blocks of large pictures, where a mouth is as many blocks high as it is cells
/// in others. Memory is allocated once.
final class FaceFeatures {
    private let lips, eyes: FeatureMap
    /// Their weights per cell: copies of twice the size where they are looked for in blocks.
    private let lipCells, eyeCells: FeatureMap.Weights
    private let inBlocks: Bool
    private let hue, scores: CellPlane
    private let width, height: Int
    private var sums: [Int32]
    private var pictureCount = 0

    /// Allocates planes of that many cells; with `inBlocks`, most of them a quarter as large.
    init(width: Int, height: Int, inBlocks: Bool) {
        (self.width, self.height, self.inBlocks) = (width, height, inBlocks)
        let size = inBlocks ? ((width + 1) / 2, (height + 1) / 2) : (width, height)
        lips = FeatureMap(width: size.0, height: size.1)
        eyes = FeatureMap(width: size.0, height: size.1)
        lipCells = inBlocks ? FeatureMap.Weights(width: width, height: height) : lips.weights
        eyeCells = inBlocks ? FeatureMap.Weights(width: width, height: height) : eyes.weights
        hue = CellPlane(width: size.0, height: size.1)
        scores = CellPlane(width: size.0, height: size.1)
        sums = [Int32](repeating: 0, count: size.0)
    }

    /// A face whose colors are known.
    struct Face {
        /// In units of the planes that are looked at.
        var region: FaceRegion
        var color: SkinColor
        var strength: Int
    }

    // MARK: Finding

    /// Finds them in the next picture; with `isFirst`, without regard to the previous one.
    func find(
        _ faces: [Face], luma: borrowing CellPlane, u: borrowing CellPlane, v: borrowing CellPlane, isFirst: Bool
    ) {
        pictureCount &+= 1
        let takesTurns = inBlocks && !isFirst && FaceFeatures.canTakeTurns(faces)
        let (findsLips, findsEyes) = (!takesTurns || pictureCount % 2 == 0, !takesTurns || pictureCount % 2 != 0)
        for face in faces {
            let mean = FaceFeatures.meanLuma(luma, in: face.region)
            if findsEyes { findEyes(face, mean, luma) }
            if findsLips { findLips(face, mean, luma, u, v) }
        }
        if findsLips { lips.converge(isFirst: isFirst) }
        if findsEyes { eyes.converge(isFirst: isFirst) }
        let isShared = eyes.part(from: lips)
        guard inBlocks else { return }
        if findsLips || isShared { lips.enlarge(to: lipCells.plane) }
        if findsEyes || isShared { eyes.enlarge(to: eyeCells.plane) }
    }

    /// Whether lips are looked for in one picture and eyes in the next: as long as large faces do not come or go. Their
    /// weights follow what is seen at half the pace.
    private static func canTakeTurns(_ faces: [Face]) -> Bool {
        !faces.isEmpty && faces.allSatisfy { $0.strength == 256 && $0.region.side >= largeSide }
    }

    /// The least width of large faces: that of 256 pixels in blocks.
    private static let largeSide = SkinColorKernel.largeSide

    private func findEyes(_ face: Face, _ mean: UInt8, _ luma: borrowing CellPlane) {
        let (region, side) = (face.region, face.region.side)
        // Both eyes with their brows: half of the width beyond the middle, and a little.
        let window = FeatureWindow(
            centerX: region.x + side / 2, centerY: region.y + side * 38 / 100, innerX: side * 50 / 100,
            outerX: side * 62 / 100, innerY: side * 16 / 100, outerY: side * 28 / 100)
        let area = CellArea(columns: window.columns, rows: window.rows, of: luma)
        FeatureKernel.run(
            .eyes, hue: hue, luma: luma, mean: mean, distance: max(1, side * 20 / 100), area, to: scores)
        eyes.add(scores, area, window, strength: face.strength)
    }

    private func findLips(
        _ face: Face, _ mean: UInt8, _ luma: borrowing CellPlane, _ u: borrowing CellPlane, _ v: borrowing CellPlane
    ) {
        let (region, side) = (face.region, face.region.side)
        let distance = max(1, side * 14 / 100)
        let columns = region.x + side * 5 / 100..<region.x + side * 95 / 100 + 1
        let rows = region.y + side * 58 / 100..<region.y + side * 120 / 100 + 1
        let area = CellArea(columns: columns, rows: rows, of: luma)
        guard !area.isEmpty else { return }
        let around = CellArea(
            columns: columns, rows: rows.lowerBound - distance..<rows.upperBound + distance, of: luma)
        for y in max(0, around.rows.lowerBound - 1)..<min(luma.height, around.rows.upperBound + 1) {
            u.extend(y)
            v.extend(y)
        }
        HueKernel.run(
            u: u, v: v, HueKernel.Direction(red: face.color.red, yellow: face.color.yellow), around, to: hue)
        FeatureKernel.run(.lips, hue: hue, luma: luma, mean: mean, distance: distance, area, to: scores)
        guard let mouth = MouthPlace.find(scores, in: region, &sums) else { return }
        let window = FeatureWindow(
            centerX: mouth.x, centerY: mouth.y, innerX: side * 20 / 100, outerX: side * 30 / 100,
            innerY: side * 8 / 100, outerY: side * 16 / 100)
        // The scores end where the area does.
        let columnsHere = window.columns.clamped(to: columns)
        let rowsHere = window.rows.clamped(to: rows)
        lips.add(
            scores, CellArea(columns: columnsHere, rows: rowsHere, of: luma), window, strength: face.strength)
    }

    /// The mean of a face's middle, of some hundred cells.
    private static func meanLuma(_ luma: borrowing CellPlane, in face: FaceRegion) -> UInt8 {
        let columns = (face.x + face.side / 4..<face.x + face.side * 3 / 4 + 1).clamped(to: 0..<luma.width)
        let rows = (face.y + face.side / 10..<face.y + face.side + 1).clamped(to: 0..<luma.height)
        let step = max(1, face.side / 16)
        var (sum, count) = (0, 0)
        for y in stride(from: rows.lowerBound, to: rows.upperBound, by: step) {
            let row = luma.row(y)
            for x in stride(from: columns.lowerBound, to: columns.upperBound, by: step) {
                sum += Int(row[x])
                count += 1
            }
        }
        return UInt8(sum / max(1, count))
    }

    // MARK: Sparing

    /// Where a cell may be lips, and where an eye.
    var areas: (lips: CellArea, eyes: CellArea) {
        guard inBlocks else { return (lips.area, eyes.area) }
        func enlarged(_ area: CellArea) -> CellArea {
            area.enlarged(height: height, vectorCount: (width + 15) / 16)
        }
        return (enlarged(lips.area), enlarged(eyes.area))
    }

    /// Takes from a plane of cells what lips and eyes must not get: its value falls to 0 in them. Planes with an offset
    /// of 0 and of 4 change by turns while a face comes and goes.
    func spare(_ plane: borrowing CellPlane, offset: UInt8) {
        let areas = areas
        SparingKernel.run(plane, weights: lipCells.plane, offset: offset, areas.lips)
        SparingKernel.run(plane, weights: eyeCells.plane, offset: offset, areas.eyes)
    }

    /// Raises the lift of eyes by up to `amount` code values, inside of the mask.
    func brightenEyes(
        _ lift: borrowing CellPlane, luma: borrowing CellPlane, mask: borrowing CellPlane, amount: UInt8
    ) {
        guard amount > 0 else { return }
        EyeLiftKernel.run(lift, eyes: eyeCells.plane, luma: luma, mask: mask, amount: amount, areas.eyes)
    }

    /// Takes back the redness of lips and eyes, and reddens lips by up to `amount` code values of Cr.
    func color(_ source: PictureRows, amount: UInt8, in target: PictureRows) {
        let areas = areas
        FeatureColorKernel.run(source, weights: eyeCells.plane, amount: 0, areas.eyes, to: target)
        FeatureColorKernel.run(source, weights: lipCells.plane, amount: amount, areas.lips, to: target)
    }
}
