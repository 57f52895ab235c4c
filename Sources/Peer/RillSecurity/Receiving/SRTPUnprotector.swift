import RillBytes
public import RillRTP

/// Unprotects the packets of the other side of a call: SRTP and SRTCP (RFC 3711, RFC 7714), using libsrtp.
///
/// ```swift
/// var unprotector = try SRTPUnprotector(key)
/// switch unprotector.unprotect(&datagram) {             // in place
/// case .unprotected(.rtp, let byteCount): route(datagram.span.extracting(0..<byteCount))
/// case .unprotected(_, let byteCount): receiveRTCP(datagram.span.extracting(0..<byteCount))
/// case let refused: log(refused)                        // counted in `statistics`; do not parse the bytes
/// }
/// ```
///
/// **Sources** need not be announced: the first genuine packet makes a source known. A source that was sending before
/// this side joined may have a rollover counter above 0, which neither packets nor SDES carry. The app can provide it
/// with ``expect(_:rolloverCounter:)``; otherwise the counters 0 to 8 are tried (RFC 4568 §6.4.2 leaves late joiners to
/// such means). Forged packets do not increase memory use, however many SSRCs they have. A sender may change its SSRC
/// as often as it likes: beyond `maximumSourceCount`, the source that has been silent longest makes room. Neither
/// forged nor replayed packets displace one.
///
/// **Keys** are changed without a gap by means of their identifiers. ``add(_:)`` the next key before the sender uses
/// it, and ``remove(_:)`` the previous key when its packets have arrived or are lost. Each key has its own replay
/// window, so that a change of keys never allows a packet to be unprotected a second time.
///
/// Ownership: one owner, which may move it to another thread; one call at a time. It reads no clock. Memory: about 2 KB
/// per source, or 20 KB if its rollover counter was not 0, for at most `maximumSourceCount` sources per key, and 40
/// bytes for each source before those. It allocates nothing per packet (NSS, below libsrtp, does).
///
/// Cost: that of the libsrtp call. A forged packet costs the same. A packet from an unknown source may cause a search
/// as well, but in a flood of them at most one in 32 does.
///
/// Errors: the initializer and ``add(_:)`` throw. Datagrams, which may come from anyone, result in an outcome.
public struct SRTPUnprotector: ~Copyable, Sendable {
    /// Statistics since the start.
    public private(set) var statistics = UnprotectStatistics()
    private let settings: UnprotectSettings
    private var keys: KeyRing
    private var sources: [Source] = []
    private var credit = SearchCredit()
    /// A copy of a packet, for more than one attempt.
    private var copy: [UInt8] = []
    private var refused: [SSRC] = []
    private var latest = 0
    private var formers: FormerSources
    /// Counts genuine packets, for the order of sources.
    private var useCount = 0

    /// The state of a source. The masks have one bit per key slot.
    private struct Source {
        let ssrc: SSRC
        var index: PacketIndex
        /// The keys with which the library has a stream for the source.
        var streams: UInt16 = 0
        /// The keys with which RTP was unprotected.
        var packets: UInt16 = 0
        var feedback = NewestFeedback()
        /// The state of the source before its eviction, if it returned. Its stream is a new one without a replay
        /// list.
        var floor: FormerSources.Source?
        /// The count of genuine packets at its last one.
        var lastUse = 0
    }

    /// An unprotector for packets with `key`.
    ///
    /// - Throws: `libraryFailed`. Traps if the window is not 64 to 32767 packets.
    public init(_ key: SRTPKey, _ settings: UnprotectSettings = UnprotectSettings()) throws(SecurityError) {
        precondition((64..<32768).contains(settings.windowPacketCount), "a window of 64 to 32767 packets")
        self.settings = settings
        formers = FormerSources(limit: settings.maximumFormerSourceCount)
        keys = KeyRing(try SRTPContext(key, .inbound, windowPacketCount: settings.windowPacketCount))
    }

    /// The profile of the packets.
    public var profile: SRTPProfile { keys.profile }

    // MARK: Keys and sources

    /// Accepts packets with an additional key from now on.
    ///
    /// - Throws: `indistinguishableKey` if the key or a previous one has no identifier, if two identifiers are equal,
    ///   or if identifiers differ in size or keys in profile; `tooManyKeys` above 16 keys; `libraryFailed`.
    public mutating func add(_ key: SRTPKey) throws(SecurityError) {
        try keys.check(key)
        keys.add(try SRTPContext(key, .inbound, windowPacketCount: settings.windowPacketCount))
    }

    /// Stops accepting packets with a key. Returns `false` if no key has that identifier, or if it is the only key.
    @discardableResult
    public mutating func remove(_ identifier: MasterKeyIdentifier) -> Bool {
        guard let slot = keys.remove(identifier) else { return false }
        for place in sources.indices {
            sources[place].streams &= ~(1 << UInt16(slot))
            sources[place].packets &= ~(1 << UInt16(slot))
            sources[place].feedback[slot] = nil
            sources[place].floor?.feedback[slot] = nil
        }
        formers.removeKey(slot)
        return true
    }

    /// Refuses packets from one of our own sources.
    ///
    /// If one key serves both directions, an attacker could send our packets back to us, and they would be genuine.
    public mutating func refuse(_ source: SSRC) {
        if !refused.contains(source) { refused.append(source) }
    }

    /// Sets the rollover counter of a source that was sending before this side joined.
    ///
    /// The sender knows it from ``SRTPProtector/rolloverCounter(of:)``. If its sequence number has wrapped since, the
    /// next counter is tried too. Has no effect on a source whose RTP was already received.
    public mutating func expect(_ source: SSRC, rolloverCounter: UInt32) {
        let index = PacketIndex(rolloverCounter: rolloverCounter)
        if let place = find(source) {
            if sources[place].index.newest == nil { sources[place].index = index }
        } else if let former = formers[source] {
            if former.index.newest == nil { formers[source]?.index = index }
        } else {
            sources.append(Source(ssrc: source, index: index, lastUse: useCount))
        }
    }

    /// Returns the number of times the sequence number of a source has wrapped. Before its first RTP packet, it is
    /// the expected counter, or `nil` without one.
    public func rolloverCounter(of source: SSRC) -> UInt32? {
        (sources.first { $0.ssrc == source }?.index ?? formers[source]?.index)?.rolloverCounter
    }

    /// Returns whether a source is known: a genuine packet of it has arrived, or the app expects it.
    public func isKnown(_ source: SSRC) -> Bool {
        sources.contains { $0.ssrc == source } || formers[source] != nil
    }

    /// The number of sources with a stream: at most `maximumSourceCount`, plus those that were expected.
    public var sourceCount: Int { sources.count }

    /// The number of sources that made room for others and did not come back, at most `maximumFormerSourceCount`.
    public var formerSourceCount: Int { formers.count }

    // MARK: Packets

    /// Unprotects a datagram in place. Unless it is genuine, its bytes are undefined afterwards.
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
            // `packet` never covers more than the bytes of the datagram, starting with the first.
            let base = buffer.baseAddress!
            guard let key = unsafe takeKey(of: &packet, base) else { return .unknownKey }
            if kind == .rtcp {
                let first = unsafe base[SRTCPTrailer.offset(keys.profile, count: packet.byteCount)]
                guard SRTCPTrailer.isEncrypted(first) else { return .notEncrypted }
            }
            return unsafe open(packet, base, under: key)
        }
    }

    /// Whether the datagram has room for the header and for the bytes that protection adds.
    private func isLongEnough(_ byteCount: Int, _ kind: PacketKind) -> Bool {
        byteCount >= (kind == .rtp ? 12 : 8) + keys.profile.overhead(kind) + keys.identifierByteCount
            && byteCount <= Int(UInt16.max)
    }

    /// Returns the packet's key, and removes the key identifier from the packet.
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
        if packet.kind == .rtcp {
            packet.feedbackIndex = unsafe SRTCPTrailer.index(keys.profile, base, count: packet.byteCount)
        }
        let former = place == nil ? formers[packet.ssrc] : nil
        if let place {
            if let floor = sources[place].floor {
                guard packet.follows(floor, sources[place].index, slot: key.slot) else { return .tooOld }
            }
        } else if let former {
            guard packet.follows(former, former.index, slot: key.slot) else { return .tooOld }
        } else if sources.count >= settings.maximumSourceCount, formers.isFull {
            return .tooManySources
        }
        let status =
            isCounting || packet.kind == .rtcp
            ? unsafe key.context.unprotect(packet.kind, base, &packet.byteCount)
            : unsafe openFirst(&packet, base, under: key, place, former?.index)
        guard status == .done else { return UnprotectOutcome(status) }
        note(packet, place ?? add(packet.ssrc, former), bit, slot: key.slot)
        return .unprotected(packet.kind, byteCount: packet.byteCount)
    }

    /// Adds a source of which a genuine packet has arrived; returns its place.
    private mutating func add(_ ssrc: SSRC, _ former: FormerSources.Source?) -> Int {
        formers[ssrc] = nil
        let source = Source(
            ssrc: ssrc, index: former?.index ?? PacketIndex(), feedback: former?.feedback ?? NewestFeedback(),
            floor: former)
        guard sources.count >= settings.maximumSourceCount,
            let place = sources.indices.min(by: { sources[$0].lastUse < sources[$1].lastUse })
        else {
            sources.append(source)
            return sources.count - 1
        }
        // The one that has been silent longest, by the packets of all.
        let displaced = sources[place]
        for slot in 0..<KeyRing.limit where displaced.streams & 1 << UInt16(slot) != 0 {
            keys[slot]?.removeStream(displaced.ssrc)
        }
        formers[displaced.ssrc] = FormerSources.Source(index: displaced.index, feedback: displaced.feedback)
        statistics.sourcesDisplaced += 1
        sources[place] = source
        return place
    }

    /// Records a genuine packet of a source.
    private mutating func note(_ packet: IncomingPacket, _ place: Int, _ bit: UInt16, slot: Int) {
        useCount &+= 1
        sources[place].lastUse = useCount
        sources[place].streams |= bit
        guard packet.kind == .rtp else {
            sources[place].feedback.note(packet.feedbackIndex, slot: slot)
            return
        }
        let isFirst = sources[place].index.newest == nil
        let found = Int64(packet.rolloverCounter) << 16 | Int64(packet.number)
        sources[place].index.note(isFirst ? found : sources[place].index.estimate(packet.number))
        sources[place].packets |= bit
    }

    private mutating func find(_ ssrc: SSRC) -> Int? {
        // Packets of a source often arrive in succession.
        if latest < sources.count, sources[latest].ssrc == ssrc { return latest }
        guard let place = sources.firstIndex(where: { $0.ssrc == ssrc }) else { return nil }
        latest = place
        return place
    }
}

/// A datagram that is being unprotected.
struct IncomingPacket {
    let kind: PacketKind
    let ssrc: SSRC
    /// The sequence number of RTP.
    let number: UInt16
    /// The remaining size in bytes.
    var byteCount: Int
    /// The rollover counter that the packet was unprotected with, if it was not known before.
    var rolloverCounter: UInt32 = 0
    /// The SRTCP index of RTCP, not authenticated yet.
    var feedbackIndex: UInt32 = 0

    /// Whether it follows all packets that a source had before it made room; `index` is the source's own now.
    func follows(_ former: FormerSources.Source, _ index: PacketIndex, slot: Int) -> Bool {
        switch kind {
        case .rtp: former.index.newest.map { index.estimate(number) > $0 } ?? true
        case .rtcp: former.feedback[slot].map { feedbackIndex > $0 } ?? true
        case .other: false
        }
    }
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

// RFC 3711 §3.3.1: a packet carries 16 of the 48 bits of its index. A receiver that knows the source knows the
// others. Otherwise, or with a new key, they come from what is known of the source, or from a search.

extension SRTPUnprotector {
    /// Unprotects the first RTP packet of a source with a key.
    ///
    /// The source may be unknown, or known by RTCP, with another key, or because the app expects it; or it is a former
    /// one, with its index.
    @unsafe private mutating func openFirst(
        _ packet: inout IncomingPacket, _ base: UnsafeMutablePointer<UInt8>, under key: KeyRing.Entry, _ place: Int?,
        _ former: PacketIndex?
    ) -> SRTPStatus {
        let index = place.map { sources[$0].index } ?? former ?? PacketIndex()
        let hasStream = place.map { sources[$0].streams & 1 << UInt16(key.slot) != 0 } ?? false
        let likely = index.rolloverCounter(of: packet.number)
        packet.rolloverCounter = likely
        // If the source was received with another key, its counter is known, and no search is needed.
        let isSearched = index.newest == nil && settings.maximumSearchedRolloverCounter > 0
        if isSearched { unsafe keep(base, packet.byteCount) }
        if likely == 0, !hasStream {
            // Uses the template's keys, so that a forged packet creates nothing.
            let status = unsafe key.context.unprotect(.rtp, base, &packet.byteCount)
            guard status == .authenticationFailed, isSearched, credit.take() else { return status }
            return unsafe search(&packet, base, under: key, hasStream: false, besides: likely)
        }
        guard hasStream || key.context.addStream(packet.ssrc) else { return .failed(code: 0) }
        if let place { sources[place].streams |= 1 << UInt16(key.slot) }
        key.context.setRolloverCounter(likely, of: packet.ssrc)
        let status = unsafe key.context.unprotect(.rtp, base, &packet.byteCount)
        // A stream of a source that has no place would be left over.
        if place == nil, status != .done { key.context.removeStream(packet.ssrc) }
        guard status == .authenticationFailed else { return status }
        if place != nil { key.context.setRolloverCounter(0, of: packet.ssrc) }
        guard isSearched, credit.take() else { return status }
        return unsafe search(&packet, base, under: key, hasStream: place != nil, besides: likely)
    }

    /// Stores a copy of the packet, because a failed attempt destroys it.
    @unsafe private mutating func keep(_ base: UnsafeMutablePointer<UInt8>, _ byteCount: Int) {
        copy.removeAll(keepingCapacity: true)
        // The bytes of the packet, which do not change during the call.
        unsafe copy.append(contentsOf: UnsafeBufferPointer(start: base, count: byteCount))
    }

    /// Tries the counters next to the likely one, then those from 0 on. Uses a stream of the source, which is kept
    /// only on success.
    @unsafe private mutating func search(
        _ packet: inout IncomingPacket, _ base: UnsafeMutablePointer<UInt8>, under key: KeyRing.Entry, hasStream: Bool,
        besides likely: UInt32
    ) -> SRTPStatus {
        statistics.rolloverSearches += 1
        guard hasStream || key.context.addStream(packet.ssrc) else { return .authenticationFailed }
        func attempt(_ counter: UInt32) -> SRTPStatus {
            key.context.setRolloverCounter(counter, of: packet.ssrc)
            // Restores the original bytes.
            unsafe copy.withUnsafeBufferPointer { unsafe base.update(from: $0.baseAddress!, count: $0.count) }
            packet.byteCount = copy.count
            packet.rolloverCounter = counter
            return unsafe key.context.unprotect(.rtp, base, &packet.byteCount)
        }
        for counter in [likely &+ 1, likely &- 1] where counter > settings.maximumSearchedRolloverCounter && likely > 0
        {
            let status = attempt(counter)
            if status == .done { return status }
        }
        for counter in 0...settings.maximumSearchedRolloverCounter where counter != likely {
            let status = attempt(counter)
            if status == .done { return status }
        }
        key.context.setRolloverCounter(0, of: packet.ssrc)
        if !hasStream { key.context.removeStream(packet.ssrc) }
        return .authenticationFailed
    }
}
