import RillBytes
public import RillRTP

/// Protects what one side of a call sends: SRTP and SRTCP (RFC 3711, RFC 7714), on libsrtp.
///
///     var protector = try SRTPProtector(key)
///     switch protector.protect(packet, into: &datagram) {   // one copy, and protected where it stands
///     case .protected(let byteCount): …                     // the datagram may go
///     case let refused: …                                   // nothing was appended: nothing goes
///     }
///     try protector.change(to: next)                        // the next packet has the new key (RFC 3711 §8.1)
///
/// It takes RTP and RTCP of any number of sources, each from its first number on; a source needs no announcement. The other side
/// opens the packets with an ``SRTPUnprotector`` and the same key.
///
/// **One number, one packet.** A packet whose source has used its number is refused (`repeated`): encrypted twice, it would
/// give away what GCM authenticates with. Streams that are protected retransmit by RTX.
///
/// Ownership: one owner; it may move to another thread, and is used by one at a time. It reads no clock, and its memory grows
/// by some 2 KB for each source, which are the sender's own. It allocates nothing a packet (NSS, below libsrtp, does).
///
/// Cost: what libsrtp's call costs (1.0 µs for 1200 bytes of GCM, 4.9 µs of counter mode on the machine of README) and the copy.
///
/// Errors: making it, and changing the key, throw `libraryFailed`; a packet is answered by an outcome.
public struct SRTPProtector: ~Copyable, Sendable {
    /// What was done so far.
    public private(set) var statistics = ProtectStatistics()
    private var context: SRTPContext
    private var sources: [Source] = []
    private var latest = 0

    /// What is kept of a source: its newest number outlives the key.
    private struct Source {
        let ssrc: SSRC
        var index: PacketIndex
        /// Whether the library has a stream of it under this key.
        var hasStream = false
        /// Whether RTP was protected under this key.
        var hasPackets = false
    }

    /// How far behind the newest packet of its source one may be protected that has not been yet.
    private static let windowPacketCount = 1024

    /// A protector that begins with `key`.
    ///
    /// - Throws: `libraryFailed`.
    public init(_ key: SRTPKey) throws(SecurityError) {
        context = try SRTPContext(key, .outbound, windowPacketCount: SRTPProtector.windowPacketCount)
    }

    /// Bytes that a datagram needs behind the packet, at the most.
    public var overhead: Int { context.key.profile.overhead(.rtcp) + (context.key.identifier?.byteCount ?? 0) }

    /// How packets are protected.
    public var profile: SRTPProfile { context.key.profile }

    // MARK: Packets

    /// Appends `packet`, RTP or RTCP, to `datagram`, and protects it there.
    ///
    /// `datagram` has room for the packet and ``overhead`` bytes behind it; too little is a precondition violated. What it holds
    /// already stays as it is.
    @_lifetime(datagram: copy datagram)
    public mutating func protect(_ packet: Span<UInt8>, into datagram: inout OutputSpan<UInt8>) -> ProtectOutcome {
        let kind = PacketKind(of: packet)
        // 12 bytes of RTP's header are as many as libsrtp looks at unasked.
        guard let ssrc = SSRC(ofSenderOf: packet), packet.count >= (kind == .rtp ? 12 : 8) else {
            return count(.malformed)
        }
        precondition(
            datagram.freeCapacity - packet.count >= overhead,
            "\(packet.count) bytes and \(overhead) to protect them, room for \(datagram.freeCapacity)")
        let number = UInt16(packet[2]) << 8 | UInt16(packet[3])
        let place = prepare(ssrc, kind, number)
        let start = datagram.count
        datagram.append(copying: packet)
        var byteCount = packet.count
        var status = SRTPStatus.done
        unsafe datagram.withUnsafeMutableBufferPointer { buffer, initialized in
            // The packet stands there, and room for what is added was checked above.
            let base = unsafe buffer.baseAddress! + start
            status = unsafe context.protect(kind, base, &byteCount)
            guard status == .done else {
                initialized = start
                return
            }
            if let identifier = context.key.identifier {
                let field = KeyIdentifierField(context.key.profile, kind, byteCount: identifier.byteCount)
                unsafe field.insert(identifier, base, &byteCount)
            }
            initialized = start + byteCount
        }
        guard status == .done else { return count(ProtectOutcome(status)) }
        note(kind, number, at: place)
        return .protected(byteCount: byteCount)
    }

    private mutating func note(_ kind: PacketKind, _ number: UInt16, at place: Int) {
        sources[place].hasStream = true
        guard kind == .rtp else {
            statistics.rtcpPackets += 1
            return
        }
        sources[place].hasPackets = true
        sources[place].index.note(sources[place].index.estimate(number))
        statistics.rtpPackets += 1
    }

    /// Finds a source, and sees that the library goes on counting where the key before ended.
    private mutating func prepare(_ ssrc: SSRC, _ kind: PacketKind, _ number: UInt16) -> Int {
        let place = find(ssrc)
        guard kind == .rtp, !sources[place].hasPackets else { return place }
        // A stream that the library makes by itself counts from 0.
        let counter = sources[place].index.rolloverCounter(of: number)
        if counter > 0, sources[place].hasStream || context.addStream(ssrc) {
            context.setRolloverCounter(counter, of: ssrc)
            sources[place].hasStream = true
        }
        return place
    }

    private mutating func find(_ ssrc: SSRC) -> Int {
        // A source's packets come one after the other.
        if latest < sources.count, sources[latest].ssrc == ssrc { return latest }
        latest = sources.firstIndex { $0.ssrc == ssrc } ?? sources.count
        if latest == sources.count { sources.append(Source(ssrc: ssrc, index: PacketIndex())) }
        return latest
    }

    private mutating func count(_ outcome: ProtectOutcome) -> ProtectOutcome {
        switch outcome {
        case .protected: break
        case .repeated: statistics.repeated += 1
        case .tooOld: statistics.tooOld += 1
        case .malformed: statistics.malformed += 1
        case .keyExpired: statistics.keyExpired += 1
        case .failed: statistics.failed += 1
        }
        return outcome
    }

    // MARK: Keys and counters

    /// Protects with `key` from the next packet on. The sources' numbers go on.
    ///
    /// The other side must have the key by then (``SRTPUnprotector/add(_:)``), and needs identifiers to tell both apart.
    ///
    /// - Throws: `indistinguishableKey` where one of the two keys has no identifier, both have the same, or they differ in length or profile;
    ///   `libraryFailed`. The key before stays then.
    public mutating func change(to key: SRTPKey) throws(SecurityError) {
        guard key.isDistinguishable(from: context.key) else { throw .indistinguishableKey(key.identifier) }
        context = try SRTPContext(key, .outbound, windowPacketCount: SRTPProtector.windowPacketCount)
        for index in sources.indices {
            sources[index].hasStream = false
            sources[index].hasPackets = false
        }
        statistics.keyChanges += 1
    }

    /// How often the sequence numbers of a source have wrapped: what a receiver that joins late is to be told
    /// (``SRTPUnprotector/expect(_:rolloverCounter:)``). `nil` for a source that has sent no RTP.
    public func rolloverCounter(of source: SSRC) -> UInt32? {
        sources.first { $0.ssrc == source }?.index.rolloverCounter
    }
}

extension ProtectOutcome {
    init(_ status: SRTPStatus) {
        switch status {
        case .done, .authenticationFailed: self = .failed(code: 0)
        case .replayed: self = .repeated
        case .tooOld: self = .tooOld
        case .malformed: self = .malformed
        case .keyExpired: self = .keyExpired
        case .failed(let code): self = .failed(code: code)
        }
    }
}

extension SRTPKey {
    /// Whether a packet tells which of the two keys it is protected with.
    func isDistinguishable(from other: SRTPKey) -> Bool {
        guard let identifier, let theirs = other.identifier else { return false }
        return identifier.value != theirs.value && identifier.byteCount == theirs.byteCount && profile == other.profile
    }
}
