#if Server
import RillCore
import RillRooms
import RillTestSupport
import RillThreads
import Testing

@testable import RillRoomClient

/// Whose pictures a section shows, in virtual time.
struct RoomPicturesTests {
    private static let ben = RoomPictures.Key(uid: 1, kind: .video)
    private static let carl = RoomPictures.Key(uid: 2, kind: .video)

    /// Pictures of one section, shown for two people.
    private final class Stage {
        let time = LiveClock.VirtualTime()
        let pictures: RoomPictures
        let events = Monitor([String]())
        let (ben, carl) = (PictureCounter(), PictureCounter())
        let picture: VideoFrame

        init() throws {
            let events = events
            pictures = RoomPictures(clock: LiveClock(time)) { event in events.withLock { $0.append("\(event)") } }
            let frame = try existing(FramePool(resolution: .qqvga, capacity: 1).makeFrame())
            picture = frame.finish(captureTime: .zero)
            pictures.show(RoomPicturesTests.ben, on: ben.sink())
            pictures.show(RoomPicturesTests.carl, on: carl.sink())
        }

        func pass(_ milliseconds: Int) { time.now = time.now + .milliseconds(milliseconds) }
        func set(_ key: RoomPictures.Key?) {
            pictures.set(SlotState(mid: "3", uid: key?.uid, kind: key?.kind, layer: "high"))
        }
        func show() { pictures.show(picture, "3") }
        var counts: [Int] { [ben.count, carl.count] }
    }

    @Test func `What is on its way of somebody before is not shown as somebody else's`() throws {
        let stage = try Stage()
        stage.show()
        #expect(stage.counts == [0, 0], "the section shows nobody yet")
        stage.set(Self.ben)
        stage.pictures.takeKeyFrame("3")
        stage.show()
        stage.pass(1000)
        stage.show()
        #expect(stage.counts == [2, 0])
        // Ben's last pictures come after the message that the section is Carl's.
        stage.set(Self.carl)
        stage.show()
        stage.pass(100)
        stage.show()
        #expect(stage.counts == [2, 0])
        stage.pictures.takeKeyFrame("3")
        stage.show()
        #expect(stage.counts == [2, 1])
        #expect(stage.pictures.slot(of: Self.carl)?.mid == "3" && stage.pictures.slot(of: Self.ben) == nil)
    }

    @Test func `A key frame that comes before the message is the first one`() throws {
        let stage = try Stage()
        stage.set(Self.ben)
        stage.pictures.takeKeyFrame("3")
        stage.show()
        stage.pass(1000)
        stage.pictures.takeKeyFrame("3")
        stage.pass(20)
        stage.set(Self.carl)
        stage.show()
        #expect(stage.counts == [1, 1])
    }

    @Test func `Without a key frame pictures are shown after a while`() throws {
        let stage = try Stage()
        stage.set(Self.ben)
        stage.show()
        stage.pass(1000)
        stage.set(Self.carl)
        stage.pass(299)
        stage.show()
        #expect(stage.counts == [1, 0])
        stage.pass(1)
        stage.show()
        #expect(stage.counts == [1, 1])
        // Another layer of the same is no other picture.
        stage.set(Self.carl)
        stage.show()
        #expect(stage.counts == [1, 2])
    }

    @Test func `A sink that cannot be finished is reported, and the one in its place goes on`() throws {
        final class Broken: FrameSink {
            func consume(_ frame: VideoFrame) {}
            func finish() throws { throw TestFailure("no place on the disk") }
        }
        let stage = try Stage()
        stage.pictures.show(Self.ben, on: Broken())
        stage.pictures.show(Self.ben, on: stage.ben.sink())
        stage.pictures.finishHidden()
        #expect(stage.events.withLock { $0.map(\.self) }.contains { $0.contains("no place on the disk") })
        #expect(stage.pictures.isShown(Self.ben))
        stage.set(Self.ben)
        stage.show()
        #expect(stage.ben.count == 1)
    }

    @Test func `Sinks are finished once, and all at the end`() throws {
        let stage = try Stage()
        let other = PictureCounter()
        stage.pictures.show(Self.ben, on: other.sink())
        #expect(!stage.ben.isFinished)
        stage.pictures.finishHidden()
        #expect(stage.ben.isFinished && !other.isFinished)
        stage.pictures.hide(UID(rawValue: 1))
        stage.pictures.finishHidden()
        #expect(other.isFinished && !stage.carl.isFinished)
        stage.pictures.finishHidden(all: true)
        #expect(stage.carl.isFinished)
        stage.set(Self.carl)
        stage.show()
        #expect(stage.carl.count == 0)
        #expect(stage.events.withLock { $0.isEmpty })
    }
}
#endif
