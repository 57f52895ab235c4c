import Glibc
package import RillCore

/// A small baseline JPEG encoder, for pictures that a camera might send: any sampling, restart markers, and without
/// Huffman tables, as many cameras have it.
package struct TestJPEG {
    /// How many blocks of luma there are for one of chroma, each way.
    package enum Sampling: CaseIterable {
        case yuv420, yuv422, yuv440, yuv444, grey

        package var luma: (horizontal: Int, vertical: Int) {
            switch self {
            case .yuv420: (2, 2)
            case .yuv422: (2, 1)
            case .yuv440: (1, 2)
            case .yuv444, .grey: (1, 1)
            }
        }
    }

    package var resolution: Resolution
    package var sampling = Sampling.yuv422
    /// The step of all coefficients: 1 for hardly any loss.
    package var step = 2
    package var hasTables = true
    package var restartInterval = 0
    /// Whether zeros at the end of a block are written, sixteen at a time, before its end is.
    package var hasZerosBeforeEnds = false

    package init(_ resolution: Resolution, _ sampling: Sampling = .yuv422) {
        self.resolution = resolution
        self.sampling = sampling
    }

    /// The file of a picture of which `sample` gives each sample in full range: component, column and row of the
    /// picture.
    package func encode(_ sample: (_ component: Int, _ x: Int, _ y: Int) -> Int) -> [UInt8] {
        var writer = Writer()
        let (width, height) = (resolution.width, resolution.height)
        let components = sampling == .grey ? 1 : 3
        writer.bytes = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: UInt8(step), count: 64)
        writer.bytes += [0xFF, 0xC0, 0, UInt8(8 + 3 * components), 8]
        writer.bytes += [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        writer.bytes.append(UInt8(components))
        let (h, v) = sampling.luma
        for component in 0..<components {
            writer.bytes += [UInt8(component + 1), component == 0 ? UInt8(h << 4 | v) : 0x11, 0]
        }
        if restartInterval > 0 {
            writer.bytes += [0xFF, 0xDD, 0, 4, UInt8(restartInterval >> 8), UInt8(restartInterval & 255)]
        }
        if hasTables {
            writer.table(0x00, Self.dcCounts, Self.dcSymbols)
            writer.table(0x10, Self.acCounts, Self.acSymbols)
        }
        writer.bytes += [0xFF, 0xDA, 0, UInt8(6 + 2 * components), UInt8(components)]
        for component in 0..<components { writer.bytes += [UInt8(component + 1), 0] }
        writer.bytes += [0, 63, 0]

        var last = [0, 0, 0]
        var unit = 0
        for top in stride(from: 0, to: height, by: 8 * v) {
            for left in stride(from: 0, to: width, by: 8 * h) {
                if restartInterval > 0, unit > 0, unit % restartInterval == 0 {
                    writer.flush()
                    writer.bytes += [0xFF, 0xD0 + UInt8((unit / restartInterval - 1) & 7)]
                    last = [0, 0, 0]
                }
                unit += 1
                for row in 0..<v {
                    for column in 0..<h {
                        let block = coefficients { x, y in
                            sample(0, min(left + 8 * column + x, width - 1), min(top + 8 * row + y, height - 1))
                        }
                        writer.block(block, &last[0], Self.codes, hasZerosBeforeEnds)
                    }
                }
                for component in 1..<max(1, components) {
                    let block = coefficients { x, y in
                        // The mean of the pixels that share the sample.
                        var sum = 0
                        for row in 0..<v {
                            for column in 0..<h {
                                sum += sample(
                                    component, min(left + h * x + column, width - 1), min(top + v * y + row, height - 1)
                                )
                            }
                        }
                        return (sum + h * v / 2) / (h * v)
                    }
                    writer.block(block, &last[component], Self.codes, hasZerosBeforeEnds)
                }
            }
        }
        writer.flush()
        return writer.bytes + [0xFF, 0xD9]
    }

    /// The cosine transform of a block, quantised, in zigzag order.
    private func coefficients(_ sample: (Int, Int) -> Int) -> [Int] {
        var rows = [Double](repeating: 0, count: 64)
        for y in 0..<8 {
            let values = (0..<8).map { Double(sample($0, y) - 128) }
            for u in 0..<8 {
                var sum = 0.0
                for x in 0..<8 { sum += values[x] * Self.cosines[u * 8 + x] }
                rows[y * 8 + u] = sum
            }
        }
        var result = [Int](repeating: 0, count: 64)
        for (place, natural) in Self.zigzag.enumerated() {
            let (v, u) = (natural / 8, natural % 8)
            var sum = 0.0
            for y in 0..<8 { sum += rows[y * 8 + u] * Self.cosines[v * 8 + y] }
            result[place] = Int((sum / Double(step)).rounded())
        }
        return result
    }

    private static let cosines: [Double] = (0..<64).map { index in
        let (u, x) = (Double(index / 8), Double(index % 8))
        return (index < 8 ? 0.5.squareRoot() : 1) / 2 * cos((2 * x + 1) * u * .pi / 16)
    }

    private static let zigzag: [Int] = (0..<64).sorted { a, b in
        let (sumA, sumB) = (a / 8 + a % 8, b / 8 + b % 8)
        guard sumA == sumB else { return sumA < sumB }
        return sumA % 2 == 0 ? a % 8 < b % 8 : a / 8 < b / 8
    }

    // The tables of T.81, annex K.3, for luma; chroma takes the same ones here.
    private static let dcCounts: [UInt8] = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    private static let dcSymbols: [UInt8] = Array(0...11)
    private static let acCounts: [UInt8] = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D]
    private static let acSymbols: [UInt8] = {
        let first: [UInt8] = [
            0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
            0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
            0x82,
        ]
        return first + (UInt8(1)...0xFA).filter { (1...10).contains($0 & 15) && !first.contains($0) }
    }()
    private static let codes = (dc: codes(dcCounts, dcSymbols), ac: codes(acCounts, acSymbols))

    private static func codes(_ counts: [UInt8], _ symbols: [UInt8]) -> [UInt8: (code: Int, length: Int)] {
        var result: [UInt8: (code: Int, length: Int)] = [:]
        var (code, place) = (0, 0)
        for length in 1...16 {
            for _ in 0..<counts[length - 1] {
                result[symbols[place]] = (code, length)
                (code, place) = (code + 1, place + 1)
            }
            code <<= 1
        }
        return result
    }

    /// Bytes, and bits with zeros stuffed behind 0xFF.
    private struct Writer {
        typealias Codes = [UInt8: (code: Int, length: Int)]

        var bytes: [UInt8] = []
        private var held = 0
        private var count = 0

        mutating func table(_ kind: UInt8, _ counts: [UInt8], _ symbols: [UInt8]) {
            let length = 19 + symbols.count
            bytes += [0xFF, 0xC4, UInt8(length >> 8), UInt8(length & 255), kind] + counts + symbols
        }

        mutating func bits(_ value: Int, _ length: Int) {
            held = held << length | value
            count += length
            while count >= 8 {
                count -= 8
                let byte = UInt8(held >> count & 255)
                bytes.append(byte)
                if byte == 0xFF { bytes.append(0) }
                held &= 1 << count - 1
            }
        }

        mutating func flush() {
            if count > 0 { bits(1 << (8 - count) - 1, 8 - count) }
        }

        /// A code for `run` and the size of `value`, then the value's own bits.
        mutating func value(_ value: Int, run: Int, _ codes: Codes) {
            var size = 0
            while abs(value) >> size > 0 { size += 1 }
            guard let (code, length) = codes[UInt8(run << 4 | size)] else { preconditionFailure("\(run) \(value)") }
            bits(code, length)
            if size > 0 { bits((value < 0 ? value - 1 : value) & (1 << size - 1), size) }
        }

        mutating func block(
            _ block: [Int], _ last: inout Int, _ codes: (dc: Codes, ac: Codes), _ hasZerosBeforeEnd: Bool
        ) {
            value(block[0] - last, run: 0, codes.dc)
            last = block[0]
            var run = 0
            for coefficient in block.dropFirst() {
                guard coefficient != 0 else {
                    run += 1
                    continue
                }
                while run > 15 {
                    value(0, run: 15, codes.ac)
                    run -= 16
                }
                value(coefficient, run: run, codes.ac)
                run = 0
            }
            while hasZerosBeforeEnd, run > 16 {
                value(0, run: 15, codes.ac)
                run -= 16
            }
            if run > 0 { value(0, run: 0, codes.ac) }
        }
    }
}
