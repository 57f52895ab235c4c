import RillCore
import RillRTP
import RillTestSupport
import Testing

@testable import RillContainers

/// Which packets a decoder can begin with, by their bytes.
struct EntryFinderTests {
    private func finding(_ codec: EntryFinder.Codec, _ packets: [[UInt8]], isKey: Bool = true) -> [Bool] {
        var finder = EntryFinder(codec)
        return packets.map { packet in finder.look(at: packet.span, isMarkedAsKey: isKey).isClean }
    }

    @Test func `The first bit marks a VP8 key frame, a hidden frame shows nothing`() {
        let rest = [UInt8](repeating: 0, count: 9)
        #expect(
            finding(.builtIn(.vp8), [[0x10] + rest, [0x11] + rest, [0x00] + rest, [0x10]]) == [
                true, false, false, false,
            ])
        var finder = EntryFinder(.builtIn(.vp8))
        let (hidden, shown) = ([UInt8](repeating: 0x01, count: 10), [UInt8](repeating: 0x11, count: 10))
        #expect(!finder.look(at: hidden.span, isMarkedAsKey: false).isShown)
        #expect(finder.look(at: shown.span, isMarkedAsKey: false).isShown)
    }

    /// Profiles 0 and 3; a delta frame, a frame shown again, a hidden key frame.
    @Test(
        arguments: [
            (0b1000_0010, true), (0b1011_0001, true), (0b1000_0110, false), (0b1000_1010, false), (0b1000_0000, false),
            (0b1011_1001, false), (0b0100_0010, false),
        ] as [(UInt8, Bool)])
    func `A key frame of VP9 is one by its header`(first: UInt8, isKey: Bool) {
        #expect(finding(.builtIn(.vp9), [[first, 0x49, 0x83, 0x42]]) == [isKey])
    }

    @Test func `H.264 starts at an IDR with the parameter sets that it needs`() {
        let (sps, pps, idr, slice): ([UInt8], [UInt8], [UInt8], [UInt8]) = (
            [0x67, 1], [0x68, 2], [0x65, 3], [0x41, 4]
        )
        func packet(_ units: [UInt8]...) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }
        func boxed(_ units: [UInt8]...) -> [UInt8] { units.flatMap { [0, 0, 0, UInt8($0.count)] + $0 } }
        // In a container, which has them.
        #expect(finding(.h264(lengthSize: 4), [boxed(idr), boxed(slice), boxed(idr, slice)]) == [true, false, false])
        // In a stream: only with its own.
        #expect(
            finding(.h264(lengthSize: nil), [packet(sps, pps, idr), packet(slice), packet(sps, pps, idr), packet(idr)])
                == [true, false, true, false])
        // Other sets than before: a reader that starts later does not have all of them.
        #expect(
            finding(
                .h264(lengthSize: nil), [packet(sps, pps, idr), packet([0x67, 9], pps, idr), packet(sps, pps, idr)])
                == [true, false, false])
        // Cut inside a unit.
        #expect(finding(.h264(lengthSize: 4), [[0, 0, 0, 9, 0x65]]) == [false])
    }

    @Test func `HEVC starts at an IDR, not at a CRA`() {
        func packet(_ kind: UInt8) -> [UInt8] { [0, 0, 0, 3, kind << 1, 1, 0] }
        #expect(
            finding(.hevc(lengthSize: 4), [packet(19), packet(20), packet(21), packet(1)]) == [
                true, true, false, false,
            ])
    }

    @Test func `A JPEG has its own tables`() {
        let (quantizers, codes): ([UInt8], [UInt8]) = ([0xFF, 0xDB, 0, 3, 0], [0xFF, 0xC4, 0, 3, 0])
        let scan: [UInt8] = [0xFF, 0xDA, 0, 2]
        #expect(
            finding(
                .jpeg,
                [
                    [0xFF, 0xD8] + quantizers + codes + scan, [0xFF, 0xD8] + quantizers + scan,
                    [0xFF, 0xD8] + codes + scan,
                ])
                == [true, false, false])
    }

    @Test func `AV1 starts at a shown key frame after a sequence header`() {
        let (delimiter, sequence): ([UInt8], [UInt8]) = ([0x12, 0], [0x0A, 1, 0])
        func frame(_ first: UInt8) -> [UInt8] { [0x32, 1, first] }
        #expect(
            finding(
                .av1, [delimiter + sequence + frame(0x10), delimiter + frame(0x10), delimiter + sequence + frame(0x30)])
                == [true, false, false])
    }

    @Test func `Other codecs are entered only at the start`() {
        #expect(finding(.other, [[1, 2, 3]]) == [false])
        #expect(finding(.independent, [[1]]) == [true])
        #expect(finding(.independent, [[1]], isKey: false) == [false])
        var finder = EntryFinder(.independent)
        finder.noteChange()
        let packet: [UInt8] = [1]
        #expect(!finder.look(at: packet.span, isMarkedAsKey: true).isClean)
    }

    @Test func `No bytes bring it down`() {
        let seeds: [[UInt8]] = [
            [0, 0, 0, 1, 0x67, 1, 2, 0, 0, 0, 1, 0x68, 3, 0, 0, 1, 0x65, 4, 5, 6, 0, 0],
            [0, 0, 0, 2, 0x67, 1, 0, 0, 0, 2, 0x65, 7], [0x12, 0, 0x0A, 1, 0, 0x32, 3, 0x10, 1, 2],
            [0xFF, 0xD8, 0xFF, 0xDB, 0, 3, 0, 0xFF, 0xC4, 0, 3, 0, 0xFF, 0xDA, 0, 2, 1], [0x82, 0x49, 0x83, 0x42],
        ]
        let codecs: [EntryFinder.Codec] = [
            .builtIn(.vp8), .builtIn(.vp9), .av1, .mpegVideo, .jpeg, .h264(lengthSize: 4), .h264(lengthSize: 1),
            .h264(lengthSize: nil),
            .hevc(lengthSize: 2), .hevc(lengthSize: nil),
        ]
        var finders = codecs.map(EntryFinder.init)
        var clean = 0
        for (index, input) in MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 5)).enumerated() {
            let which = index % finders.count
            clean += finders[which].look(at: input.span, isMarkedAsKey: true).isClean ? 1 : 0
        }
        #expect(clean > 1000)
    }
}
