import RillCore

/// The way back after a dip of the capacity, on a path where trains measure nothing.
///
/// The capacity of a radio link often falls for a second or two (a fade, a handover) and is then what it was. The cuts
/// of such a dip are right, but the search would take many seconds for the way back. So the rate before the first cut
/// is remembered, as CUBIC remembers its window, and once the queue has drained the rate rises by a constant factor
/// a second to a little below it. A queue on the way ends the recovery: then the capacity has changed for good.
struct DipRecovery: Sendable {
    /// The rate before the first cut of the dip, in bits per second; `nil` without a dip.
    private(set) var goal: Double?
    /// Whether the rate has risen since the last cut.
    private var isRising = false
    private var start = MediaTime.zero

    /// The share of ``goal`` that the rate rises to. The search does the rest.
    private static let share = 0.85
    /// The relative growth for each second.
    private static let growth = 2.5
    /// A longer queue is not jitter, in seconds.
    private static let queueLimit = 0.06
    /// A longer dip is a change.
    private static let longestDip = MediaDuration.seconds(15)

    /// The share of ``goal`` that the rate keeps in the first seconds of a dip. The in-flight window limits what is
    /// sent, and a layer that needs less than this is not switched off.
    private static let kept = 0.25
    /// How long cuts leave that share, and until when the rate is at least that again when feedback returns.
    static let keptTime = (cut: MediaDuration.seconds(3), silence: MediaDuration.seconds(6))

    /// The rate that is kept, or restored, in bits per second; 0 for none.
    ///
    /// - Parameters:
    ///   - time: how long after the first cut.
    ///   - now: the current time.
    func floor(for time: MediaDuration = keptTime.cut, at now: MediaTime) -> Double {
        guard let goal, now - start < time else { return 0 }
        return DipRecovery.kept * goal
    }

    /// Records a cut.
    ///
    /// - Parameters:
    ///   - rate: the rate before it, in bits per second.
    ///   - now: the current time.
    mutating func recordCut(from rate: Double, at now: MediaTime) {
        if let goal, now - start <= DipRecovery.longestDip {
            // The capacity fell again on the way: the next attempt ends before that.
            if isRising { self.goal = min(goal, rate) }
        } else {
            (goal, start) = (rate, now)
        }
        isRising = false
    }

    /// The next step of the way back.
    ///
    /// - Parameters:
    ///   - rate: the present rate, in bits per second.
    ///   - queue: the short-term queue in seconds.
    ///   - elapsed: the time since the last step in seconds.
    ///   - now: the current time.
    /// - Returns: the next rate; `nil` if there is no way back, or not yet.
    mutating func next(after rate: Double, queue: Double, elapsed: Double, at now: MediaTime) -> Double? {
        guard let goal else { return nil }
        let isOver = rate >= DipRecovery.share * goal || now - start > DipRecovery.longestDip
        guard !isOver, queue < DipRecovery.queueLimit else {
            if isOver || isRising { reset() }
            return nil
        }
        isRising = true
        return min(DipRecovery.share * goal, rate * (1 + DipRecovery.growth * elapsed))
    }

    /// Forgets the dip.
    mutating func reset() { (goal, isRising) = (nil, false) }
}
