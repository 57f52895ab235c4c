import RillCore

/// A queue that is served at a rate: each datagram takes as long as its bits take, at the rates of the schedule.
///
/// It models the queue as a fluid: its only state is when the last queued bit will have passed. That time is kept
/// exactly, as nanoseconds and a fraction of one, so that datagrams pass exactly at the computed times even after
/// hours, whatever their sizes. The schedule is known in advance, so what waits when the rate changes is served at
/// the new rate from then on, including a datagram that has passed halfway.
struct RateServer: BottleneckServer {
    private struct Piece {
        var start: MediaTime
        var bitsPerSecond: Int64
    }

    /// Never empty; the last rate of a bottleneck is above zero.
    private let pieces: [Piece]
    /// When everything queued so far has passed: this time, plus `fraction` / `bitsPerSecond` of a nanosecond.
    private var busyUntil = MediaTime(nanoseconds: .min)
    private var fraction: Int64 = 0
    /// The pieces that contain `busyUntil` and the present.
    private var busyPiece = 0
    private var presentPiece = 0

    init(_ schedule: RateSchedule) {
        pieces = schedule.steps.map { Piece(start: $0.start, bitsPerSecond: Int64($0.rate.bitsPerSecond)) }
    }

    /// Advances to `now`, which must not go back.
    mutating func advance(to now: MediaTime) {
        while let end = end(of: presentPiece), end <= now { presentPiece += 1 }
        if busyUntil < now {
            busyUntil = now
            fraction = 0
        }
        // Also if everything had passed just when a piece ended: then the next one applies.
        busyPiece = max(busyPiece, presentPiece)
    }

    func wait(at now: MediaTime) -> MediaDuration { busyUntil - now }

    var transmissionStart: MediaTime {
        // Nothing passes at a rate of zero.
        var (start, piece) = (busyUntil, busyPiece)
        while let end = end(of: piece), end <= start || pieces[piece].bitsPerSecond == 0 {
            start = max(start, end)
            piece += 1
        }
        return start
    }

    func capacity(at now: MediaTime) -> Int { Int(pieces[presentPiece].bitsPerSecond) }

    func held(at now: MediaTime) -> Int128 {
        var held = Int128(fraction)
        var from = now
        for piece in presentPiece...busyPiece {
            let until = min(end(of: piece) ?? busyUntil, busyUntil)
            held += Int128((until - from).nanoseconds) * Int128(pieces[piece].bitsPerSecond)
            from = until
        }
        return held
    }

    /// Enqueues a datagram, and returns when its last bit passes, rounded up to a whole nanosecond.
    mutating func serve(_ byteCount: Int) -> MediaTime {
        var needed = Int64(byteCount) * Self.unitsPerByte
        while let end = end(of: busyPiece) {
            let rate = pieces[busyPiece].bitsPerSecond
            let capacity = Int128((end - busyUntil).nanoseconds) * Int128(rate) - Int128(fraction)
            guard rate == 0 || Int128(needed) > capacity else { break }
            // What the piece cannot take, which is less than `needed`, passes at the next one's rate.
            needed -= Int64(capacity)
            busyUntil = end
            fraction = 0
            busyPiece += 1
        }
        let rate = pieces[busyPiece].bitsPerSecond
        // Only cross traffic ends like this.
        guard rate > 0 else { return .distantFuture }
        busyUntil += MediaDuration(nanoseconds: (needed + fraction) / rate)
        fraction = (needed + fraction) % rate
        return fraction == 0 ? busyUntil : busyUntil + MediaDuration(nanoseconds: 1)
    }

    private func end(of piece: Int) -> MediaTime? {
        piece + 1 < pieces.count ? pieces[piece + 1].start : nil
    }
}
