import RillCore

/// The slowest piece of a link: datagrams pass it one after the other, each taking as long as its bits take.
///
/// A queue as a fluid: all that it needs to know is when the last of the bits that are in it will be through. That
/// moment is kept exactly, as nanoseconds and a fraction of one, so that an hour of datagrams is through when the
/// arithmetic says, whatever their sizes.
struct Bottleneck {
    private let bitsPerSecond: Int64
    private let waitLimit: MediaDuration
    /// When everything queued so far is through: this moment, and `fraction` / `bitsPerSecond` of a nanosecond.
    private var busyUntil = MediaTime(nanoseconds: .min)
    private var fraction: Int64 = 0

    /// What the queue holds at least, unless the settings say how long it may take.
    static let minimumQueueByteCount = 64_000
    /// How long the queue may take, unless the settings say so.
    static let defaultWaitLimit = MediaDuration.milliseconds(300)

    enum Outcome: Equatable {
        /// The last bit is through at this time (rounded up to a whole nanosecond).
        case passes(at: MediaTime)
        /// It would have had to wait this long for its first bit to go.
        case full(wait: MediaDuration)
    }

    init(rate: Bitrate, queueLimit: MediaDuration?) {
        bitsPerSecond = Int64(rate.bitsPerSecond)
        waitLimit =
            queueLimit ?? max(Bottleneck.defaultWaitLimit, rate.duration(ofBytes: Bottleneck.minimumQueueByteCount))
    }

    /// Puts a datagram into the queue at `now`, which never goes back. An empty queue takes one of any size.
    mutating func enqueue(byteCount: Int, at now: MediaTime) -> Outcome {
        if busyUntil < now {
            busyUntil = now
            fraction = 0
        }
        let wait = busyUntil - now
        guard wait <= waitLimit else { return .full(wait: wait) }
        let scaled = Int64(byteCount) * 8_000_000_000 + fraction
        busyUntil += MediaDuration(nanoseconds: scaled / bitsPerSecond)
        fraction = scaled % bitsPerSecond
        return .passes(at: fraction == 0 ? busyUntil : busyUntil + MediaDuration(nanoseconds: 1))
    }
}
