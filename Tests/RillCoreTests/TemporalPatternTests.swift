import RillCore
import Testing

@Suite struct TemporalPatternTests {
    @Test func `Layers come in the order of W3C's diagrams`() {
        func layers(_ pattern: TemporalPattern) -> [Int] { (0..<8).map { pattern.step(at: $0).temporalIndex } }
        #expect(layers(.l1t1) == [0, 0, 0, 0, 0, 0, 0, 0])
        #expect(layers(.l1t2) == [0, 1, 0, 1, 0, 1, 0, 1])
        #expect(layers(.l1t3) == [0, 2, 1, 2, 0, 2, 1, 2])
    }

    @Test func `A pattern is found by its layers`() {
        #expect((0...5).map(TemporalPattern.init(layerCount:)) == [nil, .l1t1, .l1t2, .l1t3, nil, nil])
    }

    @Test(arguments: TemporalPattern.allCases)
    func `References are to frames of lower layers, and the flags match them`(
        pattern: TemporalPattern
    ) {
        let layers = (0..<100).map { pattern.step(at: $0).temporalIndex }
        var isReferredTo = Set<Int>()
        for position in 1..<100 {
            let step = pattern.step(at: position)
            let references = step.distances.map { position - $0 }
            isReferredTo.formUnion(references)
            let label: Comment = "\(pattern) \(position)"
            #expect(
                references.allSatisfy { $0 >= 0 && (layers[$0] < layers[position] || layers[position] == 0) }, label)
            let newestBase = layers[0..<position].lastIndex(of: 0)
            #expect(step.isLayerSync == (step.temporalIndex > 0 && references == [newestBase]), label)
            // U, which every frame of a stream with layers bears: nothing above reaches back over this frame.
            for later in position + 1..<min(100, position + 8) where layers[later] > layers[position] {
                let reaches = pattern.step(at: later).distances.map { later - $0 }
                #expect(reaches.allSatisfy { $0 >= position || layers[$0] <= layers[position] }, label)
            }
        }
        for position in 0..<90 {
            #expect(
                pattern.step(at: position).isDiscardable == !isReferredTo.contains(position), "\(pattern) \(position)")
        }
    }
}
