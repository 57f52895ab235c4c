import RillBytes
public import RillRTP

/// Opens what the other side of a call has protected: SRTP and SRTCP (RFC 3711, RFC 7714), on libsrtp.
///
///     var unprotector = try SRTPUnprotector(key)
///     switch unprotector.unprotect(&datagram) {             // in place
///     case .unprotected(.rtp, let byteCount): route(datagram.span.extracting(0..<byteCount))
///     case .unprotected(_, let byteCount): …                // RTCP
///     case let refused: …                                   // counted in `statistics`: nothing parses it
///     }
///
/// **Sources** need no announcement: the first genuine packet makes one known. One that has sent before we came has a rollover
/// counter above 0, which no packet tells and SDES does not either: ``expect(_:rolloverCounter:)`` takes it from the app, and
/// without it 0 to 8 are tried (RFC 4568 §6.4.2 leaves late joiners to such means). Packets that are not genuine make nothing
/// grow, however many SSRCs they come from.
///
/// **Keys** are changed without a gap by their identifiers: ``add(_:)`` the next one before the sender uses it, ``remove(_:)``
/// the last one when what was sent with it has come or is lost. Each key keeps its own replay window, so that neither change
/// opens a packet for the second time.
///
/// Ownership: one owner; it may move to another thread, and is used by one at a time. It reads no clock. Memory: some 2 KB a
/// source, 20 KB where its rollover counter was not 0, at most `maximumSourceCount` of them for each key. It allocates nothing
/// a packet (NSS, below libsrtp, does).
///
/// Cost: what libsrtp's call costs. A forged packet costs as much; one from an unknown source may bring a search as well,
/// but a flood of them no more than one in 32.
///
/// Errors: making it, and adding a key, throw; a datagram, which strangers make, is answered by an outcome.
public struct SRTPUnprotector: ~Copyable, Sendable {
    /// What was done so far.
    public internal(set) var statistics = UnprotectStatistics()
    let settings: UnprotectSettings
    var keys: KeyRing
    var sources: [Source] = []
    var credit = SearchCredit()
    /// A copy of a packet that is tried more than once.
    var copy: [UInt8] = []
    private var refused: [SSRC] = []
    private var latest = 0

    /// What is kept of a source. The masks have a bit for each key's slot.
    struct Source {
        let ssrc: SSRC
        var index: PacketIndex
        /// Whether the library has a stream of it under the key.
        var streams: UInt16 = 0
        /// Whether RTP has been opened under the key.
        var packets: UInt16 = 0
    }

    /// An unprotector for packets under `key`.
    ///
    /// - Throws: `libraryFailed`.
    public init(_ key: SRTPKey, _ settings: UnprotectSettings = UnprotectSettings()) throws(SecurityError) {
        precondition((64..<32768).contains(settings.windowPacketCount), "a window of 64 to 32767 packets")
        self.settings = settings
        keys = KeyRing(try SRTPContext(key, .inbound, windowPacketCount: settings.windowPacketCount))
    }

    /// How packets are protected.
    public var profile: SRTPProfile { keys.profile }

    // MARK: Keys and sources

    /// Opens packets under one more key from now on.
    ///
    /// - Throws: `indistinguishableKey` where it, or one before it, has no identifier, or two have the same, or they differ in
    ///   length or profile; `tooManyKeys`, above 16; `libraryFailed`.
    public mutating func add(_ key: SRTPKey) throws(SecurityError) {
        try keys.check(key)
        keys.add(try SRTPContext(key, .inbound, windowPacketCount: settings.windowPacketCount))
    }

    /// Opens no more packets under a key; `false` where there is none of that identifier, or no other key.
    @discardableResult
    public mutating func remove(_ identifier: MasterKeyIdentifier) -> Bool {
        guard let slot = keys.remove(identifier) else { return false }
        for place in sources.indices {
            sources[place].streams &= ~(1 << UInt16(slot))
            sources[place].packets &= ~(1 << UInt16(slot))
        }
        return true
    }

    /// Takes nothing from a source of our own: where one key serves both directions, somebody could send our packets back to
    /// us, and they would be genuine.
    public mutating func refuse(_ source: SSRC) {
        if !refused.contains(source) { refused.append(source) }
    }

    /// Tells the rollover counter of a source that has sent before we came, as its sender knows it
    /// (``SRTPProtector/rolloverCounter(of:)``). Where its numbers have wrapped meanwhile, the next one is tried too.
    ///
    /// Nothing changes for a source that has been heard.
    public mutating func expect(_ source: SSRC, rolloverCounter: UInt32) {
        let index = PacketIndex(rolloverCounter: rolloverCounter)
        if let place = find(source) {
            if sources[place].index.newest == nil { sources[place].index = index }
        } else {
            sources.append(Source(ssrc: source, index: index))
        }
    }

    /// How often the sequence numbers of a source have wrapped; `nil` for one of which there is no RTP.
    public func rolloverCounter(of source: SSRC) -> UInt32? {
        sources.first { $0.ssrc == source }?.index.rolloverCounter
    }

    /// Whether genuine packets have come from a source.
    public func isKnown(_ source: SSRC) -> Bool { sources.contains { $0.ssrc == source } }

    /// How many sources are known: at most `maximumSourceCount`, and those that were expected.
    public var sourceCount: Int { sources.count }

    // MARK: Packets

    /// Opens a datagram where it stands. Unless it is genuine, its bytes are undefined afterwards.
    public mutating func unprotect(_ datagram: inout MutableSpan<UInt8>) -> UnprotectOutcome {
        credit.add()
        let outcome = open(&datagram)
        statistics.count(outcome)
        return outcome
    }

    private mutating func open(_ datagram: inout MutableSpan<UInt8>) -> UnprotectOutcome {
        let kind = PacketKind(of: datagram.span)
        guard kind != .other else { return .notRTP }
        guard let ssrc = SSRC(ofSenderOf: datagram.span), isLongEnough(datagram.count, kind) else { return .malformed }
        if !refused.isEmpty, refused.contains(ssrc) { return .ownSource }
        let number = UInt16(datagram[2]) << 8 | UInt16(datagram[3])
        var packet = IncomingPacket(kind: kind, ssrc: ssrc, number: number, byteCount: datagram.count)
        return unsafe datagram.withUnsafeMutableBufferPointer { buffer in
            // The bytes of `packet` are those of the datagram from its first on, and never more of them.
            let base = buffer.baseAddress!
            guard let key = unsafe takeKey(of: &packet, base) else { return .unknownKey }
            if kind == .rtcp {
                let first = unsafe base[SRTCPTrailer.offset(keys.profile, count: packet.byteCount)]
                guard SRTCPTrailer.isEncrypted(first) else { return .notEncrypted }
            }
            return unsafe open(packet, base, under: key)
        }
    }

    /// Whether there is room for the header and for what protection adds.
    private func isLongEnough(_ byteCount: Int, _ kind: PacketKind) -> Bool {
        byteCount >= (kind == .rtp ? 12 : 8) + keys.profile.overhead(kind) + keys.identifierByteCount
            && byteCount <= Int(UInt16.max)
    }

    /// The key that the packet names, whose identifier is taken out of it.
    @unsafe private func takeKey(
        of packet: inout IncomingPacket, _ base: UnsafeMutablePointer<UInt8>
    ) -> KeyRing.Entry? {
        guard keys.identifierByteCount > 0 else { return keys.single }
        let field = KeyIdentifierField(keys.profile, packet.kind, byteCount: keys.identifierByteCount)
        guard let value = unsafe field.value(base, packet.byteCount), let key = keys.find(value) else { return nil }
        unsafe field.remove(base, &packet.byteCount)
        return key
    }

    @unsafe private mutating func open(
        _ packet: IncomingPacket, _ base: UnsafeMutablePointer<UInt8>, under key: KeyRing.Entry
    ) -> UnprotectOutcome {
        var packet = packet
        let bit = UInt16(1) << UInt16(key.slot)
        let place = find(packet.ssrc)
        let isCounting = place.map { packet.kind == .rtcp || sources[$0].packets & bit != 0 } ?? false
        guard place != nil || sources.count < settings.maximumSourceCount else { return .tooManySources }
        let status =
            isCounting || packet.kind == .rtcp
            ? unsafe key.context.unprotect(packet.kind, base, &packet.byteCount)
            : unsafe openFirst(&packet, base, under: key, place)
        guard status == .done else { return UnprotectOutcome(status) }
        note(packet, place, bit)
        return .unprotected(packet.kind, byteCount: packet.byteCount)
    }

    /// A genuine packet makes its source known.
    private mutating func note(_ packet: IncomingPacket, _ known: Int?, _ bit: UInt16) {
        let place = known ?? sources.count
        if known == nil { sources.append(Source(ssrc: packet.ssrc, index: PacketIndex())) }
        sources[place].streams |= bit
        guard packet.kind == .rtp else { return }
        let isFirst = sources[place].index.newest == nil
        let found = Int64(packet.rolloverCounter) << 16 | Int64(packet.number)
        sources[place].index.note(isFirst ? found : sources[place].index.estimate(packet.number))
        sources[place].packets |= bit
    }

    private mutating func find(_ ssrc: SSRC) -> Int? {
        // A source's packets come one after the other.
        if latest < sources.count, sources[latest].ssrc == ssrc { return latest }
        guard let place = sources.firstIndex(where: { $0.ssrc == ssrc }) else { return nil }
        latest = place
        return place
    }
}

/// A datagram on its way through.
struct IncomingPacket {
    let kind: PacketKind
    let ssrc: SSRC
    /// RTP's sequence number.
    let number: UInt16
    /// Bytes of it that are left.
    var byteCount: Int
    /// The rollover counter that it opened with, where that was not known.
    var rolloverCounter: UInt32 = 0
}

extension UnprotectOutcome {
    init(_ status: SRTPStatus) {
        switch status {
        case .done: self = .failed(code: 0)
        case .replayed: self = .replayed
        case .tooOld: self = .tooOld
        case .authenticationFailed: self = .authenticationFailed
        case .malformed: self = .malformed
        case .keyExpired: self = .keyExpired
        case .failed(let code): self = .failed(code: code)
        }
    }
}
