import RillCore
import RillRTP

/// How active one speaker was in the last second, from the levels of its packets.
///
/// A second is 50 slots of 20 ms. Each holds how many of 13 steps of 2 dB its level is above the noise: the speaker's
/// quietest packets. Blocks of five slots (100 ms), and all ten blocks, count what is above a threshold. This is the
/// front of the method of Volfin and Cohen, "Dominant Speaker Identification for Multipoint Videoconferencing" (2012),
/// which has subbands of a spectrum where packets carry a level only.
struct SpeechHistory: Sendable {
    /// What was active: steps of the newest slot, slots of the newest block, blocks of the second.
    struct Activity: Equatable, Sendable {
        /// 0 to 13.
        var immediate = 0
        /// 0 to 5.
        var medium = 0
        /// 0 to 10.
        var long = 0
    }

    private var steps = [UInt8](repeating: 0, count: SpeechHistory.slotCount)
    /// The number of the newest slot.
    private var newest: Int64?
    /// The level of the noise, in dB above digital silence.
    private var noise = SpeechHistory.noiseRange.upperBound
    /// The smoothed level, in dB above digital silence: it rises within three packets and falls within a second.
    private(set) var loudness = 0.0
    /// When a slot was last active.
    private(set) var activeTime = MediaTime(nanoseconds: .min / 2)

    static let slotLength: Int64 = 20_000_000
    static let slotCount = 50
    static let blockLength = 5
    static let mostSteps = 13
    /// A slot is active above this many steps, a block with at least that many active slots.
    private static let threshold = (steps: 7, slots: 4)
    /// Noise is between -87 and -57 dBov: a speaker whose quietest packets are louder does not pause.
    private static let noiseRange = 40.0...70.0
    /// The first step begins so far above the noise; the threshold is 20 dB above it.
    private static let (margin, step) = (4.0, 2.0)
    /// The noise is taken to rise by this much with each packet, in dB: 0.5 dB a second.
    private static let noiseRise = 0.01
    /// Packets of Opus hold at most 120 ms: their level is that of all slots since the one before.
    private static let longestPacket: Int64 = 6

    /// Takes the level of a packet.
    mutating func note(_ level: AudioLevel, at now: MediaTime) {
        let decibels = 127 - Double(level.attenuation)
        let bounds = SpeechHistory.noiseRange
        noise = min(max(min(noise + SpeechHistory.noiseRise, decibels), bounds.lowerBound), bounds.upperBound)
        let isLouder = decibels > loudness
        loudness += (decibels - loudness) * (isLouder ? 0.4 : 0.05)
        let count = UInt8(
            min(max((decibels - noise - SpeechHistory.margin) / SpeechHistory.step, 0), Double(SpeechHistory.mostSteps))
        )
        let slot = now.nanoseconds / SpeechHistory.slotLength
        advance(to: slot, count)
        if Int(count) > SpeechHistory.threshold.steps { activeTime = now }
    }

    private mutating func advance(to slot: Int64, _ count: UInt8) {
        let all = Int64(SpeechHistory.slotCount)
        let former = newest ?? slot - 1
        guard slot > former else {
            let index = Int(slot % all)
            steps[index] = max(steps[index], count)
            return
        }
        let isGap = slot - former > SpeechHistory.longestPacket
        for passed in max(former + 1, slot - all + 1)...slot {
            steps[Int(passed % all)] = isGap && passed < slot ? 0 : count
        }
        newest = slot
    }

    /// What was active up to now: time without packets is silent.
    func activity(at now: MediaTime) -> Activity {
        guard let newest else { return Activity() }
        let all = Int64(SpeechHistory.slotCount)
        let end = now.nanoseconds / SpeechHistory.slotLength
        var activity = Activity()
        // The slot of now may not be over, and packets come late.
        for slot in max(newest - 1, end - 2)...max(newest, end) where slot <= newest && slot >= 0 {
            activity.immediate = max(activity.immediate, Int(steps[Int(slot % all)]))
        }
        for block in 0..<SpeechHistory.slotCount / SpeechHistory.blockLength {
            var active = 0
            for offset in 0..<SpeechHistory.blockLength {
                let slot = end - Int64(block * SpeechHistory.blockLength + offset)
                guard slot <= newest, slot > newest - all, slot >= 0 else { continue }
                if Int(steps[Int(slot % all)]) > SpeechHistory.threshold.steps { active += 1 }
            }
            if block == 0 { activity.medium = active }
            if active >= SpeechHistory.threshold.slots { activity.long += 1 }
        }
        return activity
    }
}
