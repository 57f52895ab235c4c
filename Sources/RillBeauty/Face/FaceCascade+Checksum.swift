extension FaceCascade {
    /// A checksum of all numbers, the same on every machine. It distinguishes cascades that find different faces.
    ///
    /// FNV-1a, 64 bits, over 32-bit words. Computed by each call, in some 100 thousand instructions.
    public var checksum: UInt64 {
        var sum = Checksum()
        sum.add(side)
        for feature in features {
            sum.add(feature.count)
            for part in feature { [part.x, part.y, part.width, part.height, part.weight].forEach { sum.add($0) } }
        }
        for stage in stages {
            sum.add(stage.threshold)
            for tree in stage.trees {
                sum.add(tree.count)
                for node in tree {
                    sum.add(node.feature)
                    sum.add(node.threshold)
                    sum.add(node.below)
                    sum.add(node.above)
                }
            }
        }
        return sum.value
    }

    private struct Checksum {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

        private mutating func add(word: UInt32) { value = (value ^ UInt64(word)) &* 0x0000_0100_0000_01B3 }

        mutating func add(_ number: Int) { add(word: UInt32(truncatingIfNeeded: number)) }
        mutating func add(_ number: Float) { add(word: number.bitPattern) }

        mutating func add(_ branch: Node.Branch) {
            switch branch {
            case .node(let index): add(index)
            case .leaf(let value): add(value)
            }
        }
    }
}
