/// Collects the parts of a cascade from the elements of its XML. Only nesting counts: what is not known is skipped.
struct CascadeParser {
    private let path: String
    private var scanner: ElementScanner
    private var places: [Place] = [.outside]
    private(set) var side = 0
    private(set) var features: [[FaceCascade.Rectangle]] = []
    private(set) var stages: [FaceCascade.Stage] = []
    /// The nodes of a tree, until its leaves are known.
    private var nodes: [Range<Int>] = []

    /// Prepares to parse a file's bytes; `path` is for error messages.
    init(_ bytes: [UInt8], path: String) {
        self.path = path
        scanner = ElementScanner(bytes)
    }

    /// An element, by where it is.
    private enum Place {
        case outside, unknown, cascade
        case featureType, height, width
        case stages, stage, threshold, trees, tree, nodes, leaves
        case features, feature, rectangles, rectangle, tilted

        /// The place of an element inside this one.
        func inside(_ name: String) -> Place {
            switch (self, name) {
            case (.outside, "cascade"): .cascade
            case (.outside, _): .outside
            case (.cascade, "featureType"): .featureType
            case (.cascade, "height"): .height
            case (.cascade, "width"): .width
            case (.cascade, "stages"): .stages
            case (.stages, "_"): .stage
            case (.stage, "stageThreshold"): .threshold
            case (.stage, "weakClassifiers"): .trees
            case (.trees, "_"): .tree
            case (.tree, "internalNodes"): .nodes
            case (.tree, "leafValues"): .leaves
            case (.cascade, "features"): .features
            case (.features, "_"): .feature
            case (.feature, "rects"): .rectangles
            case (.rectangles, "_"): .rectangle
            case (.feature, "tilted"): .tilted
            default: .unknown
            }
        }
    }

    private static let greatestDepth = 16

    /// Parses everything.
    mutating func parse() throws(FaceCascadeError) {
        while let part = scanner.next() {
            let place = places[places.count - 1]
            switch part {
            case .begin(let name):
                guard places.count < Self.greatestDepth else { throw invalid("the depth of elements", name) }
                begin(place.inside(scanner.string(name)))
            case .end: if places.count > 1 { places.removeLast() }
            case .text(let text): try take(text, place)
            }
        }
    }

    private mutating func begin(_ place: Place) {
        places.append(place)
        switch place {
        case .stage: stages.append(FaceCascade.Stage(trees: [], threshold: 0))
        case .feature: features.append([])
        case .tree: nodes = []
        default: break
        }
    }

    private mutating func take(_ text: Range<Int>, _ place: Place) throws(FaceCascadeError) {
        switch place {
        case .outside, .unknown, .cascade, .stages, .stage, .trees, .tree, .features, .feature, .rectangles: return
        default: break
        }
        let words = scanner.words(text)
        guard let first = words.first else { return }
        switch place {
        case .featureType: if scanner.string(first) != "HAAR" { throw invalid("featureType", first) }
        case .height, .width:
            let length = try integer(first, "height")
            guard side == 0 || side == length else { throw invalid("height", first) }
            side = length
        case .threshold:
            // Rounding must not reject what training accepted, as in OpenCV.
            stages[stages.count - 1].threshold = try number(first, "stageThreshold") - 1e-5
        case .nodes: nodes = words
        case .leaves: stages[stages.count - 1].trees.append(try tree(words))
        case .rectangle: features[features.count - 1].append(try rectangle(words))
        case .tilted: if try integer(first, "tilted") != 0 { throw invalid("tilted", first) }
        default: break
        }
    }

    /// A tree: of each node the branches (a node's index, or minus a leaf's), the feature and the threshold.
    private func tree(_ leaves: [Range<Int>]) throws(FaceCascadeError) -> [FaceCascade.Node] {
        var tree: [FaceCascade.Node] = []
        tree.reserveCapacity(nodes.count / 4)
        func branch(_ word: Range<Int>) throws(FaceCascadeError) -> FaceCascade.Node.Branch {
            let index = try integer(word, "internalNodes")
            if index > 0 { return .node(index) }
            guard leaves.indices.contains(-index) else { throw invalid("internalNodes", word) }
            return .leaf(try number(leaves[-index], "leafValues"))
        }
        for start in stride(from: 0, to: nodes.count - 3, by: 4) {
            tree.append(
                FaceCascade.Node(
                    feature: try integer(nodes[start + 2], "internalNodes"),
                    threshold: try number(nodes[start + 3], "internalNodes"),
                    below: try branch(nodes[start]), above: try branch(nodes[start + 1])))
        }
        return tree
    }

    private func rectangle(_ words: [Range<Int>]) throws(FaceCascadeError) -> FaceCascade.Rectangle {
        guard words.count == 5 else { throw invalid("rects", words[0]) }
        // Written with a dot, though it is whole.
        guard let weight = Int(exactly: try number(words[4], "rects")) else { throw invalid("rects", words[4]) }
        return FaceCascade.Rectangle(
            x: try integer(words[0], "rects"), y: try integer(words[1], "rects"),
            width: try integer(words[2], "rects"), height: try integer(words[3], "rects"), weight: weight)
    }

    // MARK: Numbers

    private func integer(_ word: Range<Int>, _ name: String) throws(FaceCascadeError) -> Int {
        let isNegative = scanner.bytes[word.lowerBound] == UInt8(ascii: "-")
        let digits = word.dropFirst(isNegative ? 1 : 0)
        // Seven digits: far from where sums could overflow.
        guard (1...7).contains(digits.count) else { throw invalid(name, word) }
        var value = 0
        for index in digits {
            let digit = Int(scanner.bytes[index]) - 48
            guard (0...9).contains(digit) else { throw invalid(name, word) }
            value = 10 * value + digit
        }
        return isNegative ? -value : value
    }

    private func number(_ word: Range<Int>, _ name: String) throws(FaceCascadeError) -> Float {
        guard let value = Float(scanner.string(word)), value.isFinite else { throw invalid(name, word) }
        return value
    }

    private func invalid(_ name: String, _ value: Range<Int>) -> FaceCascadeError {
        .invalidElement(
            path: path, position: scanner.position, name: name, value: scanner.string(value.prefix(40)))
    }
}

/// Splits XML into elements and the text between them, as far as OpenCV's files need it: attributes, comments and empty
/// elements are skipped, and there are no entities.
struct ElementScanner {
    /// A part of the text, as a range of bytes.
    enum Part {
        /// The name of an element that begins, or ends.
        case begin(Range<Int>)
        case end(Range<Int>)
        case text(Range<Int>)
    }

    let bytes: [UInt8]
    /// The first byte that was not scanned yet.
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next part; `nil` after the last one, or if the text ends inside a tag.
    mutating func next() -> Part? {
        while position < bytes.count {
            let start = position
            guard bytes[start] == UInt8(ascii: "<") else {
                position = index(of: UInt8(ascii: "<"), from: start) ?? bytes.count
                return .text(start..<position)
            }
            if isComment(at: start) {
                position = endOfComment(from: start + 4)
                continue
            }
            guard let end = index(of: UInt8(ascii: ">"), from: start) else { break }
            position = end + 1
            guard end > start + 1 else { continue }
            switch bytes[start + 1] {
            case UInt8(ascii: "!"), UInt8(ascii: "?"): continue
            case UInt8(ascii: "/"): return .end(start + 2..<end)
            default: if bytes[end - 1] != UInt8(ascii: "/") { return .begin(start + 1..<endOfName(start + 1, end)) }
            }
        }
        return nil
    }

    private func index(of byte: UInt8, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            if bytes[index] == byte { return index }
            index += 1
        }
        return nil
    }

    private func isComment(at start: Int) -> Bool {
        start + 4 <= bytes.count && bytes[start..<start + 4].elementsEqual("<!--".utf8)
    }

    private func endOfComment(from start: Int) -> Int {
        var end = start
        while let mark = index(of: UInt8(ascii: ">"), from: end) {
            end = mark + 1
            if mark >= start + 2, bytes[mark - 1] == UInt8(ascii: "-"), bytes[mark - 2] == UInt8(ascii: "-") {
                return end
            }
        }
        return bytes.count
    }

    private func endOfName(_ start: Int, _ end: Int) -> Int {
        var index = start
        while index < end, bytes[index] > UInt8(ascii: " ") { index += 1 }
        return index
    }

    /// Returns the words of a text.
    func words(_ text: Range<Int>) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var start: Int?
        for index in text {
            if bytes[index] > UInt8(ascii: " ") {
                if start == nil { start = index }
            } else if let first = start {
                words.append(first..<index)
                start = nil
            }
        }
        if let start { words.append(start..<text.upperBound) }
        return words
    }

    /// Returns some of the bytes as text.
    func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
