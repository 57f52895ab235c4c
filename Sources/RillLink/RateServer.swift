import RillCore

/// A queue that is served at a rate: each datagram takes as long as its bits take, at the rates of the schedule.
///
/// A queue as a fluid: all that it needs to know is when the last of the bits that are in it will be through. That moment
/// is kept exactly, as nanoseconds and a fraction of one, so that an hour of datagrams is through when the arithmetic says,
/// whatever their sizes. Since the schedule is known beforehand, what waits when the rate changes is served at the new rate
/// from then on, a datagram half through included.
struct RateServer: BottleneckServer {
    private struct Piece {
        var start: MediaTime
        var bitsPerSecond: Int64
    }

    /// Never empty; the last one's rate is above zero.
    private let pieces: [Piece]
    /// When everything queued so far is through: this moment, and `fraction` / `bitsPerSecond` of a nanosecond.
    private var busyUntil = MediaTime(nanoseconds: .min)
    private var fraction: Int64 = 0
    /// The pieces in which `busyUntil` and the present lie.
    private var busyPiece = 0
    private var presentPiece = 0

    /// Bits are counted in billionths: a rate in bits a second is as many of those in a nanosecond.
    private static let unitsPerByte: Int64 = 8_000_000_000

    init(_ schedule: RateSchedule) {
        pieces = schedule.steps.map { Piece(start: $0.start, bitsPerSecond: Int64($0.rate.bitsPerSecond)) }
    }

    /// Makes `now`, which never goes back, the present.
    mutating func advance(to now: MediaTime) {
        while let end = end(of: presentPiece), end <= now { presentPiece += 1 }
        if busyUntil < now {
            busyUntil = now
            fraction = 0
        }
        // Also where all was through just when a piece ended: then the next one's turn has come.
        busyPiece = max(busyPiece, presentPiece)
    }

    /// How long the next datagram would wait for its first bit to go.
    func wait(at now: MediaTime) -> MediaDuration { busyUntil - now }

    /// Whether more than so many bytes are not yet through.
    func holds(moreThan byteCount: Int, at now: MediaTime) -> Bool {
        var held = Int128(fraction)
        var from = now
        for piece in presentPiece...busyPiece {
            let until = min(end(of: piece) ?? busyUntil, busyUntil)
            held += Int128((until - from).nanoseconds) * Int128(pieces[piece].bitsPerSecond)
            from = until
        }
        return held > Int128(byteCount) * Int128(Self.unitsPerByte)
    }

    /// Puts a datagram behind what is queued, and says when its last bit is through, rounded up to a whole nanosecond.
    mutating func serve(_ byteCount: Int) -> MediaTime {
        var needed = Int64(byteCount) * Self.unitsPerByte
        while let end = end(of: busyPiece) {
            let rate = pieces[busyPiece].bitsPerSecond
            let capacity = Int128((end - busyUntil).nanoseconds) * Int128(rate) - Int128(fraction)
            guard rate == 0 || Int128(needed) > capacity else { break }
            // What the piece cannot take, it is less than `needed`, goes at the next one's rate.
            needed -= Int64(capacity)
            busyUntil = end
            fraction = 0
            busyPiece += 1
        }
        let rate = pieces[busyPiece].bitsPerSecond
        busyUntil += MediaDuration(nanoseconds: (needed + fraction) / rate)
        fraction = (needed + fraction) % rate
        return fraction == 0 ? busyUntil : busyUntil + MediaDuration(nanoseconds: 1)
    }

    private func end(of piece: Int) -> MediaTime? {
        piece + 1 < pieces.count ? pieces[piece + 1].start : nil
    }
}
