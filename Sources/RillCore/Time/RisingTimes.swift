/// The times of a clip's pictures as it says them, but always rising.
///
/// Files come from strangers, who join clips without a care for their stamps, and whose counters wrap. Where the stamps go back
/// by more than pictures that change places do, another clip begins: its first picture follows the last one at the usual
/// interval, and all behind it keep their distances. What goes back by less, or stands still, comes right behind the
/// picture before.
package struct RisingTimes: Sendable {
    /// From picture to picture where nothing else is known.
    private let interval: MediaDuration
    /// What is added to each stamp, in nanoseconds.
    private var shift: Int64 = 0
    private var last: Int64?

    /// So far back pictures may stand that only changed places.
    static let mostDisorder = MediaDuration.milliseconds(100)

    package init(interval: MediaDuration) {
        self.interval = interval
    }

    /// The time of the next picture, whose stamp says `stamp`; one interval behind the last where it has none.
    package mutating func time(of stamp: MediaTime?) -> MediaTime {
        guard let stamp = stamp?.nanoseconds else {
            let time = last.map { $0 &+ interval.nanoseconds } ?? 0
            last = time
            return MediaTime(nanoseconds: time)
        }
        // Stamps may lie anywhere: where a number does not hold the sum, any other is as good.
        var time = stamp &+ shift
        if let last, time <= last {
            let (fall, isTooLarge) = last.subtractingReportingOverflow(time)
            if isTooLarge || fall > RisingTimes.mostDisorder.nanoseconds {
                time = last &+ interval.nanoseconds
                shift = time &- stamp
            } else {
                time = last &+ 1
            }
        }
        last = time
        return MediaTime(nanoseconds: time)
    }
}
