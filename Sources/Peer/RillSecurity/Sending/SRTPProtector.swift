import RillCore
public import RillRTP

/// Protects the packets that one side of a call sends: SRTP and SRTCP (RFC 3711, RFC 7714): RTP in GCM
/// with OpenSSL, all else with libsrtp.
///
/// ```swift
/// var protector = try SRTPProtector(key)
/// switch protector.protect(packet, into: &datagram) {   // one copy, then protected in place
/// case .protected(let byteCount): send(datagram, byteCount)
/// case let refused: log(refused)                        // nothing was appended: send nothing
/// }
/// try protector.change(to: next)                        // the next packet uses the new key (RFC 3711 §8.1)
/// ```
///
/// It accepts RTP and RTCP of any number of sources, each from its first packet on; sources need not be announced.
/// The other side unprotects the packets with an ``SRTPUnprotector`` and the same key.
///
/// **One packet per number.** A packet is refused (`repeated`) if its source has already used its number. Encrypting
/// two would reveal GCM's authentication key. Protected streams therefore retransmit by RTX.
///
/// Ownership: one owner, which may move it to another thread; one call at a time. It reads no clock. Its memory grows
/// by about 2 KB per source, and the sources are the sender's own. It allocates nothing per packet in GCM (NSS, below
/// libsrtp, does).
///
/// Cost: that of the libraries' calls and of one copy.
///
/// Errors: the initializer and ``change(to:)`` throw. Packets result in an outcome.
public struct SRTPProtector: ~Copyable, Sendable {
    /// Statistics since the start.
    public private(set) var statistics = ProtectStatistics()
    private var context: SRTPContext
    /// Protects RTP in GCM; `nil` in counter mode.
    private var sealer: GCMSealer?
    private var sources: [Source] = []
    private var latest = 0

    /// The state of a source. Its newest number outlives the key.
    private struct Source {
        let ssrc: SSRC
        var index: PacketIndex
        /// Whether the library has a stream for the source with this key.
        var hasStream = false
        /// Whether RTP was protected with this key.
        var hasPackets = false
        /// The packets that were protected by our own sealer with this key.
        var sent = SentNumbers()
    }

    /// A protector that starts with `key`.
    ///
    /// - Throws: `libraryFailed`.
    public init(_ key: SRTPKey) throws(SecurityError) {
        context = try SRTPContext(key, .outbound, windowPacketCount: SentNumbers.windowPacketCount)
        sealer = GCMSealer(key)
    }

    /// The maximum number of bytes that protection adds to a packet.
    public var overhead: Int { context.key.profile.overhead(.rtcp) + (context.key.identifier?.byteCount ?? 0) }

    /// The profile of the packets.
    public var profile: SRTPProfile { context.key.profile }

    // MARK: Packets

    /// Appends `packet`, RTP or RTCP, to `datagram`, and protects it in place.
    ///
    /// Traps unless `datagram` has room for the packet and ``overhead`` more bytes. Bytes that it already has are
    /// unchanged.
    @_lifetime(datagram: copy datagram)
    public mutating func protect(_ packet: Span<UInt8>, into datagram: inout OutputSpan<UInt8>) -> ProtectOutcome {
        let kind = PacketKind(of: packet)
        // libsrtp reads the 12 bytes of the RTP header without checking the size.
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
            // The packet is there, and room for the added bytes was checked above.
            let base = unsafe buffer.baseAddress! + start
            status =
                unsafe kind == .rtp && sealer != nil
                ? seal(base, &byteCount, ssrc, number, at: place) : context.protect(kind, base, &byteCount)
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

    /// Protects a packet of RTP in GCM, of 12 bytes at least.
    private mutating func seal(
        _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int, _ ssrc: SSRC, _ number: UInt16, at place: Int
    ) -> SRTPStatus {
        let index = sources[place].index.estimate(number)
        guard index >> 48 == 0 else { return .keyExpired }
        switch sources[place].sent.check(index) {
        case .new: break
        case .repeated: return .replayed
        case .tooOld: return .tooOld
        }
        guard let header = unsafe headerByteCount(base, count) else { return .malformed }
        guard let sealer, unsafe sealer.seal(base, headerByteCount: header, count: &count, of: ssrc, index) else {
            return .failed(code: 0)
        }
        sources[place].sent.note(index)
        return .done
    }

    /// The bytes of a packet's header with its CSRCs and extension (RFC 3550 §5.1, §5.3.1): they are authenticated, and
    /// not encrypted. `nil` if the packet is shorter, or libsrtp does not accept so many.
    private func headerByteCount(_ base: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int? {
        // All bytes that are read are before `count`, which is 12 at least.
        var size = unsafe 12 + 4 * Int(base[0] & 0xF)
        if unsafe base[0] & 0x10 != 0 {
            guard size + 4 <= count else { return nil }
            size += unsafe 4 + 4 * (Int(base[size + 2]) << 8 | Int(base[size + 3]))
        }
        return size <= min(count, 2048) ? size : nil
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

    /// Finds a source, and makes the library continue its packet index from the previous key.
    private mutating func prepare(_ ssrc: SSRC, _ kind: PacketKind, _ number: UInt16) -> Int {
        let place = find(ssrc)
        guard kind == .rtp, sealer == nil, !sources[place].hasPackets else { return place }
        // A stream that the library creates by itself starts with rollover counter 0.
        let counter = sources[place].index.rolloverCounter(of: number)
        if counter > 0, sources[place].hasStream || context.addStream(ssrc) {
            context.setRolloverCounter(counter, of: ssrc)
            sources[place].hasStream = true
        }
        return place
    }

    private mutating func find(_ ssrc: SSRC) -> Int {
        // Packets of a source often follow each other.
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

    /// Protects with `key` from the next packet on. The sources' sequence numbers continue.
    ///
    /// The other side must have the key by then (``SRTPUnprotector/add(_:)``), and both keys need identifiers.
    ///
    /// - Throws: `indistinguishableKey` if one of the two keys has no identifier, if both identifiers are equal, or
    ///   if identifiers differ in size or keys in profile; `libraryFailed`. The previous key remains in use in this
    ///   case.
    public mutating func change(to key: SRTPKey) throws(SecurityError) {
        guard key.isDistinguishable(from: context.key) else { throw .indistinguishableKey(key.identifier) }
        context = try SRTPContext(key, .outbound, windowPacketCount: SentNumbers.windowPacketCount)
        sealer = GCMSealer(key)
        for index in sources.indices {
            sources[index].sent = SentNumbers()
            sources[index].hasStream = false
            sources[index].hasPackets = false
        }
        statistics.keyChanges += 1
    }

    /// Returns the number of times the sequence number of a source has wrapped; `nil` if the source has not sent RTP.
    ///
    /// A receiver that joins late needs it for ``SRTPUnprotector/expect(_:rolloverCounter:)``.
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
    /// Returns whether a packet identifies which of the two keys protects it.
    func isDistinguishable(from other: SRTPKey) -> Bool {
        guard let identifier, let theirs = other.identifier else { return false }
        return identifier.value != theirs.value && identifier.byteCount == theirs.byteCount && profile == other.profile
    }
}

/// The outcome of protecting a packet. All cases except the first leave the datagram unchanged.
public enum ProtectOutcome: Hashable, Sendable {
    /// The packet is in the datagram, encrypted and authenticated, with a size of `byteCount` bytes.
    case protected(byteCount: Int)
    /// A packet of this source with this number was protected before. Protecting another would reveal the
    /// authentication key. Retransmit a packet by RTX (RFC 4588), with a new sequence number, or as the bytes that
    /// were sent.
    case repeated
    /// The packet's number is further before the newest than the window.
    case tooOld
    /// The packet is not RTP or RTCP, or its header is longer than the packet or than 2048 bytes.
    case malformed
    /// The key has protected the maximum number of packets (2^48 of RTP, 2^31 of RTCP per source).
    case keyExpired
    /// The library failed; `code` is its `srtp_err_status_t`.
    case failed(code: UInt32)
}

/// Statistics of an ``SRTPProtector`` since its start.
public struct ProtectStatistics: Codable, Hashable, Sendable {
    /// RTP packets protected.
    public var rtpPackets = 0
    /// RTCP packets protected.
    public var rtcpPackets = 0
    /// Packets with a number that was used before.
    public var repeated = 0
    /// Packets too far before the newest.
    public var tooOld = 0
    /// Packets that are not RTP or RTCP.
    public var malformed = 0
    /// Packets for which the key has expired.
    public var keyExpired = 0
    /// Packets on which the library failed.
    public var failed = 0
    /// Changes to another key.
    public var keyChanges = 0
}
