/// The samples of a call of any length, in bounded memory: above ``limit`` samples, neighbors are joined into longer
/// ones.
///
/// The older a sample, the longer it becomes: up to a fiftieth of its age, and up to a five-hundredth of the call. So a
/// plot of the call, or of its last minutes, loses nothing that could be seen.
struct CallSamples {
    private(set) var all: [CallLog.Sample] = []

    /// The most samples: 10 minutes of two a second, which nothing is joined in.
    static let limit = 1200
    /// Joining leaves at most this many, so that it is rare.
    private static let rest = limit * 3 / 4

    mutating func append(_ sample: CallLog.Sample) {
        all.append(sample)
        guard all.count > Self.limit else { return }
        var scale = 1.0
        while all.count > Self.rest {
            join(scale)
            scale *= 1.5
        }
    }

    mutating func removeLast() { all.removeLast() }

    /// Joins neighbors, from the oldest on, whose common length is at most `scale` times what their age allows.
    private mutating func join(_ scale: Double) {
        guard let newest = all.last, let oldest = all.first else { return }
        let longest = (newest.time - oldest.time) / 500
        var joined: [CallLog.Sample] = []
        joined.reserveCapacity(Self.limit + 1)
        for sample in all.dropLast() {
            let length = scale * min(longest, (newest.time - sample.time) / 50)
            if let last = joined.last, sample.time - (last.time - last.length) <= length {
                joined[joined.count - 1] = last.joined(with: sample)
            } else {
                joined.append(sample)
            }
        }
        // The newest is not joined: a short rest of the call may still be added to it.
        all = joined + [newest]
    }
}

extension CallLog.Sample {
    /// Returns one sample of this one's time and the following one's: rates and levels are means, counts are sums.
    func joined(with next: CallLog.Sample) -> CallLog.Sample {
        let total = length + next.length
        func mean(_ value: (CallLog.Sample) -> Double) -> Double {
            (value(self) * length + value(next) * next.length) / total
        }
        func known(_ value: (CallLog.Sample) -> Double?) -> Double? {
            guard let here = value(self), let there = value(next) else { return value(self) ?? value(next) }
            return (here * length + there * next.length) / total
        }
        func means(_ value: (CallLog.Sample) -> [Double]) -> [Double] {
            zip(value(self), value(next)).map { ($0 * length + $1 * next.length) / total }
        }
        return CallLog.Sample(
            time: next.time, length: total, sent: mean(\.sent), received: mean(\.received),
            framesEncoded: means(\.framesEncoded), framesShown: means(\.framesShown), lost: mean(\.lost),
            lostThere: known(\.lostThere), roundTripTime: known(\.roundTripTime), playoutDelay: known(\.playoutDelay),
            retransmitted: retransmitted + next.retransmitted, freezes: freezes + next.freezes,
            estimated: known(\.estimated), packetSendDelay: known(\.packetSendDelay), targets: means(\.targets),
            cuts: cuts + next.cuts, probes: probes + next.probes)
    }
}

/// The events of a call in bounded memory: above ``limit``, the oldest but the first few are left out, and counted.
struct CallNotes {
    private var first: [CallLog.Note] = []
    private var newest: [CallLog.Note] = []
    private var omitted = 0

    /// The most events, and how many of the first and of the newest among them are kept.
    static let limit = 1000
    private static let firstCount = 200

    mutating func append(_ note: CallLog.Note) {
        guard first.count == Self.firstCount else { return first.append(note) }
        newest.append(note)
        guard newest.count > Self.limit - Self.firstCount else { return }
        // A tenth at a time: to remove one moves all others.
        let count = Self.limit / 10
        newest.removeFirst(count)
        omitted += count
    }

    /// The events in order, and in place of those that were left out their number.
    var all: [CallLog.Note] {
        guard omitted > 0, let next = newest.first else { return first + newest }
        return first + [CallLog.Note(time: next.time, text: "\(omitted) events before this are left out")] + newest
    }
}
