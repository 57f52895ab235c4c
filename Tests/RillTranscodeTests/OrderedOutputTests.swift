import RillCodec
import RillCore
import RillMediaSupport
import RillTestSupport
import Testing

@testable import RillTranscode

/// The parts of a clip write to one sink in their order, and the sink is called with no lock held.
@Suite struct OrderedOutputTests {
    private let folder = TemporaryFolder()

    /// Looks, while it is called, whose turn it is.
    private final class Looker: FrameSink, Sendable {
        let output = Monitor<OrderedOutput?>(nil)
        let seen = Monitor([UInt64]())
        let another = Monitor<(@Sendable () -> Void)?>(nil)

        func consume(_ frame: VideoFrame) {
            seen.withLock { $0.append(checksum(frame)) }
            let output = output.withLock { $0 }
            for part in 0..<4 { _ = output?.writer(for: part) }
            // Another part comes to its end meanwhile.
            another.withLock { $0.take() }?()
        }
        func finish() {}
    }

    @Test(arguments: [false, true])
    func `Buffered segments are written in order, also while others end`(endsMeanwhile: Bool) throws {
        let pictures = try TestPictures(.qqvga)
        let sink = Looker()
        let layer = LayerSettings.low
        let output = OrderedOutput(.pictures(layer, sink), spoolFolder: folder.path(""))
        sink.output.withLock { $0 = output }
        let frames = (0..<8).map(pictures.picture)
        /// A part that has made two pictures, and is not at its end.
        func part(_ index: Int) throws -> PartSink {
            let part = PartSink(output, part: index)
            for frame in frames[2 * index..<2 * index + 2] { try part.consume(frame) }
            return part
        }
        let later = try [3, 1].map(part)
        try later[0].finish()
        try later[1].finish()
        #expect(sink.seen.withLock { $0.isEmpty })
        let third = Monitor(try Optional(part(2)))
        let finishThird: @Sendable () -> Void = {
            #expect(throws: Never.self) { try third.withLock { $0.take() }?.finish() }
        }
        let first = try part(0)
        #expect(sink.seen.withLock { $0.count } == 2)
        if endsMeanwhile { sink.another.withLock { $0 = finishThird } }
        try first.finish()
        // Part 1 is written with the end of part 0; part 2 ends in the middle of that, or after it.
        if !endsMeanwhile {
            #expect(sink.seen.withLock { $0.count } == 4)
            finishThird()
        }
        #expect(sink.seen.withLock { $0 } == frames.map(checksum))
        #expect(output.written.framesWritten == 8)
        sink.output.withLock { $0 = nil }
    }
}
