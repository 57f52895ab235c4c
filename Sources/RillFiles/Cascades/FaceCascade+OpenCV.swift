public import RillBeauty
import RillCore

extension FaceCascade {
    /// Where Debian's package `opencv-data` has the cascade that finds faces in video best.
    public static let debianFile = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_alt2.xml"

    /// Reads a cascade of OpenCV: the XML that `opencv_traincascade` writes, with boosted trees of upright Haar features.
    ///
    /// ```swift
    /// let cascade = try FaceCascade(openCVFile: FaceCascade.debianFile)
    /// ```
    ///
    /// - Throws: ``FileError``, or `BeautyError` if the cascade contradicts itself.
    public init(openCVFile path: String) throws {
        var input = try ByteInput(path: path)
        var text: [UInt8] = []
        while true {
            let count = try input.fill(1)
            guard count > 0 else { break }
            guard text.count + count <= Self.greatestFile else {
                throw FileError.tooLarge(
                    path: path, position: 0, byteCount: text.count + count, limit: Self.greatestFile)
            }
            for index in 0..<count { text.append(input.buffered[index]) }
            input.consume(count)
        }
        try self.init(openCVText: text, path: path)
    }

    /// Parses such a file's bytes; `path` is for error messages.
    package init(openCVText text: [UInt8], path: String = "memory") throws {
        var parser = CascadeParser(path: path)
        try parser.parse(text)
        try self.init(side: parser.side, features: parser.features, stages: parser.stages)
    }

    private static let greatestFile = 16 << 20
}

/// Collects the parts of a cascade from the elements of its XML. Only nesting counts: what is not known is skipped.
private struct CascadeParser {
    private let path: String
    private var elements: [Substring] = []
    private(set) var side = 0
    private(set) var features: [[FaceCascade.Rectangle]] = []
    private(set) var stages: [FaceCascade.Stage] = []
    /// The nodes of a tree, until its leaves are known.
    private var nodes: [Substring] = []

    init(path: String) { self.path = path }

    mutating func parse(_ bytes: [UInt8]) throws(FileError) {
        // Tags and what is between them. A comment contains no "<" in these files; what it contains is skipped.
        for piece in String(decoding: bytes, as: UTF8.self).split(separator: "<", omittingEmptySubsequences: true) {
            guard let end = piece.firstIndex(of: ">") else { continue }
            let tag = piece[..<end].prefix { $0 != " " }
            if tag.hasPrefix("/") {
                if elements.last == tag.dropFirst() { elements.removeLast() }
            } else if !tag.hasPrefix("!"), !tag.hasPrefix("?"), !piece[..<end].hasSuffix("/") {
                guard elements.count < Self.greatestDepth else { throw invalid("nesting", tag) }
                elements.append(tag)
                try begin()
                try take(piece[piece.index(after: end)...])
            }
        }
    }

    private static let greatestDepth = 16

    /// The path of elements from `cascade` on, such as `stages/_/stageThreshold`.
    private var place: String {
        elements.drop { $0 != "cascade" }.dropFirst().joined(separator: "/")
    }

    private mutating func begin() throws(FileError) {
        switch place {
        case "stages/_": stages.append(FaceCascade.Stage(trees: [], threshold: 0))
        case "features/_": features.append([])
        default: break
        }
    }

    private mutating func take(_ text: Substring) throws(FileError) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let first = words.first else { return }
        switch place {
        case "featureType": if first != "HAAR" { throw invalid("featureType", first) }
        case "height", "width":
            let length = try integer(first)
            guard side == 0 || side == length else { throw invalid("height", first) }
            side = length
        case "stages/_/stageThreshold":
            // Rounding must not reject what training accepted, as in OpenCV.
            stages[stages.count - 1].threshold = try number(first) - 1e-5
        case "stages/_/weakClassifiers/_/internalNodes": nodes = words
        case "stages/_/weakClassifiers/_/leafValues": stages[stages.count - 1].trees.append(try tree(words))
        case "features/_/rects/_": features[features.count - 1].append(try rectangle(words))
        case "features/_/tilted": if first != "0" { throw invalid("tilted", first) }
        default: break
        }
    }

    /// A tree: of each node the branches (a node's index, or minus a leaf's), the feature and the threshold.
    private func tree(_ leaves: [Substring]) throws(FileError) -> [FaceCascade.Node] {
        var tree: [FaceCascade.Node] = []
        func branch(_ word: Substring) throws(FileError) -> FaceCascade.Node.Branch {
            let index = try integer(word)
            if index > 0 { return .node(index) }
            guard leaves.indices.contains(-index) else { throw invalid("internalNodes", word) }
            return .leaf(try number(leaves[-index]))
        }
        for start in stride(from: 0, to: nodes.count - 3, by: 4) {
            tree.append(
                FaceCascade.Node(
                    feature: try integer(nodes[start + 2]), threshold: try number(nodes[start + 3]),
                    below: try branch(nodes[start]), above: try branch(nodes[start + 1])))
        }
        return tree
    }

    private func rectangle(_ words: [Substring]) throws(FileError) -> FaceCascade.Rectangle {
        guard words.count == 5 else { throw invalid("rects", words.first ?? "") }
        let weight = try number(words[4])
        guard let whole = Int(exactly: weight) else { throw invalid("rects", words[4]) }
        return FaceCascade.Rectangle(
            x: try integer(words[0]), y: try integer(words[1]), width: try integer(words[2]),
            height: try integer(words[3]), weight: whole)
    }

    private func integer(_ word: Substring) throws(FileError) -> Int {
        // Far from where sums could overflow.
        guard let value = Int32(word), abs(Int(value)) < 1 << 24 else { throw invalid("\(elements.last ?? "")", word) }
        return Int(value)
    }

    private func number(_ word: Substring) throws(FileError) -> Float {
        guard let value = Float(word), value.isFinite else { throw invalid("\(elements.last ?? "")", word) }
        return value
    }

    private func invalid(_ field: String, _ value: Substring) -> FileError {
        .invalidField(path: path, position: 0, field: field, value: String(value.prefix(40)))
    }
}
