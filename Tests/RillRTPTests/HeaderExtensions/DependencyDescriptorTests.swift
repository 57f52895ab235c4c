import RillCore
import RillTestSupport
import Testing

@testable import RillRTP

/// Dependency descriptors: what they tell of a frame that cannot be read.
@Suite struct DependencyDescriptorTests {
    /// Writes bits, the highest first.
    private struct Bits {
        private(set) var bytes: [UInt8] = []
        private var count = 0

        mutating func append(_ value: Int, _ width: Int) {
            for bit in (0..<width).reversed() {
                if count % 8 == 0 { bytes.append(0) }
                bytes[count / 8] |= UInt8(value >> bit & 1) << UInt8(7 - count % 8)
                count += 1
            }
        }
    }

    /// The descriptor of a frame in a structure of temporal layers, each with a template without references in the
    /// lowest, and one with a reference; as many decode targets, one chain.
    private func descriptor(
        template: Int, hasStructure: Bool, temporalLayers: Int = 1, spatialLayers: Int = 1, offset: Int = 0,
        sizes: [Resolution] = [.vga]
    ) -> [UInt8] {
        var bits = Bits()
        bits.append(0b10, 2)
        bits.append((template + offset) % 64, 6)
        bits.append(0xABCD, 16)
        guard hasStructure else { return bits.bytes }
        bits.append(0b10000, 5)
        bits.append(offset, 6)
        let targets = temporalLayers * spatialLayers
        bits.append(targets - 1, 5)
        // Two templates a layer.
        for spatial in 0..<spatialLayers {
            for temporal in 0..<temporalLayers {
                bits.append(0, 2)
                let isLast = temporal == temporalLayers - 1
                bits.append(!isLast ? 1 : spatial == spatialLayers - 1 ? 3 : 2, 2)
            }
        }
        for _ in 0..<2 * targets * targets { bits.append(2, 2) }
        for layer in 0..<targets {
            // The first of the lowest layer refers to nothing, and that of a higher spatial one to the one below.
            for second in 0..<2 {
                let count = second + (layer == 0 ? 0 : 1)
                for _ in 0..<count { bits.append(0b10000, 5) }
                bits.append(0, 1)
            }
        }
        // One chain, of targets + 1 values: ns(targets + 1).
        let width = Int.bitWidth - (targets + 1).leadingZeroBitCount
        let short = (1 << width) - (targets + 1)
        bits.append(1 < short ? 1 : 1 + short, 1 < short ? width - 1 : width)
        for _ in 0..<2 * targets { bits.append(1, 4) }
        bits.append(sizes.isEmpty ? 0 : 1, 1)
        for size in sizes {
            bits.append(size.width - 1, 16)
            bits.append(size.height - 1, 16)
        }
        return bits.bytes
    }

    @Test func `A frame with the structure that refers to nothing is a key frame of its size`() throws {
        let key = try DependencyDescriptor(parsing: descriptor(template: 0, hasStructure: true).span)
        #expect(key.isKey && key.size == .vga && key.startsFrame && !key.endsFrame && key.frameNumber == 0xABCD)
        let delta = try DependencyDescriptor(parsing: descriptor(template: 1, hasStructure: false).span)
        #expect(!delta.isKey && delta.size == nil && delta.templateID == 1)
        // A structure may also come with a frame that refers to others.
        #expect(try !DependencyDescriptor(parsing: descriptor(template: 1, hasStructure: true).span).isKey)
    }

    @Test(arguments: 1...3, 1...3)
    func `Structures of layers tell the size of the highest`(temporal: Int, spatial: Int) throws {
        let sizes = [Resolution.qqvga, .vga, .hd720].prefix(spatial)
        for offset in [0, 5, 62] {
            for template in 0..<2 * temporal * spatial {
                let bytes = descriptor(
                    template: template, hasStructure: true, temporalLayers: temporal, spatialLayers: spatial,
                    offset: offset, sizes: Array(sizes))
                let parsed = try DependencyDescriptor(parsing: bytes.span)
                #expect(parsed.isKey == (template == 0) && parsed.size == sizes.last, "\(template), \(offset)")
            }
        }
    }

    @Test func `Any bytes are read or refused`() throws {
        let whole = descriptor(template: 0, hasStructure: true, temporalLayers: 3)
        for count in 0..<whole.count {
            let parsed = try? DependencyDescriptor(parsing: whole.span.extracting(first: count))
            #expect((parsed == nil) == (count != 3), "\(count)")
        }
        // A template that the structure does not have.
        #expect(throws: RTPError.self) {
            try DependencyDescriptor(parsing: descriptor(template: 9, hasStructure: true).span)
        }
        var random = SeededGenerator(seed: 4)
        var readCount = 0
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if bytes.count > 3, Bool.random(using: &random) { bytes[3] |= 0x80 }
            if (try? DependencyDescriptor(parsing: bytes.span)) != nil { readCount += 1 }
        }
        #expect(readCount > 1000)
    }

    @Test func `Mutated descriptors are read or refused`() {
        let seeds = (1...3).map { descriptor(template: 0, hasStructure: true, temporalLayers: $0, spatialLayers: 2) }
        var readCount = 0
        for input in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 6)) {
            if (try? DependencyDescriptor(parsing: input.span)) != nil { readCount += 1 }
        }
        #expect((1000..<100_000).contains(readCount), "\(readCount)")
    }
}
