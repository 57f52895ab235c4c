import Foundation
import RillCore
import RillTestSupport

@testable import RillCapture

/// The pictures in `Pictures`, which nobody tuned on, and where skin is in them: see the README there.
struct OtherPicture {
    enum Label: String {
        case skin, unclear
    }

    let name: String
    let size: Resolution
    /// Squares that a detector should find, in pixels.
    private(set) var faces: [(x: Int, y: Int, side: Int)] = []
    private var polygons: [(label: Label, polygon: SkinPolygons.Polygon)] = []

    /// Whether nothing in it may be treated.
    var isWithoutFace: Bool { polygons.isEmpty }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pictures")

    /// All pictures, in the order of the marks.
    static func all() throws -> [OtherPicture] {
        let text = try String(contentsOf: folder.appending(path: "marks.txt"), encoding: .utf8)
        var pictures: [OtherPicture] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words[0] != "picture" else {
                let size = words[2].split(separator: "x").compactMap { Int($0) }
                pictures.append(
                    OtherPicture(name: String(words[1]), size: Resolution(width: size[0], height: size[1])))
                continue
            }
            let corners = words.dropFirst().map { $0.split(separator: ",").compactMap { Double($0) } }
            guard let last = pictures.indices.last else { throw TestFailure("marks: \(line)") }
            if words[0] == "face" {
                pictures[last].faces.append((Int(corners[0][0]), Int(corners[0][1]), Int(corners[0][2])))
            } else {
                guard let label = Label(rawValue: String(words[0])) else { throw TestFailure("marks: \(line)") }
                let polygon = SkinPolygons.Polygon(
                    label: label == .skin ? .skin : .unclear, corners: corners.map { (x: $0[0], y: $0[1]) })
                pictures[last].polygons.append((label, polygon))
            }
        }
        return pictures
    }

    private init(name: String, size: Resolution) { (self.name, self.size) = (name, size) }

    /// The picture.
    func frame() throws -> VideoFrame {
        let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: "\(name).jpg")))
        var frame = try existing(FramePool(resolution: size, capacity: 1).makeFrame())
        let fault = try existing(JPEGReader(size)).read(bytes.span, into: &frame)
        guard fault == nil else { throw TestFailure("\(name): \(String(describing: fault))") }
        return frame.finish(captureTime: .zero)
    }

    /// Whether each pixel is skin, row by row; `nil` if nobody can tell.
    func isSkin() -> [Bool?] {
        var pixels = [Bool?](repeating: false, count: size.width * size.height)
        for (label, polygon) in polygons {
            polygon.forEachRun(width: size.width, height: size.height) { y, columns in
                for x in columns { pixels[y * size.width + x] = label == .skin ? true : nil }
            }
        }
        return pixels
    }

    /// Whether each pixel is farther than `rim` pixels from skin and from what is unclear, row by row.
    func isOutside(rim: Int) -> [Bool] {
        let (width, height) = (size.width, size.height)
        let isSkin = isSkin()
        // The distance to what is not outside, along rows, then along columns: a square's.
        var isNear = isSkin.map { $0 != false }
        for (count, length, step, stride) in [(height, width, 1, width), (width, height, width, 1)] {
            for line in 0..<count {
                let start = line * stride
                let old = (0..<length).map { isNear[start + $0 * step] }
                var last = -rim - 1
                for index in 0..<length {
                    if old[index] { last = index }
                    if index - last <= rim { isNear[start + index * step] = true }
                }
                last = length + rim
                for index in (0..<length).reversed() {
                    if old[index] { last = index }
                    if last - index <= rim { isNear[start + index * step] = true }
                }
            }
        }
        return isNear.map { !$0 }
    }
}
