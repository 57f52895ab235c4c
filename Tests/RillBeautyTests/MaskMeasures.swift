import Foundation
import RillCore
import RillTestSupport

@testable import RillBeauty

/// How well a filter's mask covers the skin of a clip, measured at `natural` without sharpening, which is meant for
/// what is not skin.
struct MaskMeasures {
    /// Cells that are skin and that the mask holds, and cells that are one of both, over all frames with polygons.
    private var (common, either) = (0, 0)
    private var (cellsOutside, lumaOutside, redOutside) = (0, 0, 0)
    private var (cellsUnmoved, changeUnmoved) = (0, 0)
    /// The largest difference between the lightening of parts of one face, in each frame that names them.
    private var differences: [Double] = []

    /// Intersection over union of skin and of where the mask is at least half.
    var overlap: Double { Double(common) / Double(max(1, either)) }
    /// The mean change of luma outside of skin, in code values.
    var lumaChange: Double { Double(lumaOutside) / Double(max(1, 4 * cellsOutside)) }
    /// The mean change of Cr outside of skin, in code values.
    var redChange: Double { Double(redOutside) / Double(max(1, cellsOutside)) }
    /// The mean change of the mask from frame to frame where nothing moves, in 255ths.
    var flicker: Double { Double(changeUnmoved) / Double(max(1, cellsUnmoved)) }
    /// By how much the lightening of forehead, cheeks and chin differs: the mean over frames, in code values.
    var inequality: Double { differences.reduce(0, +) / Double(max(1, differences.count)) }

    private var mask: [UInt8] = []
    private var source: VideoFrame?

    /// Filters the next frame, and measures what came of it.
    mutating func add(
        _ frame: VideoFrame, number: Int, _ polygons: SkinPolygons, _ filter: inout BeautyFilter, _ pool: FramePool
    ) throws {
        let result = try existing(try filter.apply(to: frame, into: pool))
        let mask = filter.mask ?? []
        if let source { addFlicker(from: source, to: frame, mask) }
        if let shapes = polygons.frames[number] {
            addCells(polygons.isSkin(frame: number, size: frame.resolution), mask, frame, result)
            addParts(shapes, frame, result)
        }
        source = frame
        self.mask = mask
    }

    /// Adds the cells of a filtered frame: whether each is skin, `nil` for those that do not count, and the mask.
    mutating func addCells(_ isSkin: [Bool?], _ mask: [UInt8], _ frame: VideoFrame, _ result: VideoFrame) {
        let width = frame.u.width
        for (index, isSkin) in isSkin.enumerated() {
            guard let isSkin else { continue }
            let isMasked = mask[index] >= 128
            common += isSkin && isMasked ? 1 : 0
            either += isSkin || isMasked ? 1 : 0
            guard !isSkin else { continue }
            let (x, y) = (index % width, index / width)
            cellsOutside += 1
            redOutside += abs(Int(result.v[x, y]) - Int(frame.v[x, y]))
            for (column, row) in [(2 * x, 2 * y), (2 * x + 1, 2 * y), (2 * x, 2 * y + 1), (2 * x + 1, 2 * y + 1)] {
                lumaOutside += abs(Int(result.y[column, row]) - Int(frame.y[column, row]))
            }
        }
    }

    private mutating func addParts(_ polygons: [SkinPolygons.Polygon], _ frame: VideoFrame, _ result: VideoFrame) {
        let lightening = polygons.filter(\.label.isPart).map { polygon in
            var (sum, count) = (0, 0)
            polygon.forEachRun(width: frame.y.width, height: frame.y.height) { y, columns in
                for x in columns { sum += Int(result.y[x, y]) - Int(frame.y[x, y]) }
                count += columns.count
            }
            return Double(sum) / Double(max(1, count))
        }
        if let most = lightening.max(), let least = lightening.min() { differences.append(most - least) }
    }

    /// Adds the cells of those squares of eight by eight in which no pixel changes by more than noise.
    private mutating func addFlicker(from before: VideoFrame, to frame: VideoFrame, _ mask: [UInt8]) {
        let width = frame.u.width
        for top in stride(from: 0, to: frame.u.height - 7, by: 8) {
            for left in stride(from: 0, to: width - 7, by: 8) {
                let isStill = (2 * top..<2 * top + 16).allSatisfy { y in
                    (2 * left..<2 * left + 16).allSatisfy { abs(Int(frame.y[$0, y]) - Int(before.y[$0, y])) <= 6 }
                }
                guard isStill else { continue }
                cellsUnmoved += 64
                for y in top..<top + 8 {
                    for index in y * width + left..<y * width + left + 8 {
                        changeUnmoved += abs(Int(mask[index]) - Int(self.mask[index]))
                    }
                }
            }
        }
    }
}

extension MaskMeasures: CustomStringConvertible {
    var description: String {
        String(
            format: "overlap %.3f, outside of skin luma %.3f and Cr %.4f, flicker %.4f, parts differ by %.2f", overlap,
            lumaChange, redChange, flicker, inequality)
    }
}
