import RillCore
import RillRTP
import Testing

@testable import RillReceive

@Suite struct FrameAssemblerTests {
    /// Sequence number, timestamp, and `S` for start, `M` for marker.
    private func piece(_ sequence: Int64, _ timestamp: Int64, _ flags: String = "") -> FramePiece {
        FramePiece(
            sequence: sequence, timestamp: timestamp,
            label: FrameLabel(), startsFrame: flags.contains("S"), hasMarker: flags.contains("M"), isKey: false,
            byteCount: 1, arrival: .zero)
    }

    /// Places the pieces in that order, and says which frames (by their first number) became whole.
    private func wholeFrames(_ pieces: [FramePiece]) -> [Int64] {
        var packets = PacketBuffer(limit: 64, maximumByteCount: 8)
        var assembler = FrameAssembler(packetCapacity: 64)
        var whole: [Int64] = []
        for piece in pieces {
            guard let index = assembler.place(piece, &packets) else { continue }
            for index in [index - 1, index] where assembler.isNewlyWhole(index, &packets) {
                assembler.complete(index, at: .zero, playout: .zero)
                whole.append(assembler.frames[index].first)
            }
        }
        let frames = (0..<assembler.frames.count).map { assembler.frames[$0] }
        for (a, b) in zip(frames, frames.dropFirst()) { #expect(a.last < b.first) }
        return whole
    }

    @Test func `A frame reaches from start to marker`() {
        #expect(wholeFrames([piece(1, 0, "S"), piece(2, 0), piece(3, 0, "M"), piece(4, 9, "SM")]) == [1, 4])
        #expect(wholeFrames([piece(2, 0), piece(3, 0, "M")]) == [])
        #expect(wholeFrames([piece(1, 0, "S"), piece(3, 0, "M")]) == [])
    }

    @Test func `Any order gives the same frames`() {
        let pieces = [piece(1, 0, "S"), piece(2, 0), piece(3, 0, "M"), piece(4, 9, "S"), piece(5, 9, "M")]
        for seed in 1...100 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            #expect(wholeFrames(pieces.shuffled(using: &generator)).sorted() == [1, 4], "seed \(seed)")
        }
    }

    @Test func `Without markers the next start is the end`() {
        let pieces = [piece(1, 0, "S"), piece(2, 0), piece(3, 9, "S"), piece(4, 9), piece(5, 18, "S")]
        for seed in 1...100 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            #expect(wholeFrames(pieces.shuffled(using: &generator)).sorted() == [1, 3], "seed \(seed)")
        }
    }

    @Test func `Two frames of one timestamp are two frames`() {
        #expect(wholeFrames([piece(1, 0, "SM"), piece(2, 0, "SM"), piece(3, 0, "S"), piece(4, 0, "M")]) == [1, 2, 3])
    }

    @Test func `Packets that contradict their neighbours are not taken`() {
        var packets = PacketBuffer(limit: 64, maximumByteCount: 8)
        var assembler = FrameAssembler(packetCapacity: 64)
        let pieces: [(FramePiece, frame: Int?)] = [
            (piece(10, 0, "S"), 0),
            (piece(14, 0), 0),
            (piece(12, 9), nil),  // another frame inside this one
            (piece(13, 0, "M"), nil),  // the end before the end
            (piece(11, 0, "S"), nil),  // a second start
            (piece(13, 0), 0),
            (piece(15, 0, "M"), 0),
            (piece(16, 0), 1),  // behind the end: another frame
        ]
        for (piece, frame) in pieces {
            let index = assembler.place(piece, &packets)
            #expect(index == frame, "packet \(piece.sequence)")
        }
        #expect((0..<assembler.frames.count).map { assembler.frames[$0].packetCount } == [4, 1])
    }
}
