import RillBeauty

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
