import RillCore
import RillPeer
import RillPeerSupport
import RillTestSupport
import Testing

@testable import RillForward

/// A thread that is late leaves out large layers first, then small ones, never sound or consent.
@Suite struct OverloadTests {
    /// Notes lateness fifty times a second, and returns the level after each second.
    private func levels(_ control: inout OverloadControl, from start: Int = 0, _ lateness: [Int]) -> [OverloadLevel] {
        lateness.enumerated().map { second, milliseconds in
            for tick in 0..<50 {
                let now = MediaTime.zero + .milliseconds((start + second) * 1000 + tick * 20)
                _ = control.note(.milliseconds(milliseconds), at: now)
            }
            return control.level
        }
    }

    @Test func `What is left out follows the lateness, and takes its time to return`() {
        var control = OverloadControl()
        #expect(levels(&control, [0, 10, 49, 0]) == [.none, .none, .none, .none])
        #expect(levels(&control, from: 4, [80, 80]) == [.pictures, .pictures])
        #expect(levels(&control, from: 6, [0, 0, 0, 0, 0]).suffix(1) == [.none])
        // It does not last: the next time takes longer.
        var steps = 0
        for cycle in 0..<10 {
            _ = levels(&control, from: 20 + cycle * 40, [80])
            let calm = levels(&control, from: 21 + cycle * 40, Array(repeating: 0, count: 39))
            steps = calm.firstIndex(of: .none) ?? 39
        }
        #expect(steps <= 5, "far apart they do not count as one: \(steps)")
        var flapping = OverloadControl()
        var (late, second) = (0, 0)
        while second < 120 {
            // Late whenever nothing is left out.
            let isLate = flapping.level == .none
            if isLate { late += 1 }
            _ = levels(&flapping, from: second, [isLate ? 80 : 0])
            second += 1
        }
        #expect(late <= 12, "\(late) of 120 s")
    }

    @Test func `A moment of lateness is nothing, and rest is calm`() {
        var control = OverloadControl()
        for second in 0..<20 {
            let now = MediaTime.zero + .seconds(second)
            var hasChanged = control.note(.milliseconds(200), at: now)
            hasChanged = control.note(.zero, at: now + .milliseconds(150)) || hasChanged
            #expect(!hasChanged)
        }
        #expect(control.level == .none)
    }

    @Test func `Large layers are left out first, then all pictures, and sound goes on`() throws {
        let room = try ForwardNetwork("delay=20ms")
        let publisher = try room.join("a", slots: 0)
        let viewer = try room.join("eve", publishes: false, slots: 1, soundSlots: 1)
        room.run(.seconds(1))
        try room.forwarder.want("a", StreamWish(), for: viewer.id, at: room.now)
        /// Runs for a while, in which the forwarder's thread is late; returns what the viewer got.
        func run(_ seconds: Int, late milliseconds: Int, from number: inout Int) throws -> (Int, Int, Int) {
            let before = (viewer.highFrames.count, viewer.lowFrames.count, viewer.end.payloads.count)
            room.server.lateness = .milliseconds(milliseconds)
            for _ in 0..<50 * seconds {
                try publisher.speak(number)
                number += 1
                room.run(.milliseconds(20))
            }
            return (
                viewer.highFrames.count - before.0, viewer.lowFrames.count - before.1,
                viewer.end.payloads.count - before.2
            )
        }
        var number = 0
        var (high, low, sound) = try run(4, late: 0, from: &number)
        #expect(high > 80 && (195...200).contains(sound), "\(high), \(low), \(sound)")
        (high, low, sound) = try run(6, late: 80, from: &number)
        #expect(high < 15 && low < 5 && (299...301).contains(sound), "\(high), \(low), \(sound)")
        (high, low, sound) = try run(12, late: 0, from: &number)
        #expect(high > 150 && (599...601).contains(sound), "\(high), \(low), \(sound)")
        #expect(viewer.end.failure == nil && room.forwarder.overload == .none)
        let told = room.server.events.compactMap { event -> OverloadLevel? in
            if case .overloadChanged(to: let level) = event.event { level } else { nil }
        }
        #expect(told == [.largeLayers, .pictures, .largeLayers, .none] && room.forwarder.overloadCount == 2)
        // Where large layers alone are too much, the small ones go on.
        room.server.latenessLimit = .largeLayers
        (high, low, sound) = try run(30, late: 80, from: &number)
        #expect(high < 300 && low > 75 && (1499...1501).contains(sound), "\(high), \(low), \(sound)")
        #expect(room.forwarder.overload < .pictures)
    }
}
