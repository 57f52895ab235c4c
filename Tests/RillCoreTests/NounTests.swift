import RillCore
import Testing

struct NounTests {
    @Test func `Resolutions from outside are checked`() {
        #expect(Resolution(validatingWidth: 0, height: 10) == nil)
        #expect(Resolution(validatingWidth: 10, height: -1) == nil)
        #expect(Resolution(validatingWidth: 100_000, height: 100_000) == nil)
        #expect(Resolution(validatingWidth: 16383, height: 1)?.description == "16383x1")
    }

    @Test func `RIDs are letters and digits that fit inline`() {
        for good in ["h", "high", "Layer01", "abcdefghijklmno"] {
            #expect(StreamLayer.RID(validating: good)?.description == good)
        }
        for bad in ["", "a b", "hi-gh", "ü", "abcdefghijklmnop"] {
            #expect(StreamLayer.RID(validating: bad) == nil, "\(bad)")
        }
    }

    @Test func `References keep their order and hold none twice`() {
        var references = FrameReferences()
        for number in [5, 3, 5, 9] as [Int64] { references.append(number) }
        #expect(references.count == 3)
        #expect([references[0], references[1], references[2]] == [5, 3, 9])
        #expect(references.contains(9) && !references.contains(4))
        #expect(references != FrameReferences(5))
    }

    @Test func `Stamps of sender and receiver join`() {
        var sent = FrameTimestamps()
        sent[.captured] = .zero
        sent[.sent] = .zero + .milliseconds(3)
        var received = FrameTimestamps()
        received[.arrived] = .zero + .milliseconds(40)
        received[.sent] = .zero + .milliseconds(999)
        let joined = sent.merging(received)
        #expect(joined[.captured] == .zero)
        #expect(joined[.sent] == .zero + .milliseconds(3))
        #expect(joined[.arrived] == .zero + .milliseconds(40))
        #expect(joined[.shown] == nil)
        sent[.sent] = nil
        #expect(sent[.sent] == nil)
    }

    @Test func `Bitrates read in the command line's grammar`() {
        #expect(Bitrate.kilobits(45).description == "45k")
        #expect(Bitrate.megabits(2).description == "2M")
        #expect(Bitrate.kilobits(1500).description == "1500k")
        #expect(Bitrate(bitsPerSecond: 1234).description == "1234")
        #expect(Bitrate.megabits(2).duration(ofBytes: 1250) == .milliseconds(5))
    }

    @Test func `A seed gives its sequence`() {
        // The first outputs for seed 0 as the author's reference code gives them.
        var random = SeededGenerator(seed: 0)
        #expect(random.next() == 0xE220_A839_7B1D_CDAF)
        #expect(random.next() == 0x6E78_9E6A_A1B9_65F4)
        for _ in 0..<1000 { #expect((0..<1).contains(random.unitInterval())) }
    }
}
