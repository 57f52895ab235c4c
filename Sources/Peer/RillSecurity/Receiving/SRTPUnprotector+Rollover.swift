import RillRTP

// RFC 3711 §3.3.1: a packet carries 16 of the 48 bits of its index. A receiver that knows the source knows the
// others. Otherwise, or with a new key, they come from what is known of the source, or from a search.

extension SRTPUnprotector {
    /// Unprotects the first RTP packet of a source with a key.
    ///
    /// The source may be unknown, or known by RTCP, with another key, or because the app expects it; or it is a former
    /// one, with its index.
    @unsafe mutating func openFirst(
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
