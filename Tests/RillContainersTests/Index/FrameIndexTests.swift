import Testing

@testable import RillContainers

/// Which frames there are and where they can be entered, from timestamps alone; and whether a picture is the one
/// expected.
struct FrameIndexTests {
    private func packets(_ timestamps: [Int64?], clean: Set<Int>, hidden: Set<Int> = []) -> [FrameIndex.Packet] {
        timestamps.enumerated().map { index, stamp in
            FrameIndex.Packet(stamp: stamp, isShown: !hidden.contains(index), isClean: clean.contains(index))
        }
    }

    @Test func `Frames are numbered by their timestamps, whatever the order of the packets`() {
        let index = FrameIndex(packets([0, 3, 1, 2, 4, 7, 5, 6], clean: [0, 4]))
        #expect(index.timestamps == [0, 1, 2, 3, 4, 5, 6, 7] && index.inexactness == nil)
        #expect(index.entries == [.init(frame: 0, packet: 0), .init(frame: 4, packet: 4)])
        #expect((0..<8).map { index.entry(for: $0).packet } == [0, 0, 0, 0, 4, 4, 4, 4])
    }

    @Test func `A key frame with leading pictures is not an entry point`() {
        // Frame 4 stands before 2 and 3, which are shown before it.
        let index = FrameIndex(packets([0, 1, 4, 2, 3, 5], clean: [0, 2]))
        #expect(index.entries == [.init(frame: 0, packet: 0)])
    }

    @Test func `Frames that are not shown have no number`() {
        let index = FrameIndex(packets([0, 1, 1, 2, 3, 4], clean: [0, 4], hidden: [2]))
        #expect(index.timestamps == [0, 1, 2, 3, 4])
        #expect(index.entries.last == .init(frame: 3, packet: 4))
    }

    @Test func `Stamps that are missing or equal are a inexactness`() {
        #expect(FrameIndex(packets([0, nil, 2], clean: [0, 2])).inexactness == .missingTimestamp(packet: 1))
        #expect(FrameIndex(packets([0, 5, 5], clean: [0, 2])).inexactness == .equalTimestamps(5))
        #expect(FrameIndex(packets([0, nil, 2], clean: [0, 2])).entries.count == 1)
        #expect(FrameIndex(limit: 9).inexactness == .tooManyPackets(limit: 9))
        #expect(FrameIndex([]).timestamps.isEmpty)
    }

    private let timestamps: [Int64] = [0, 10, 20, 30, 40, 50]

    @Test func `From the start pictures are placed by their timestamps`() {
        var window = FrameWindow(2..<4, timestamps: timestamps)
        #expect([0, 10, 20, 30, 40].map { window.place($0) } == [.before, .before, .inside, .inside, .behind])
        // One is missing, one has no stamp, one goes back: they stay with the picture before.
        window = FrameWindow(2..<4, timestamps: timestamps)
        #expect([0, 20, nil, 10, 40].map { window.place($0) } == [.before, .inside, .inside, .inside, .behind])
        window = FrameWindow(2..<4, timestamps: timestamps, given: 1)
        #expect([10, 20, 30].map { window.place($0) } == [.before, .before, .inside])
    }

    @Test func `Without timestamps pictures are counted`() {
        var window = FrameWindow(1..<3)
        #expect([nil, nil, nil].map { window.place($0) } == [.before, .inside, .inside])
        #expect(window.isDone)
    }

    @Test func `From an entry on every picture has to be the one that the index expects`() {
        var window = FrameWindow(3..<5, start: 2, timestamps: timestamps)
        #expect([20, 30, 40, 50].map { window.place($0) } == [.before, .inside, .inside, .behind])
        window = FrameWindow(3..<5, start: 2, timestamps: timestamps)
        #expect([20, 40].map { window.place($0) } == [.before, .unexpected])
        window = FrameWindow(3..<5, start: 2, timestamps: timestamps)
        #expect([20, 30].map { window.place($0) } == [.before, .inside] && window.lacksPictures)
        // Also behind the range: out of order there is a picture of the range.
        window = FrameWindow(3..<5, start: 2, timestamps: timestamps)
        #expect([20, 30, 40, 35].map { window.place($0) } == [.before, .inside, .inside, .unexpected])
    }
}
