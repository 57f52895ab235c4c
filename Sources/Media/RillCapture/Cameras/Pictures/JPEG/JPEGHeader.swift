/// The part of a baseline JPEG before the scan (ITU-T T.81, annex B): sizes, tables, and where the scan starts.
///
/// ```text
/// SOI  { marker  length  … }  SOS  length  …  coded data  EOI
/// ```
struct JPEGHeader: Sendable {
    /// A component of the picture.
    struct Component: Sendable {
        var identifier: UInt8
        /// The number of its blocks in a row, and of rows of blocks, in one MCU.
        var horizontal: Int
        var vertical: Int
        var quantization: Int
        var dc = 0
        var ac = 0
    }

    var width = 0
    var height = 0
    var components: [Component] = []
    /// MCUs between two restart markers; 0 for none.
    var restartInterval = 0
    /// The tables of DC codes and of AC codes.
    var dc: [JPEGHuffmanTable?] = [.standardLumaDC, .standardChromaDC, nil, nil]
    var ac: [JPEGHuffmanTable?] = [.standardLumaAC, .standardChromaAC, nil, nil]
    /// The quantization tables: a step for each coefficient, in zigzag order.
    var steps = [[UInt16]?](repeating: nil, count: 4)
    /// The offset of the picture: some cameras write the start marker twice, which libjpeg refuses.
    private(set) var start = 0
    /// The offset of the coded data.
    private(set) var scanStart = 0

    private init() {}

    /// Parses up to the first scan. Returns `nil` unless it is a baseline JPEG with one scan for all its components.
    init?(parsing bytes: Span<UInt8>) {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return nil }
        self.init()
        var at = 2
        while at + 4 <= bytes.count {
            let marker = bytes[at + 1]
            // Any number of 0xFF fill bytes may precede a marker, and cameras write other surplus bytes too.
            guard bytes[at] == 0xFF, marker != 0xFF, marker != 0 else {
                at += 1
                continue
            }
            // Markers without a length.
            guard marker != 0x01, !(0xD0...0xD8).contains(marker) else {
                if marker == 0xD8 {
                    self = JPEGHeader()
                    start = at
                }
                at += 2
                continue
            }
            let end = at + 2 + word(bytes, at + 2)
            guard end >= at + 4, end <= bytes.count else { return nil }
            let segment = bytes.extracting(at + 4..<end)
            let isGood: Bool
            switch marker {
            case 0xC0, 0xC1: isGood = readFrame(segment)
            case 0xC4: isGood = readHuffmanTables(segment)
            case 0xDB: isGood = readSteps(segment)
            case 0xDD:
                isGood = segment.count >= 2
                if isGood { restartInterval = word(segment, 0) }
            case 0xDA:
                scanStart = end
                guard readScan(segment) else { return nil }
                return
            // Other coding modes: progressive, lossless, arithmetic.
            case 0xC2...0xCF: isGood = false
            default: isGood = true
            }
            guard isGood else { return nil }
            at = end
        }
        return nil
    }

    /// SOF: precision, height, width, then for each component its identifier, sampling and quantization table.
    private mutating func readFrame(_ segment: Span<UInt8>) -> Bool {
        guard segment.count >= 6, segment[0] == 8, components.isEmpty else { return false }
        height = word(segment, 1)
        width = word(segment, 3)
        let count = Int(segment[5])
        guard width > 0, height > 0, count == 1 || count == 3, segment.count >= 6 + 3 * count else { return false }
        for index in 0..<count {
            let (sampling, table) = (segment[7 + 3 * index], Int(segment[8 + 3 * index]))
            let (horizontal, vertical) = (Int(sampling >> 4), Int(sampling & 15))
            guard (1...4).contains(horizontal), (1...4).contains(vertical), table < 4 else { return false }
            components.append(
                Component(
                    identifier: segment[6 + 3 * index], horizontal: horizontal, vertical: vertical, quantization: table)
            )
        }
        return true
    }

    /// DHT: class and index, the number of codes of each length, and their symbols; one or more tables.
    private mutating func readHuffmanTables(_ segment: Span<UInt8>) -> Bool {
        var at = 0
        while at < segment.count {
            guard at + 17 <= segment.count else { return false }
            let (kind, number) = (segment[at] >> 4, Int(segment[at] & 15))
            var count = 0
            for index in 1...16 { count += Int(segment[at + index]) }
            guard kind < 2, number < 4, count <= 256, at + 17 + count <= segment.count,
                let table = JPEGHuffmanTable(
                    counts: segment.extracting(at + 1..<at + 17), symbols: segment.extracting(at + 17..<at + 17 + count)
                )
            else { return false }
            if kind == 0 { dc[number] = table } else { ac[number] = table }
            at += 17 + count
        }
        return true
    }

    /// DQT: precision and index, then 64 steps; one or more tables.
    private mutating func readSteps(_ segment: Span<UInt8>) -> Bool {
        var at = 0
        while at < segment.count {
            let (isWide, number) = (segment[at] >> 4 == 1, Int(segment[at] & 15))
            let size = isWide ? 2 : 1
            guard segment[at] >> 4 < 2, number < 4, at + 1 + 64 * size <= segment.count else { return false }
            let start = at + 1
            steps[number] = (0..<64).map { index in
                isWide ? UInt16(word(segment, start + 2 * index)) : UInt16(segment[start + index])
            }
            at += 1 + 64 * size
        }
        return true
    }

    /// SOS: the components, and for each its DC and AC tables.
    private mutating func readScan(_ segment: Span<UInt8>) -> Bool {
        guard !components.isEmpty, segment.count >= 1, Int(segment[0]) == components.count,
            segment.count >= 1 + 2 * components.count
        else { return false }
        for index in components.indices {
            let (dc, ac) = (Int(segment[2 + 2 * index] >> 4), Int(segment[2 + 2 * index] & 15))
            guard segment[1 + 2 * index] == components[index].identifier, dc < 4, ac < 4, self.dc[dc] != nil,
                self.ac[ac] != nil, steps[components[index].quantization] != nil
            else { return false }
            components[index].dc = dc
            components[index].ac = ac
        }
        return true
    }

    /// The number of MCUs in a row, and of rows of MCUs.
    var units: (columns: Int, rows: Int) {
        let horizontal = 8 * (components.map(\.horizontal).max() ?? 1)
        let vertical = 8 * (components.map(\.vertical).max() ?? 1)
        // A single component is coded block by block, whatever its sampling.
        guard components.count > 1 else { return ((width + 7) / 8, (height + 7) / 8) }
        return ((width + horizontal - 1) / horizontal, (height + vertical - 1) / vertical)
    }
}

/// Returns a 16-bit big-endian value.
private func word(_ bytes: Span<UInt8>, _ at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }
