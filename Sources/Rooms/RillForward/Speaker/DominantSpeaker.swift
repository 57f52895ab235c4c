import Glibc
import RillCore

/// Finds who speaks in a room, with hysteresis, by the method of Volfin and Cohen ("Dominant Speaker Identification for
/// Multipoint Videoconferencing", 2012).
///
/// Over three times (20 ms, 100 ms, 1 s) the activity of a speaker is scored by how much likelier speech makes it than
/// noise does. Somebody takes over from the dominant speaker if the logarithms of all three quotients of scores are
/// above limits: who speaks on is not interrupted, and who pauses stays dominant. Who has not spoken for 300 ms of the
/// last second does not take over either: a click or a cough is not a speaker.
///
/// Decide after levels have come; it is a value without a clock.
struct DominantSpeaker: Sendable {
    /// The number of the dominant speaker among those of the room; `nil` before anybody has spoken.
    private(set) var current: Int?
    private var nextDecision = MediaTime(nanoseconds: .min)

    /// From one decision to the next.
    static let interval = MediaDuration.milliseconds(300)
    /// The limits of the logarithms, for 20 ms, 100 ms and 1 s.
    private static let limits = (immediate: 3.0, medium: 2.0, long: 0.0)
    /// The blocks of 100 ms in which a new speaker has spoken at least.
    private static let shortestSpeech = 3

    /// Whether it is time to decide again.
    func isDue(at now: MediaTime) -> Bool { now >= nextDecision }

    /// Decides who is dominant.
    ///
    /// - Parameters:
    ///   - speakers: the numbers of all speakers, with what they said.
    ///   - now: the current time.
    /// - Returns: whether somebody else is dominant now.
    mutating func decide(among speakers: [(id: Int, history: SpeechHistory)], at now: MediaTime) -> Bool {
        nextDecision = now + DominantSpeaker.interval
        let dominant = speakers.first { $0.id == current }.map { Scores($0.history.activity(at: now)) } ?? .least
        var best: (id: Int, medium: Double)?
        for speaker in speakers where speaker.id != current {
            let activity = speaker.history.activity(at: now)
            guard activity.long >= DominantSpeaker.shortestSpeech else { continue }
            let (scores, limits) = (Scores(activity), DominantSpeaker.limits)
            let medium = Scores.ratio(scores.medium, dominant.medium)
            guard Scores.ratio(scores.immediate, dominant.immediate) > limits.immediate, medium > limits.medium,
                Scores.ratio(scores.long, dominant.long) > limits.long, medium > best?.medium ?? limits.medium
            else { continue }
            best = (speaker.id, medium)
        }
        guard let best else { return false }
        current = best.id
        return true
    }

    /// Forgets a speaker who has left.
    ///
    /// - Returns: whether it was the dominant one.
    mutating func remove(_ id: Int) -> Bool {
        guard current == id else { return false }
        current = nil
        return true
    }

    /// The scores of an activity (Volfin and Cohen, section III).
    private struct Scores {
        var immediate: Double
        var medium: Double
        var long: Double

        static let least = Scores(SpeechHistory.Activity())

        init(_ activity: SpeechHistory.Activity) {
            immediate = Scores.immediates[activity.immediate]
            medium = Scores.mediums[activity.medium]
            long = Scores.longs[activity.long]
        }

        static func ratio(_ score: Double, _ other: Double) -> Double { log(score / other) }

        private static let immediates = table(SpeechHistory.mostSteps, 0.78)
        private static let mediums = table(SpeechHistory.blockLength, 24)
        private static let longs = table(SpeechHistory.slotCount / SpeechHistory.blockLength, 47)

        /// The scores of 0 to `count` active parts: the logarithm of a binomial distribution of speech, over an
        /// exponential one of silence.
        private static func table(_ count: Int, _ rate: Double) -> [Double] {
            var binomial = 1.0
            return (0...count).map { active in
                defer { binomial *= Double(count - active) / Double(active + 1) }
                let score = log(binomial) - Double(count) * log(2) - log(rate) + rate * Double(active)
                return max(score, 1e-10)
            }
        }
    }
}
