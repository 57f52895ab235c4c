import RillRTP

// RFC 3711 §3.3.1: a packet bears 16 of its index's 48 bits. Who has heard the source knows the others. Who has not, or not
// under this key, takes them from what is known, or tries.

extension SRTPUnprotector {
    /// Opens the first RTP packet of a source under a key.
    ///
    /// The source may be known (by RTCP, under another key, or because the app expects it) or not.
    @unsafe mutating func openFirst(
        _ packet: inout IncomingPacket, _ base: UnsafeMutablePointer<UInt8>, under key: KeyRing.Entry, _ place: Int?
    ) -> SRTPStatus {
        let index = place.map { sources[$0].index } ?? PacketIndex()
        let hasStream = place.map { sources[$0].streams & 1 << UInt16(key.slot) != 0 } ?? false
        let likely = index.rolloverCounter(of: packet.number)
        packet.rolloverCounter = likely
        // The counter of a source that was heard under another key is known: there is nothing to search.
        let isSearched = index.newest == nil && settings.searchedRolloverCounter > 0
        if isSearched { unsafe keep(base, packet.byteCount) }
        if likely == 0, !hasStream {
            // With the template's keys: nothing is made for a packet that is not genuine.
            let status = unsafe key.context.unprotect(.rtp, base, &packet.byteCount)
            guard status == .authenticationFailed, isSearched, credit.take() else { return status }
            return unsafe search(&packet, base, under: key, hasStream: false, besides: likely)
        }
        guard hasStream || key.context.addStream(packet.ssrc) else { return .failed(code: 0) }
        if let place { sources[place].streams |= 1 << UInt16(key.slot) }
        key.context.setRolloverCounter(likely, of: packet.ssrc)
        let status = unsafe key.context.unprotect(.rtp, base, &packet.byteCount)
        guard status == .authenticationFailed else { return status }
        key.context.setRolloverCounter(0, of: packet.ssrc)
        guard isSearched, credit.take() else { return status }
        return unsafe search(&packet, base, under: key, hasStream: true, besides: likely)
    }

    /// Keeps a copy, for what fails spoils the packet.
    @unsafe private mutating func keep(_ base: UnsafeMutablePointer<UInt8>, _ byteCount: Int) {
        copy.removeAll(keepingCapacity: true)
        // The bytes of the packet, which nobody changes meanwhile.
        unsafe copy.append(contentsOf: UnsafeBufferPointer(start: base, count: byteCount))
    }

    /// Tries the counters next to the likely one, and from 0 on, on a stream of the source's own, which only stays if one fits.
    @unsafe private mutating func search(
        _ packet: inout IncomingPacket, _ base: UnsafeMutablePointer<UInt8>, under key: KeyRing.Entry, hasStream: Bool,
        besides likely: UInt32
    ) -> SRTPStatus {
        statistics.rolloverSearches += 1
        guard hasStream || key.context.addStream(packet.ssrc) else { return .authenticationFailed }
        func attempt(_ counter: UInt32) -> SRTPStatus {
            key.context.setRolloverCounter(counter, of: packet.ssrc)
            // As many bytes as there were.
            unsafe copy.withUnsafeBufferPointer { unsafe base.update(from: $0.baseAddress!, count: $0.count) }
            packet.byteCount = copy.count
            packet.rolloverCounter = counter
            return unsafe key.context.unprotect(.rtp, base, &packet.byteCount)
        }
        for counter in [likely &+ 1, likely &- 1] where counter > settings.searchedRolloverCounter && likely > 0 {
            let status = attempt(counter)
            if status == .done { return status }
        }
        for counter in 0...settings.searchedRolloverCounter where counter != likely {
            let status = attempt(counter)
            if status == .done { return status }
        }
        key.context.setRolloverCounter(0, of: packet.ssrc)
        if !hasStream { key.context.removeStream(packet.ssrc) }
        return .authenticationFailed
    }
}
