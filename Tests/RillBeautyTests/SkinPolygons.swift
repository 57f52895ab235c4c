import Foundation
import RillCore
import RillTestSupport

/// Where skin is in some frames of a clip, drawn by hand: see SkinPolygons/README.md.
struct SkinPolygons {
    enum Label: String {
        case skin, feature, unclear, forehead, cheek, chin

        /// A part of the face, which lies on skin and is compared with other parts.
        var isPart: Bool { self == .forehead || self == .cheek || self == .chin }
    }

    struct Polygon {
        var label: Label
        var corners: [(x: Double, y: Double)]

        /// Calls `body` with the columns of each row whose pixels have their centers inside.
        func forEachRun(width: Int, height: Int, _ body: (_ y: Int, _ columns: Range<Int>) -> Void) {
            for y in 0..<height {
                let center = Double(y) + 0.5
                var crossings: [Double] = []
                for (a, b) in zip(corners, corners.dropFirst() + corners.prefix(1))
                where (a.y <= center) != (b.y <= center) {
                    crossings.append(a.x + (center - a.y) * (b.x - a.x) / (b.y - a.y))
                }
                crossings.sort()
                for index in stride(from: 0, to: crossings.count - 1, by: 2) {
                    let columns = crossings[index...index + 1].map {
                        max(0, min(width, Int(($0 + 0.5).rounded(.down))))
                    }
                    if columns[0] < columns[1] { body(y, columns[0]..<columns[1]) }
                }
            }
        }
    }

    /// The polygons of each frame that has any.
    private(set) var frames: [Int: [Polygon]] = [:]

    /// Reads the file of a clip.
    init(clip: String) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "SkinPolygons")
        var frame: Int?
        for line in try String(contentsOf: folder.appending(path: "\(clip).txt"), encoding: .utf8).split(
            separator: "\n")
        {
            let words = line.split(separator: " ")
            if words[0] == "#" { continue }
            if words[0] == "frame" {
                frame = Int(words[1])
            } else {
                guard let frame, let label = Label(rawValue: String(words[0])) else {
                    throw TestFailure("\(clip): \(line)")
                }
                let corners = try words.dropFirst().map { word in
                    let numbers = word.split(separator: ",").compactMap { Double($0) }
                    guard numbers.count == 2 else { throw TestFailure("\(clip): \(line)") }
                    return (x: numbers[0], y: numbers[1])
                }
                frames[frame, default: []].append(Polygon(label: label, corners: corners))
            }
        }
    }

    /// The class of each cell of two by two pixels, row by row: skin or not if all pixels around it agree, else
    /// `nil`.
    func isSkin(frame: Int, size: Resolution) -> [Bool?] {
        var pixels = [Bool?](repeating: false, count: size.width * size.height)
        for polygon in frames[frame] ?? [] where !polygon.label.isPart {
            polygon.forEachRun(width: size.width, height: size.height) { y, columns in
                for x in columns { pixels[y * size.width + x] = polygon.label == .skin ? true : nil }
            }
        }
        let (width, height) = (size.chroma.width, size.chroma.height)
        return (0..<width * height).map { index in
            let (x, y) = (2 * (index % width), 2 * (index / width))
            let first = pixels[y * size.width + x]
            for row in max(0, y - Self.margin)..<min(size.height, y + 2 + Self.margin) {
                for column in max(0, x - Self.margin)..<min(size.width, x + 2 + Self.margin)
                where pixels[row * size.width + column] != first { return nil }
            }
            return first
        }
    }

    /// The same polygons in a picture that is `scale` times as large, part of another from `x` and `y` on.
    func scaled(by scale: Double, x: Double = 0, y: Double = 0) -> SkinPolygons {
        var copy = self
        copy.frames = frames.mapValues { polygons in
            polygons.map { polygon in
                var polygon = polygon
                polygon.corners = polygon.corners.map { (x: x + $0.x * scale, y: y + $0.y * scale) }
                return polygon
            }
        }
        return copy
    }

    /// How many pixels off an outline may be.
    private static let margin = 2
}
