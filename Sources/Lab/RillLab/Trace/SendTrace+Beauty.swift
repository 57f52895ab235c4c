import RillBeauty

// The lines of a trace that start with `*`: face processing.

extension SendTrace {
    /// Parses such a line; returns a sentence on what is wrong with it, or `nil`.
    mutating func addProcessing(_ words: [Substring]) -> String? {
        switch words.first {
        case "beauty": addBeauty(words)
        case "cascade": addCascade(words)
        case "faces": addFaces(words)
        default: "a line with * has beauty, cascade or faces"
        }
    }

    private mutating func addBeauty(_ words: [Substring]) -> String? {
        guard words.count == 4, let frame = Int(words[1]),
            let level = BeautyLevel.allCases.first(where: { "\($0)" == words[3] })
        else { return "beauty has a frame, options and a level" }
        let options: BeautyOptions
        do { options = try BeautyOptions(notation: String(words[2])) } catch { return "\(error)" }
        guard beauty.isEmpty ? frame == 0 : frame >= beauty[beauty.count - 1].frame else {
            return "beauty of frame \(frame) is out of order"
        }
        beauty.append(Beauty(frame: frame, options: options, level: level))
        return nil
    }

    private mutating func addCascade(_ words: [Substring]) -> String? {
        guard words.count == 2, beauty.isEmpty, cascade == nil else { return "one cascade comes before beauty" }
        if words[1] == "none" { return nil }
        guard words[1].count == 16, let checksum = UInt64(words[1], radix: 16) else {
            return "the checksum of a cascade has 16 hexadecimal digits"
        }
        cascade = checksum
        return nil
    }

    private mutating func addFaces(_ words: [Substring]) -> String? {
        guard words.count >= 2, let frame = Int(words[1]) else { return "faces have a frame" }
        guard frame >= givenFaces.last?.frame ?? 0 else { return "faces of frame \(frame) are out of order" }
        var faces: [FaceRegion] = []
        for word in words.dropFirst(2) {
            let numbers = word.split(separator: ",", omittingEmptySubsequences: false).compactMap { Int($0) }
            guard numbers.count == 3, faces.count < FaceRegion.greatestCount else {
                return "at most \(FaceRegion.greatestCount) faces have a left column, a top row and a side"
            }
            faces.append(FaceRegion(x: numbers[0], y: numbers[1], side: numbers[2]))
        }
        givenFaces.append(GivenFaces(frame: frame, faces: faces))
        return nil
    }

    /// A cascade's checksum as text: 16 hexadecimal digits.
    static func text(ofChecksum checksum: UInt64) -> String {
        let digits = String(checksum, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
