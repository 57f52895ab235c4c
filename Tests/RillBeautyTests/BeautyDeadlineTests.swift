import RillCore
import Testing

@testable import RillBeauty

struct BeautyDeadlineTests {
    /// The cost of each level on a machine that is `slowness` times too slow.
    private func cost(_ level: BeautyLevel, _ slowness: Double) -> MediaDuration {
        let share = [1.0, 0.7, 0.5, 0.3][level.rawValue]
        return MediaDuration(nanoseconds: Int64(1_000_000 * share * slowness))
    }

    private func levels(_ deadline: inout BeautyDeadline, frames: Int, slowness: Double) -> [BeautyLevel] {
        var levels: [BeautyLevel] = []
        for _ in 0..<frames {
            if levels.last != deadline.level { levels.append(deadline.level) }
            deadline.add(cost: cost(deadline.level, slowness))
        }
        return levels
    }

    @Test func `A fast machine does all`() {
        var deadline = BeautyDeadline(budget: .milliseconds(1))
        #expect(levels(&deadline, frames: 1000, slowness: 0.99) == [.full])
        #expect(deadline.levelChanges == 0)
    }

    @Test func `A slow one gives up one after the other`() {
        var deadline = BeautyDeadline(budget: .milliseconds(1))
        #expect(levels(&deadline, frames: 200, slowness: 10) == [.full, .rareMask, .halfStatistics, .unsmoothed])
        var middling = BeautyDeadline(budget: .milliseconds(1))
        #expect(levels(&middling, frames: 60, slowness: 1.3) == [.full, .rareMask])
    }

    @Test func `It recovers when there is room`() {
        var deadline = BeautyDeadline(budget: .milliseconds(1))
        _ = levels(&deadline, frames: 200, slowness: 10)
        #expect(levels(&deadline, frames: 1000, slowness: 0.5) == [.unsmoothed, .halfStatistics, .rareMask, .full])
    }

    @Test func `A machine at its limit does not swing`() {
        // Full costs too much, and the next level leaves room: it is tried again, but ever more seldom.
        var deadline = BeautyDeadline(budget: .milliseconds(1))
        for _ in 0..<18_000 {
            let cost: Int64 = deadline.level == .full ? 1_100_000 : 500_000
            deadline.add(cost: MediaDuration(nanoseconds: cost))
        }
        #expect(deadline.levelChanges < 30, "\(deadline.levelChanges) in ten minutes")
    }

    @Test func `One slow frame is nothing`() {
        var deadline = BeautyDeadline(budget: .milliseconds(1))
        for index in 0..<300 {
            deadline.add(cost: index % 100 == 50 ? .milliseconds(5) : .microseconds(500))
        }
        #expect(deadline.level == .full)
    }
}
