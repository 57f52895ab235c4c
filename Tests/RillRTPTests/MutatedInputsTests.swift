import RillCore
import RillTestSupport
import Testing

@Suite struct MutatedInputsTests {
    private let seeds: [[UInt8]] = [Array("W640 H480".utf8), Array(0..<100)]

    @Test func `The same seed gives the same inputs, another seed others`() {
        let inputs = Array(MutatedInputs(of: seeds, count: 1000, using: SeededGenerator(seed: 1)))
        #expect(inputs.count == 1000)
        #expect(inputs == Array(MutatedInputs(of: seeds, count: 1000, using: SeededGenerator(seed: 1))))
        #expect(inputs != Array(MutatedInputs(of: seeds, count: 1000, using: SeededGenerator(seed: 2))))
    }

    @Test func `Inputs vary, are damaged, and do not outgrow their bound`() {
        let inputs = Array(MutatedInputs(of: seeds, count: 2000, using: SeededGenerator(seed: 1), maximumByteCount: 80))
        #expect(Set(inputs).count > 1700)
        #expect(inputs.count { seeds.contains($0) } < 100)
        #expect(inputs.allSatisfy { $0.count <= 80 })
        #expect(inputs.contains { $0.count < 4 } && inputs.contains { $0.count == 80 })
        #expect(inputs.contains { $0.starts(with: "W99999999999999999999".utf8) })
    }

    @Test func `Empty seeds are damaged too`() {
        let inputs = Array(MutatedInputs(of: [[]], count: 100, using: SeededGenerator(seed: 1)))
        #expect(inputs.contains { !$0.isEmpty })
    }
}
