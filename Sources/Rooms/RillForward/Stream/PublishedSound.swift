import RillCore
import RillPeer
import RillRTP

/// The sound of a publisher: how much of it is forwarded, and how loud it is. Each packet goes to every listener.
struct PublishedSound: Sendable {
    /// What becomes of a packet.
    enum Outcome: Hashable, Sendable {
        /// It is forwarded.
        case forwarded
        /// More bytes came than the limit allows.
        case tooManyBytes
        /// More packets came than the limit allows.
        case tooManyPackets
    }

    /// Whose sound it is.
    let publisher: ICEPeerID
    /// What its levels say; nothing while it sends none.
    private(set) var speech = SpeechHistory()
    /// Whether its packets bear levels.
    private(set) var hasLevels = false
    /// When its last packet came that was forwarded.
    private(set) var lastArrival = MediaTime(nanoseconds: .min / 2)
    private var bits: TokenBucket
    private var packets: TokenBucket
    private var meter = LayerMeter()

    /// The headers of a packet on its way: IP, UDP, RTP with extensions, the tag of SRTP.
    private static let overhead = 80

    /// The sound of a publisher, of which nothing came yet.
    ///
    /// - Parameters:
    ///   - publisher: the publisher's session.
    ///   - settings: the limits.
    init(of publisher: ICEPeerID, _ settings: ForwardSettings) {
        self.publisher = publisher
        bits = TokenBucket(perSecond: Double(settings.soundBitrate.bitsPerSecond))
        packets = TokenBucket(perSecond: Double(settings.soundPacketRate))
    }

    /// Takes a packet.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes of its payload.
    ///   - level: how loud it is; `nil` if the publisher does not say.
    ///   - now: the current time.
    /// - Returns: what becomes of it.
    mutating func take(byteCount: Int, _ level: AudioLevel?, at now: MediaTime) -> Outcome {
        // Asked of both before either is charged: what is dropped costs nothing.
        let size = Double(8 * byteCount)
        guard packets.has(1, at: now) else { return .tooManyPackets }
        guard bits.has(size, at: now) else { return .tooManyBytes }
        packets.take(1)
        bits.take(size)
        meter.add(byteCount: byteCount + PublishedSound.overhead, at: now)
        lastArrival = now
        if let level {
            hasLevels = true
            speech.note(level, at: now)
        }
        return .forwarded
    }

    /// The bits per second on the path, over the last one to two seconds.
    func bits(at now: MediaTime) -> Double { meter.rates(at: now).bits }
}
