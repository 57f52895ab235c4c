/// Looks for faces of all sizes in one picture, a few windows at a time.
///
/// `begin` copies the part of the picture that is searched, `advance` works on until its budget of features is used up.
/// Large faces come first: there are few windows for them. After each size the windows that were taken for a face are
/// grouped: a face makes several, at neighboring places and sizes, and a mistake makes one.
final class FaceScan {
    private let snapshot: CellPlane
    /// Where there may be skin, per block, in the picture that is searched.
    private let skin: CellPlane
    /// The units of the plane in a block, as a power of two; `nil` if windows without skin are searched too.
    private var shift: Int?
    private let windows: FaceWindows
    private let side: Int
    private var origin = (x: 0, y: 0)
    private var size = (width: 0, height: 0)

    /// The sizes to search: how many 65536ths the plane's cells are larger than a window's.
    private var scales: [Int] = []
    /// The scale in work, how many rows of its picture exist, and the next row of windows.
    private var index = 0
    private var rowsLoaded = 0
    private var row = 0

    private var hits: [FaceRegion] = []
    private var faces: [FaceRegion] = []
    private var hasNews = false

    /// Whether the picture has been searched.
    private(set) var isDone = true

    /// The likelihood of skin from which on there may be a face: the darkest tone has twice of it.
    private static let leastSkin: UInt8 = 16
    private static let greatestHits = 256
    private static let greatestFaces = 8

    /// Allocates memory for planes up to that size, and for a map of skin with `scale` units in a block.
    init(_ cascade: FaceCascade, width: Int, height: Int, scale: Int) {
        snapshot = CellPlane(width: width, height: height)
        skin = CellPlane(width: (width + scale - 1) / scale, height: (height + scale - 1) / scale)
        windows = FaceWindows(cascade, greatestWidth: width, greatestHeight: height)
        side = cascade.side
        scales.reserveCapacity(64)
        hits.reserveCapacity(FaceScan.greatestHits)
        faces.reserveCapacity(FaceScan.greatestFaces)
    }

    /// The distance of windows, and how many make a face: fewer where windows are farther apart.
    private var step = 2
    private var leastHits = 1

    /// Starts searching a whole plane, for faces of every size from the cascade's own on. Its hits are candidates: a
    /// single window counts.
    ///
    /// With `skin`, a map with `scale` units of the plane in a block, it searches only where that color is.
    func begin(_ plane: borrowing CellPlane, skin map: borrowing CellPlane, scale unit: Int, onlySkin: Bool) {
        shift = onlySkin ? unit.trailingZeroBitCount : nil
        for y in 0..<skin.height { skin.row(y).copy(map.nearestRow(y), count: min(skin.width, map.width)) }
        scales.removeAll(keepingCapacity: true)
        var scale = 65536
        while min(plane.width, plane.height) << 16 / scale >= side, scales.count < 64 {
            scales.append(scale)
            scale = scale * 6 / 5
        }
        scales.reverse()
        (step, leastHits) = (2, 1)
        begin(plane, left: 0, top: 0, width: plane.width, height: plane.height)
    }

    /// Begins to search the surroundings of a face, for faces of about its size; with `far`, wider surroundings.
    func begin(_ plane: borrowing CellPlane, around face: FaceRegion, far: Bool) {
        shift = nil
        let margin = far ? face.side * 3 / 2 : face.side / 4 + 1
        let (left, top) = (max(0, face.x - margin), max(0, face.y - margin))
        let right = min(plane.width, face.x + face.side + margin)
        let bottom = min(plane.height, face.y + face.side + margin)
        scales.removeAll(keepingCapacity: true)
        for share in [58, 64, 70] {
            let scale = max(65536, face.side << 10 * share / side)
            if scales.last != scale { scales.append(scale) }
        }
        (step, leastHits) = far ? (2, 2) : (1, 3)
        begin(plane, left: left, top: top, width: max(0, right - left), height: max(0, bottom - top))
    }

    private func begin(_ plane: borrowing CellPlane, left: Int, top: Int, width: Int, height: Int) {
        origin = (left, top)
        size = (width, height)
        for y in top..<top + height { snapshot.row(y).copy(plane.row(y), count: plane.width) }
        hits.removeAll(keepingCapacity: true)
        faces.removeAll(keepingCapacity: true)
        hasNews = false
        index = 0
        beginScale()
        isDone = false
    }

    private func beginScale() {
        (rowsLoaded, row) = (0, 0)
        guard index < scales.count else { return }
        windows.begin(size: size, scale: scales[index])
    }

    /// Ends the scan. What it found stays.
    func stop() { isDone = true }

    /// Works on until `budget`, the number of features that may be computed, is used up or the scan is done. A row that
    /// has begun is finished, so that the budget may become negative.
    func advance(_ budget: inout Int) {
        while budget > 0, !isDone {
            guard index < scales.count else {
                isDone = true
                return
            }
            if rowsLoaded < windows.height {
                windows.takeRow(
                    rowsLoaded, of: snapshot, left: origin.x, top: origin.y, size: size, scale: scales[index])
                rowsLoaded += 1
                // A sample costs about as much as half a feature.
                budget -= windows.width / 2
            } else if row + side <= windows.height {
                budget -= searchRow()
            } else {
                group()
                index += 1
                beginScale()
            }
        }
    }

    /// Classifies a row of windows, and returns the number of features that took.
    private func searchRow() -> Int {
        let scale = scales[index]
        let places = shift.map {
            SkinPlaces(skin, shift: $0, top: origin.y + (row * scale) >> 16, side: (side * scale) >> 16)
        }
        // Windows overlap by nine tenths. Beside one that the first stage rejects, the next one is left out.
        var (x, features, passed) = (0, 0, 0)
        while x + side <= windows.width {
            if let places, !places.maySurround(left: origin.x + (x * scale) >> 16) {
                passed += 1
                x += step
                continue
            }
            let result = windows.classify(x, row)
            features += result.features
            if result.isFace, hits.count < FaceScan.greatestHits {
                hits.append(
                    FaceRegion(
                        x: origin.x + (x * scale + 32768) >> 16, y: origin.y + (row * scale + 32768) >> 16,
                        side: (side * scale + 32768) >> 16))
            }
            x += result.stages == 0 ? 2 * step : step
        }
        row += step
        // Looking for skin costs about as much as three features in two windows.
        return features + passed * 3 / 2
    }

    /// Whether windows of a row have the color of skin in two of five places: those of brow, nose, cheeks and chin.
    private struct SkinPlaces {
        private let brow, nose, chin: Row
        private let leftCheek, middle, rightCheek: Int
        private let shift: Int
        private let last: Int

        /// Prepares for the windows at row `top` of the plane, `shift` of whose units, as a power of two, are a block.
        init(_ skin: borrowing CellPlane, shift: Int, top: Int, side: Int) {
            brow = skin.nearestRow((top + (4 * side) >> 4) >> shift)
            nose = skin.nearestRow((top + (10 * side) >> 4) >> shift)
            chin = skin.nearestRow((top + (14 * side) >> 4) >> shift)
            (leftCheek, middle, rightCheek) = ((5 * side) >> 4, (8 * side) >> 4, (11 * side) >> 4)
            (self.shift, last) = (shift, skin.width - 1)
        }

        @inline(__always)
        func maySurround(left: Int) -> Bool {
            let column = place(left &+ middle)
            let count = isSkin(brow, column) &+ isSkin(nose, column) &+ isSkin(chin, column)
            return count >= 2
                || count &+ isSkin(nose, place(left &+ leftCheek)) &+ isSkin(nose, place(left &+ rightCheek)) >= 2
        }

        @inline(__always)
        private func place(_ x: Int) -> Int { min(last, x &>> shift) }

        @inline(__always)
        private func isSkin(_ row: Row, _ x: Int) -> Int { row[x] >= FaceScan.leastSkin ? 1 : 0 }
    }

    /// Calls `body` with the faces found so far, in cells of the plane, if their number or places have changed.
    func takeFaces(_ body: (FaceRegion) -> Void) {
        guard hasNews else { return }
        hasNews = false
        for face in faces { body(face) }
    }

    /// Groups the hits: those near the first one, and so on.
    private func group() {
        let countBefore = faces.count
        faces.removeAll(keepingCapacity: true)
        for first in hits where !faces.contains(where: { $0.isNear(first, within: 0.6) }) {
            var (x, y, side, count) = (0, 0, 0, 0)
            for hit in hits where hit.isNear(first, within: 0.25) {
                (x, y, side, count) = (x + hit.x, y + hit.y, side + hit.side, count + 1)
            }
            if count >= leastHits, faces.count < FaceScan.greatestFaces {
                faces.append(FaceRegion(x: x / count, y: y / count, side: side / count))
            }
        }
        if faces.count != countBefore || index == scales.count - 1, !faces.isEmpty { hasNews = true }
    }
}
