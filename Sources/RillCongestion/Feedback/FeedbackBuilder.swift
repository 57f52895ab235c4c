public import RillCore
public import RillRTP

/// The receiver's half of congestion control: it notes when packets arrive, and writes transport-wide feedback.
///
/// ```swift
/// builder.note(number, byteCount: datagram.count + 28, arrival: now)
/// if builder.dueTime <= now { builder.write(from: ours, about: media, at: now, into: &output) }
/// ```
///
/// Feedback is due every 50 ms while more than ``shareLimit`` of the received bitrate would allow more, and less often below
/// that, so that it takes 5 % of what is received at most: at 130 kbit/s every 100 ms. Each feedback repeats the two before it,
/// so that a single lost datagram loses no report.
///
/// Any sequence of numbers is safe. A number that lies more than ``window`` before the newest is ignored. The memory is fixed.
///
/// A pure value with one owner: it reads no clock. Source: draft-holmer-rmcat-transport-wide-cc-extensions-01.
public struct FeedbackBuilder: Sendable {
    /// The numbers that one feedback lists at most, and so the packets that are remembered.
    public static let window = 1024
    /// The shortest time between two feedbacks.
    public static let shortestInterval = MediaDuration.milliseconds(50)
    /// The longest time between two feedbacks.
    public static let longestInterval = MediaDuration.seconds(1)
    /// The share of the received bitrate that feedback may take, in percent.
    public static let shareLimit = 5
    /// Bytes of a datagram besides the feedback packet: IP and UDP headers, and what SRTCP adds.
    private static let overhead = 28 + 20
    private static let neverArrived = Int64.min

    /// When the next feedback is due; in the distant future while nothing is to be reported.
    public private(set) var dueTime = MediaTime.distantFuture

    /// Arrival times in steps of 250 µs, by number modulo the window.
    private var arrivals = [Int64](repeating: FeedbackBuilder.neverArrived, count: FeedbackBuilder.window)
    private var numbers = CounterExtender(bitWidth: 16)
    /// The first number that the next feedback lists, and those that the two before it began with.
    private var starts: (next: Int64, last: Int64, beforeLast: Int64)?
    private var feedbackCount: UInt8 = 0
    private var lastTime: MediaTime?
    /// The received bytes since the last feedback.
    private var receivedByteCount = 0
    private var interval = FeedbackBuilder.shortestInterval
    private var statuses: [TransportFeedback.PacketStatus] = []

    /// A builder that has seen no packet.
    public init() {}

    /// Notes a packet.
    ///
    /// - Parameters:
    ///   - number: its transport-wide sequence number.
    ///   - byteCount: its size on the path in bytes.
    ///   - arrival: when it arrived.
    public mutating func note(_ number: SequenceNumber, byteCount: Int, arrival: MediaTime) {
        let before = numbers.newest
        let extended = numbers.extend(UInt32(number.rawValue))
        guard let newest = numbers.newest, extended > newest - Int64(Self.window) else { return }
        if let before {
            if extended > before { forget(from: before + 1, through: extended - 1) }
        } else {
            starts = (extended, extended, extended)
        }
        receivedByteCount &+= byteCount
        let place = place(extended)
        if extended > before ?? .min || arrivals[place] == Self.neverArrived {
            arrivals[place] = arrival.nanoseconds / 250_000
        }
        // A packet that overtook the start of the list moves the start back.
        if let starts, extended < starts.beforeLast, extended > starts.next - Int64(Self.window) / 2 {
            self.starts?.beforeLast = extended
        }
        if dueTime == .distantFuture {
            dueTime = max(arrival, (lastTime ?? arrival).advanced(by: lastTime == nil ? .zero : interval))
        }
    }

    /// The size of the feedback that is due, in bytes, with the header; `nil` while there is nothing to report.
    public mutating func prepare() -> Int? {
        guard let list = list() else { return nil }
        return feedback(list, sender: SSRC(0), media: SSRC(0)) { $0.byteCount }
    }

    /// Appends the feedback. Call it when ``dueTime`` has come; the next one is then due after the interval, if packets arrive.
    ///
    /// - Parameters:
    ///   - sender: our SSRC.
    ///   - media: the SSRC of any stream of the transport.
    ///   - now: the current time.
    ///   - output: has room for ``prepare()`` bytes.
    @_lifetime(output: copy output)
    public mutating func write(
        from sender: SSRC, about media: SSRC, at now: MediaTime, into output: inout OutputSpan<UInt8>
    ) {
        guard let list = list(), let newest = numbers.newest else { return }
        let start = output.count
        feedback(list, sender: sender, media: media) { $0.write(into: &output) }
        adapt(to: output.count - start + Self.overhead, at: now)
        feedbackCount &+= 1
        if let starts { self.starts = (newest + 1, starts.next, starts.last) }
        (lastTime, dueTime) = (now, .distantFuture)
    }

    // MARK: The list

    private struct List {
        var first: Int64
        /// In steps of 64 ms.
        var reference: Int64
    }

    private func place(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & (Self.window - 1) }

    private mutating func forget(from first: Int64, through last: Int64) {
        for number in max(first, last - Int64(Self.window) + 1)...max(first, last + 1) where number <= last {
            arrivals[place(number)] = Self.neverArrived
        }
    }

    /// Fills ``statuses``: the packets from the start of the feedback before the last on, as far as deltas reach.
    private mutating func list() -> List? {
        guard let starts, let newest = numbers.newest else { return nil }
        let first = max(starts.beforeLast, newest - Int64(Self.window) + 1)
        statuses.removeAll(keepingCapacity: true)
        guard let received = (first...newest).first(where: { arrivals[place($0)] != Self.neverArrived }) else {
            return nil
        }
        let reference = arrivals[place(received)] >> 8
        var last = reference << 8
        for number in first...newest {
            let ticks = arrivals[place(number)]
            guard ticks != Self.neverArrived else {
                statuses.append(.notReceived)
                continue
            }
            // A gap of more than eight seconds does not fit: the next feedback has the rest.
            guard let delta = Int16(exactly: ticks - last) else { break }
            statuses.append(.received(delta: delta))
            last = ticks
        }
        return List(first: first, reference: reference)
    }

    private func feedback<Result>(
        _ list: List, sender: SSRC, media: SSRC, _ body: (borrowing TransportFeedback) -> Result
    ) -> Result {
        let reference = Int32(truncatingIfNeeded: (list.reference << 40) >> 40)
        return body(
            TransportFeedback(
                sender: sender, media: media,
                baseSequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: list.first)), referenceTime: reference,
                feedbackCount: feedbackCount, packets: statuses.span))
    }

    // MARK: The interval

    /// Keeps feedback of `byteCount` bytes to its share of what is received.
    private mutating func adapt(to byteCount: Int, at now: MediaTime) {
        defer { receivedByteCount = 0 }
        guard let lastTime, receivedByteCount > 0, now > lastTime else { return }
        let elapsed = now - lastTime
        let nanoseconds =
            Double(elapsed.nanoseconds) * Double(byteCount * 100)
            / Double(receivedByteCount * Self.shareLimit)
        let needed = MediaDuration(nanoseconds: Int64(min(nanoseconds, 1e12)))
        interval = min(max(needed, Self.shortestInterval), Self.longestInterval)
    }
}
