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
