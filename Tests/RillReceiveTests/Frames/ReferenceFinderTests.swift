import RillCore
import RillPacketSupport
import RillRTP
import RillReceive
import Testing

/// References inferred from temporal layers (RFC 7741 §4.2), as they leave the jitter buffer.
@Suite struct ReferenceFinderTests {
    private var stream = SyntheticStream()
    private let receiver = VirtualReceiver()
    private var tl0PictureIndex: UInt8 = 254
    private var count = 0

    /// The next frame of that temporal layer; inserted unless it is lost.
    private mutating func frame(
        _ layer: UInt8, isSync: Bool = false, isKey: Bool = false, isLost: Bool = false, isDiscardable: Bool = false
    ) {
        if layer == 0 { tl0PictureIndex &+= 1 }
        stream.descriptor.tl0PictureIndex = tl0PictureIndex
        stream.descriptor.temporalLayer = .init(index: layer, isLayerSync: isSync)
        stream.descriptor.isNonReference = isDiscardable
        let frame = stream.frame(isKey: isKey)
        if !isLost { receiver.insert(frame, at: .frame(count)) }
        count += 1
    }

    private func finish() {
        receiver.pass(until: .frame(count) + .seconds(1))
    }

    @Test mutating func `Each layer refers to those below and to itself`() {
        frame(0, isKey: true)
        frame(2, isSync: true)
        frame(1, isSync: true)
        frame(2)
        frame(0)
        frame(2)
        frame(1)
        frame(2)
        finish()
        let expected: [[Int64]] = [
            [], [100], [100], [100, 102, 101], [100], [104, 102, 103], [104, 102], [104, 106, 105],
        ]
        #expect(receiver.frames.map { $0.references } == expected)
        #expect(receiver.frames.map { $0.received.frame.layer.temporalIndex } == [0, 2, 1, 2, 0, 2, 1, 2])
        #expect(receiver.frames.filter { $0.received.frame.isLayerSync }.map { $0.number } == [101, 102])
    }

    @Test mutating func `A lost upper frame does not stop the base`() {
        frame(0, isKey: true)
        frame(1, isSync: true, isLost: true)
        frame(0)
        frame(1)
        frame(0)
        frame(1, isSync: true)
        frame(0)
        frame(1)
        finish()
        // Frame 103 may refer to the lost one; the sync frame 105 does not.
        #expect(receiver.released == [100, 102, 104, 105, 106, 107])
        #expect(receiver.requests.isEmpty)
        #expect(receiver.frames.last?.references == [106, 105])
    }

    @Test mutating func `A lost base frame breaks the chain`() {
        frame(0, isKey: true)
        frame(1, isSync: true)
        frame(0, isLost: true)
        frame(1)
        frame(0)
        frame(1, isSync: true)
        finish()
        #expect(receiver.released == [100, 101])
        #expect(receiver.requests.first == .frame(3) + .milliseconds(100))
    }

    @Test mutating func `A key frame repairs all layers`() {
        frame(0, isKey: true)
        frame(0, isLost: true)
        frame(1)
        frame(0, isKey: true)
        frame(1)
        frame(2)
        finish()
        #expect(receiver.released == [100, 103, 104, 105])
        #expect(receiver.frames.map { $0.references } == [[], [], [103], [103, 104]])
    }

    @Test mutating func `A lost middle layer spoils the top until both are in sync`() {
        frame(0, isKey: true)
        frame(1, isSync: true, isLost: true)
        frame(2, isSync: true)
        frame(0)
        frame(2)
        frame(1, isSync: true)
        frame(2)
        frame(0)
        frame(2, isSync: true)
        frame(1)
        frame(2)
        finish()
        #expect(receiver.released == [100, 102, 103, 105, 107, 108, 109, 110])
        #expect(receiver.requests.isEmpty)
    }

    @Test mutating func `Discardable top frames are not referred to`() {
        frame(0, isKey: true)
        frame(1, isSync: true)
        frame(1, isDiscardable: true)
        frame(1)
        finish()
        #expect(receiver.frames.map { $0.references } == [[], [100], [100, 101], [100, 101]])
    }

    @Test mutating func `A refused upper frame spoils its layer alone`() throws {
        frame(0, isKey: true)
        frame(1, isSync: true)
        finish()
        receiver.buffer.decodingFailed(try #require(receiver.frames.last).received.frame)
        count = 40
        stream.timestamp = stream.timestamp.advanced(by: 38 * 3000)
        frame(0)
        frame(1)
        frame(0)
        finish()
        #expect(receiver.released == [100, 101, 102, 104])
        #expect(receiver.requests.isEmpty)
    }
}
