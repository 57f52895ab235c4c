import RillCore
import RillPeer
import RillRTP

/// Decides which packets of sound of a publisher are forwarded: those of one source at a time, and no more than a
/// limit. Each of them goes to every viewer, unpaced.
struct PublishedSound: Sendable {
    /// What becomes of a packet.
    enum Outcome: Hashable, Sendable {
        /// It is forwarded.
        case forwarded
        /// It is padding of the source that is forwarded, which probes the path: viewers need not know of it.
        case padding
        /// It is not a packet with a payload, nor padding.
        case malformed
        /// It is of another source while the present one goes on.
        case otherSource
        /// More bytes came than the limit allows.
        case tooManyBytes
        /// More packets came than the limit allows.
        case tooManyPackets
    }

    /// Whose sound it is.
    let publisher: ICEPeerID
    private var source: (ssrc: SSRC, time: MediaTime)?
    private var bits: TokenBucket
    private var packets: TokenBucket

    /// A source that sent nothing for so long is replaced by another one. Packets of Opus hold at most 120 ms.
    static let sourceTimeout = MediaDuration.milliseconds(200)

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
    ///   - packet: the packet, decrypted.
    ///   - now: the current time.
    /// - Returns: what becomes of it.
    mutating func take(_ packet: Span<UInt8>, at now: MediaTime) -> Outcome {
        guard let parsed = try? RTPPacket(parsing: packet) else { return .malformed }
        let ssrc = parsed.header.ssrc
        guard parsed.payload.count > 0 else {
            guard parsed.paddingByteCount > 0, source?.ssrc == ssrc else { return .malformed }
            guard packets.has(1, at: now) else { return .tooManyPackets }
            packets.take(1)
            return .padding
        }
        if let source, source.ssrc != ssrc, now - source.time < PublishedSound.sourceTimeout { return .otherSource }
        source = (ssrc, now)
        // Asked of both before either is charged: what is dropped costs nothing.
        let size = Double(8 * parsed.payload.count)
        guard packets.has(1, at: now) else { return .tooManyPackets }
        guard bits.has(size, at: now) else { return .tooManyBytes }
        packets.take(1)
        bits.take(size)
        return .forwarded
    }
}
