import RillCore
import RillRTP
import Testing

@testable import RillForward

/// Who speaks, by levels alone.
@Suite struct DominantSpeakerTests {
    /// Speakers whose levels come each 20 ms.
    private struct Room {
        var histories: [SpeechHistory]
        var dominant = DominantSpeaker()
        var now = MediaTime.zero
        /// Who became dominant, and when, in milliseconds.
        var changes: [(speaker: Int, time: Int)] = []

        init(_ count: Int) { histories = Array(repeating: SpeechHistory(), count: count) }

        /// Runs for a while, with a level in dB below overload for each speaker at each time; `nil` for no packet.
        mutating func run(_ milliseconds: Int, _ level: (_ speaker: Int, _ time: Int) -> UInt8?) {
            for step in 0..<milliseconds / 20 {
                for speaker in histories.indices {
                    guard let attenuation = level(speaker, 20 * step) else { continue }
                    histories[speaker].note(AudioLevel(attenuation: attenuation, isVoice: true), at: now)
                }
                if dominant.isDue(at: now), dominant.decide(among: histories.enumerated().map { ($0, $1) }, at: now) {
                    changes.append((dominant.current ?? -1, Int(now.nanoseconds / 1_000_000)))
                }
                now = now + .milliseconds(20)
            }
        }
    }

    /// Speech as a level sees it: syllables of 160 ms, with 60 ms between them.
    private static func speech(_ time: Int) -> UInt8 { time % 220 < 160 ? 25 : 55 }

    @Test(arguments: [true, false])
    func `Who begins to speak is dominant within a second, and stays so while silent`(sendsSilence: Bool) {
        for start in stride(from: 2000, to: 2300, by: 20) {
            var room = Room(17)
            room.run(start) { _, _ in sendsSilence ? 70 : nil }
            #expect(room.changes.isEmpty)
            room.run(3000) { $0 == 4 ? Self.speech($1) : sendsSilence ? 70 : nil }
            #expect(room.changes.map(\.speaker) == [4] && room.changes[0].time <= start + 1000, "\(room.changes)")
            room.run(10_000) { _, _ in sendsSilence ? 70 : nil }
            #expect(room.changes.count == 1 && room.dominant.current == 4)
        }
    }

    @Test func `Another one takes over within a second after the first stops`() {
        var room = Room(3)
        room.run(4000) { $0 == 0 ? Self.speech($1) : 70 }
        room.run(4000) { $0 == 2 ? Self.speech($1) : 70 }
        #expect(room.changes.map(\.speaker) == [0, 2] && room.changes[1].time < 5000, "\(room.changes)")
    }

    @Test func `Tones are speech too`() {
        var room = Room(2)
        for _ in 0..<5 {
            room.run(5000) { speaker, _ in speaker == 0 ? 20 : 127 }
            room.run(5000) { speaker, _ in speaker == 1 ? 20 : 127 }
        }
        #expect(room.changes.map(\.speaker) == [0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
        for (index, change) in room.changes.enumerated() { #expect(change.time - 5000 * index <= 1000, "\(change)") }
    }

    @Test func `A click or a cough of 100 ms takes nobody's place, in silence and in speech`() {
        var room = Room(3)
        room.run(1000) { speaker, _ in speaker == 1 ? 5 : 70 }
        #expect(room.changes.map(\.speaker) == [1])
        for start in stride(from: 0, to: 2000, by: 130) {
            room.run(3000) { $0 == 2 && (start..<start + 100).contains($1) ? 3 : 70 }
            room.run(3000) { $0 == 2 && (start..<start + 100).contains($1) ? 3 : $0 == 1 ? Self.speech($1) : 70 }
        }
        #expect(room.changes.count == 1, "\(room.changes)")
    }

    @Test func `Two who speak at once do not alternate`() {
        var room = Room(2)
        room.run(2000) { $0 == 0 ? Self.speech($1) : 70 }
        room.run(60_000) { $0 == 0 ? Self.speech($1) : Self.speech($1 + 110) }
        #expect(room.changes.count <= 3, "\(room.changes)")
    }

    @Test func `Steady noise is not speech, and levels of any value do no harm`() {
        var room = Room(2)
        room.run(30_000) { _, time in UInt8(50 + time / 20 % 3) }
        #expect(room.changes.isEmpty, "\(room.changes)")
        var random = SeededGenerator(seed: 4)
        var history = SpeechHistory()
        for _ in 0..<100_000 {
            let time = MediaTime(nanoseconds: .random(in: 0...100_000_000_000, using: &random))
            history.note(AudioLevel(attenuation: .random(in: 0...127, using: &random), isVoice: false), at: time)
            let activity = history.activity(at: time)
            #expect((0...13).contains(activity.immediate) && (0...5).contains(activity.medium))
            #expect((0...10).contains(activity.long))
        }
    }

    @Test func `Who leaves is forgotten`() {
        var room = Room(2)
        room.run(2000) { $0 == 0 ? Self.speech($1) : 70 }
        let (other, own) = (room.dominant.remove(1), room.dominant.remove(0))
        #expect(!other && own && room.dominant.current == nil)
    }
}
