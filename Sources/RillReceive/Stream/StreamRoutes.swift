package import RillRTP

/// Routes the datagrams of several streams by their SSRCs.
///
/// An RTP packet belongs to the stream with its SSRC, or to the one with that retransmission SSRC. An RTCP compound
/// may contain packets of several sources (RFC 3550 §6.1), so each packet is routed separately: to the stream of its
/// sender, and an echo of a reference time (RFC 3611 §4.5) to the stream that sent that time.
package struct StreamRoutes: Sendable {
    /// A stream, numbered by the owner. Not a generic type: this is called for every datagram, and would be compiled
    /// unspecialized elsewhere.
    package typealias Place = Int

    private var sources: [SSRC: Place] = [:]
    /// The streams that send RTCP as an SSRC: mostly one, but several may share it.
    private var reporters: [SSRC: [Place]] = [:]
    /// The places of one packet.
    private var found: [Place] = []

    package init() {}

    /// Routes the SSRCs of `settings` to `place` from now on.
    ///
    /// - Parameters:
    ///   - settings: the settings of the stream.
    ///   - place: its number.
    /// - Throws: ``ReceiveError/sourceInUse(_:)`` if one of them is already routed; then none is added.
    package mutating func add(_ settings: StreamReceiverSettings, to place: Place) throws(ReceiveError) {
        for ssrc in settings.sources where sources[ssrc] != nil { throw .sourceInUse(ssrc) }
        for ssrc in settings.sources { sources[ssrc] = place }
        reporters[settings.ssrc, default: []].append(place)
    }

    /// Removes all routes to `place`.
    package mutating func remove(_ place: Place) {
        sources = sources.filter { $0.value != place }
        reporters = reporters.compactMapValues { places in
            let others = places.filter { $0 != place }
            return others.isEmpty ? nil : others
        }
    }

    /// The place of an SSRC.
    package subscript(ssrc: SSRC) -> Place? { sources[ssrc] }

    /// Returns how many SSRCs are routed to places for which `isCounted` returns `true`.
    package func sourceCount(where isCounted: (Place) -> Bool) -> Int { sources.values.count(where: isCounted) }

    /// Calls `body` with each packet of a datagram, and each place that it belongs to: an RTP packet whole, RTCP
    /// split into packets. An error in a compound ends it.
    ///
    /// - Parameters:
    ///   - datagram: the datagram.
    ///   - body: receives the place and the packet's bytes.
    /// - Returns: whether any packet was routed.
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
        // A report that cannot be parsed belongs only to its sender.
        guard packet.type == .extendedReport, var report = try? ExtendedReport(parsing: copy packet) else { return }
        while let block = try? report.next() {
            guard case .delaySinceLastReceiverReport(let echoes) = block else { continue }
            for index in echoes.indices {
                // For an SSRC that several share, only the echo's sender shows which one it belongs to.
                guard let places = reporters[echoes[index].ssrc], places.count == 1, !found.contains(places[0]) else {
                    continue
                }
                found.append(places[0])
            }
        }
    }

    /// Finds the places of streams in a PAUSED message, whoever sent it: one SSRC may report for all streams of an
    /// endpoint.
    private mutating func findPaused(_ packet: borrowing RTCPPacket) {
        // A message that cannot be parsed belongs only to its sender, whose session counts it.
        guard let message = try? PauseResume(parsing: copy packet) else { return }
        var entries = message.entries
        while let entry = entries.next() {
            guard let place = sources[entry.target], !found.contains(place) else { continue }
            found.append(place)
        }
    }
}

extension StreamRoutes {
    /// Creates routes to streams 0, 1, … with those settings, including their retransmissions.
    package init(_ streams: [StreamReceiverSettings]) throws(ReceiveError) {
        self.init()
        for (index, settings) in streams.enumerated() { try add(settings, to: index) }
    }
}
