package import RillRTP

/// Tells the datagrams of several streams apart by their SSRCs.
///
/// An RTP packet belongs to the stream of its source, or of its retransmissions. A datagram of RTCP may be bundled from
/// packets of several sources (RFC 3550 §6.1), so each of them finds its own way: to the stream of its sender, and an echo
/// of a receiver's time (RFC 3611 §4.5) to the stream that told that time.
package struct StreamRoutes: Sendable {
    /// Which of its streams, as whoever has them numbers them. No type of his: this is asked for every datagram, and would be
    /// compiled for all types in one elsewhere.
    package typealias Place = Int

    private var sources: [SSRC: Place] = [:]
    /// Which streams send RTCP under a number: mostly one, but nothing keeps several from sharing theirs.
    private var reporters: [SSRC: [Place]] = [:]
    /// The places of one packet.
    private var found: [Place] = []

    package init() {}

    /// The sources of `settings` lead to `place` from now on.
    ///
    /// - Throws: ``ReceiveError/sourceInUse(_:)`` where one of them leads somewhere already; then none is added.
    package mutating func add(_ settings: StreamReceiverSettings, to place: Place) throws(ReceiveError) {
        for ssrc in settings.sources where sources[ssrc] != nil { throw .sourceInUse(ssrc) }
        for ssrc in settings.sources { sources[ssrc] = place }
        reporters[settings.ssrc, default: []].append(place)
    }

    /// Nothing leads to `place` any more.
    package mutating func remove(_ place: Place) {
        sources = sources.filter { $0.value != place }
        reporters = reporters.compactMapValues { places in
            let others = places.filter { $0 != place }
            return others.isEmpty ? nil : others
        }
    }

    /// Where the packets of a source go.
    package subscript(ssrc: SSRC) -> Place? { sources[ssrc] }

    /// How many sources lead to places of which `isCounted` says so.
    package func sourceCount(where isCounted: (Place) -> Bool) -> Int { sources.values.count(where: isCounted) }

    /// Calls `body` with each packet of a datagram, and each place that it belongs to: an RTP packet as a whole, RTCP taken
    /// apart. Behind what cannot be read of a compound there is nothing more.
    ///
    /// - Returns: whether anything belonged anywhere.
    @discardableResult
    package mutating func route(_ datagram: Span<UInt8>, _ body: (Place, Span<UInt8>) -> Void) -> Bool {
        guard PacketKind(of: datagram) == .rtcp else {
            guard let place = SSRC(ofSenderOf: datagram).flatMap({ sources[$0] }) else { return false }
            body(place, datagram)
            return true
        }
        var compound = RTCPCompound(datagram)
        var (start, isRouted) = (0, false)
        while let packet = try? compound.next() {
            let end = start + packet.byteCount
            let bytes = datagram.extracting(start..<end)
            find(packet, sender: SSRC(ofSenderOf: bytes))
            for place in found { body(place, bytes) }
            isRouted = isRouted || !found.isEmpty
            start = end
        }
        return isRouted
    }

    /// Finds the places of an RTCP packet, each once.
    private mutating func find(_ packet: borrowing RTCPPacket, sender: SSRC?) {
        found.removeAll(keepingCapacity: true)
        if let place = sender.flatMap({ sources[$0] }) { found.append(place) }
        if packet.type == .transportFeedback { findPaused(packet) }
        // A report that cannot be read belongs to its sender alone.
        guard packet.type == .extendedReport, var report = try? ExtendedReport(parsing: copy packet) else { return }
        while let block = try? report.next() {
            guard case .delaySinceLastReceiverReport(let echoes) = block else { continue }
            for index in echoes.indices {
                // Under a number that several share, only the echo's sender tells whose it is.
                guard let places = reporters[echoes[index].ssrc], places.count == 1, !found.contains(places[0]) else {
                    continue
                }
                found.append(places[0])
            }
        }
    }

    /// Finds the places of streams that are said to have paused, whoever says it: one source speaks for all of an endpoint's.
    private mutating func findPaused(_ packet: borrowing RTCPPacket) {
        // One that cannot be read belongs to its sender alone, whose session counts it.
        guard let message = try? PauseResume(parsing: copy packet) else { return }
        var entries = message.entries
        while let entry = entries.next() {
            guard let place = sources[entry.target], !found.contains(place) else { continue }
            found.append(place)
        }
    }
}

extension StreamRoutes {
    /// Routes to streams 0, 1, … of those settings, their retransmissions included.
    package init(_ streams: [StreamReceiverSettings]) throws(ReceiveError) {
        self.init()
        for (index, settings) in streams.enumerated() { try add(settings, to: index) }
    }
}
