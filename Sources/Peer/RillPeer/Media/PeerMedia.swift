package import RillCore
package import RillRTP
import RillReceive
package import RillSecurity
package import RillSend
package import RillSession

/// The media of one peer: a session, SRTP in both directions, and the streams that were agreed on.
///
/// A ``PeerConnection`` is a link with this; a participant of a call holds one too, with plain RTP and the keys of SDES
/// as other ways to make it. So what another offer means for a known stream is here, once.
///
/// Agree on streams with ``apply(_:at:_:)``, set keys, insert datagrams, send on ``session``, and protect what the
/// session has to transmit. It has one owner, and no thread, clock or socket; `now` must not go back.
package struct PeerMedia: ~Copyable {
    /// The session of all media.
    package let session: RTPSession
    /// The streams of pictures that are sent, in the order of their sections and layers.
    package var sending: [PeerSendingStream] { streams.sending(.video) }
    /// The streams of pictures that are received, in the order of their sections and layers.
    package var receiving: [PeerReceivingStream] { streams.receiving(.video) }
    /// The streams of sound that are sent, in the order of their sections.
    package var sendingSounds: [PeerSendingStream] { streams.sending(.audio) }
    /// The streams of sound that are received, in the order of their sections.
    package var receivingSounds: [PeerReceivingStream] { streams.receiving(.audio) }

    private let settings: PeerMediaSettings
    /// All streams.
    private(set) var streams = PeerStreams()
    private var random: SeededGenerator
    private var srtp: SRTPPair?
    /// Streams whose first frame must be a key frame, once there are keys.
    private var keyFramesWanted: [SendingStreamID] = []

    /// Media without streams and keys.
    ///
    /// - Parameters:
    ///   - settings: times, names and limits.
    ///   - sections: what is agreed on first: it tells which feedback there is.
    package init(_ settings: PeerMediaSettings, for sections: [NegotiatedSection]) {
        var random = SeededGenerator(seed: settings.seed)
        session = RTPSession(RTPSessionSettings(settings, sections, seed: random.next()))
        (self.settings, self.random) = (settings, random)
    }

    /// Media of an endpoint without negotiation: what is not protected, and has no streams yet.
    package init(unprotected session: RTPSessionSettings) {
        self.session = RTPSession(session)
        (settings, random) = (PeerMediaSettings(protection: .none), SeededGenerator(seed: session.seed))
    }

    // MARK: Keys

    /// Whether packets may leave and enter: there are keys, or none are needed.
    package var isOpen: Bool { mutating get { srtp != nil || settings.protection == .none } }

    /// Protects with these keys from now on. The streams that are sent begin with key frames.
    package mutating func setKeys(sending: SRTPKey, receiving: SRTPKey) throws(SecurityError) {
        srtp = try SRTPPair(sending, receiving)
        keyFramesWanted = self.sending.filter(\.isActive).map(\.id)
    }

    /// Protects with another key from the next packet on. Precondition: there is a key.
    package mutating func changeSendingKey(to key: SRTPKey) throws(SecurityError) {
        try srtp?.sending.change(to: key)
    }

    /// Also unprotects packets with this key. Precondition: there is a key.
    package mutating func addReceivingKey(_ key: SRTPKey) throws(SecurityError) { try srtp?.receiving.add(key) }

    /// Stops unprotecting packets with a key; `false` if no key has that identifier, or it is the only one.
    package mutating func removeReceivingKey(_ identifier: MasterKeyIdentifier) -> Bool {
        srtp?.receiving.remove(identifier) ?? false
    }

    /// Sets how often the sequence number of a source of theirs has wrapped.
    package mutating func expect(_ source: SSRC, rolloverCounter: UInt32) {
        srtp?.receiving.expect(source, rolloverCounter: rolloverCounter)
    }

    /// Refuses packets of our own SSRCs: with one key for both directions, ours would be authentic if they came back.
    package mutating func refuseOwnSources() {
        for source in session.ownSources { srtp?.receiving.refuse(source) }
    }

    /// Whether authentic packets of that SSRC arrived.
    package mutating func isKnown(_ source: SSRC) -> Bool { srtp?.receiving.isKnown(source) ?? false }

    /// What SRTP protected and unprotected; `nil` before there are keys.
    package var protection: (sent: ProtectStatistics, received: UnprotectStatistics)? {
        mutating get {
            guard let sent = srtp?.sending.statistics, let received = srtp?.receiving.statistics else { return nil }
            return (sent, received)
        }
    }

    /// The bytes that protection adds to a packet at most.
    package var overhead: Int { mutating get { srtp?.overhead ?? 0 } }

    // MARK: Packets

    /// Unprotects a packet in place.
    ///
    /// - Returns: the outcome; `nil` if there are no keys: without protection, the packet is as it is.
    @inline(__always)
    package mutating func unprotect(_ datagram: inout MutableSpan<UInt8>) -> UnprotectOutcome? {
        srtp?.receiving.unprotect(&datagram)
    }

    /// Appends a packet of ours as it leaves.
    ///
    /// - Returns: whether it may leave: not before there are keys, nor if SRTP refuses it.
    @inline(__always)
    @_lifetime(datagram: copy datagram)
    package mutating func protect(_ packet: Span<UInt8>, into datagram: inout OutputSpan<UInt8>) -> Bool {
        if let outcome = srtp?.sending.protect(packet, into: &datagram) {
            if case .protected = outcome { return true }
            return false
        }
        guard settings.protection == .none else { return false }
        datagram.append(copying: packet)
        return true
    }

    /// Appends a packet of ours as it leaves to an array; nothing if it may not leave.
    package mutating func protect(_ packet: Span<UInt8>, into datagram: inout [UInt8]) {
        datagram.append(addingCapacity: packet.count + overhead) { output in _ = protect(packet, into: &output) }
    }

    /// A stream that must begin with a key frame now that packets may leave. Each is returned once.
    package mutating func takeKeyFrameRequest() -> SendingStreamID? {
        keyFramesWanted.isEmpty || !isOpen ? nil : keyFramesWanted.removeFirst()
    }

    // MARK: Streams

    /// The packets of sound that are kept: none of them is retransmitted.
    private static let soundHistory = 16
    /// Opus has at most 1275 bytes a frame (RFC 6716 §3.2.1), and cannot be cut.
    private static let soundPacketByteCount = 1400

    /// Adjusts the settings of a stream that is sent, beyond what was negotiated for it.
    package typealias Adjustment = (TransceiverID, StreamDescription, inout RTPStreamSettings) -> Void

    /// Makes the session's streams those of the sections: adds, changes, pauses and removes streams.
    ///
    /// A stream whose section stops sending stays, paused: its SSRC and its sequence numbers go on when it resumes. A
    /// second stream with the SSRC would use numbers, and so SRTP's counters, twice.
    ///
    /// A known stream whose payload types, header extensions or repair change goes on too, from its next key frame,
    /// which is requested: with the SSRC that was announced, its numbers, and what the app has set.
    ///
    /// - Parameters:
    ///   - sections: all sections.
    ///   - now: the current time.
    ///   - adjust: adjusts a stream that is new, or changes on the wire.
    /// - Returns: whether anything changed.
    /// - Throws: ``PeerError/stream(_:)``, ``PeerError/session(_:)``. The streams before the one that failed have
    ///   changed.
    package mutating func apply(
        _ sections: [NegotiatedSection], at now: MediaTime, _ adjust: Adjustment = { _, _, _ in }
    ) throws(PeerError) -> Bool {
        let before = streams
        let known = Set(sections.map(\.transceiver))
        for stream in streams.sending where !known.contains(stream.transceiver) { session.remove(stream.id, at: now) }
        for stream in streams.receiving where !known.contains(stream.transceiver) { session.remove(stream.id) }
        streams.sending.removeAll { !known.contains($0.transceiver) }
        streams.receiving.removeAll { !known.contains($0.transceiver) }
        for (index, stream) in streams.sending.enumerated() where !sections.contains(where: { $0.sends(stream) }) {
            setActive(false, sending: index, at: now)
        }
        for (index, stream) in streams.receiving.enumerated() where !sections.contains(where: { $0.receives(stream) }) {
            setActive(false, receiving: index)
        }
        for section in sections {
            for description in section.sending { try send(description, of: section.transceiver, at: now, adjust) }
            for description in section.receiving { try receive(description, of: section.transceiver, at: now) }
        }
        return before != streams
    }

    private mutating func send(
        _ description: StreamDescription, of transceiver: TransceiverID, at now: MediaTime, _ adjust: Adjustment
    ) throws(PeerError) {
        let known = streams.sending.firstIndex {
            $0.transceiver == transceiver && description.isStream(of: $0.description)
        }
        let isChange = known.map { !description.isSameOnTheWire(as: streams.sending[$0].description) } ?? true
        if isChange {
            var settings: RTPStreamSettings
            do throws(StreamDescriptionError) { settings = try RTPStreamSettings(description, using: &random) } catch {
                throw .stream(error)
            }
            if description.kind == .audio {
                (settings.historyCapacity, settings.maximumPacketByteCount) = (
                    PeerMedia.soundHistory, PeerMedia.soundPacketByteCount
                )
            }
            adjust(transceiver, description, &settings)
            do throws(SessionError) {
                if let known {
                    // The SSRC that was announced, its numbers and the clock go on.
                    try session.change(settings, of: streams.sending[known].id)
                } else {
                    let id = try session.send(settings)
                    if description.kind == .video { keyFramesWanted.append(id) }
                    streams.sending.append(
                        PeerSendingStream(id: id, transceiver: transceiver, description: description, isActive: true))
                }
            } catch {
                throw .session(error)
            }
        }
        let index = known ?? streams.sending.count - 1
        streams.sending[index].description = description
        setActive(!description.isPaused, sending: index, at: now)
    }

    private mutating func receive(
        _ description: StreamDescription, of transceiver: TransceiverID, at now: MediaTime
    ) throws(PeerError) {
        let known = streams.receiving.firstIndex {
            $0.transceiver == transceiver && description.isStream(of: $0.description)
        }
        let isChange = known.map { !description.isSameOnTheWire(as: streams.receiving[$0].description) } ?? true
        if isChange {
            var settings: StreamReceiverSettings
            do throws(StreamDescriptionError) {
                settings = try StreamReceiverSettings(description, ssrc: SSRC(0))
                settings.jitterBuffer.playoutDelay = self.settings.playoutDelay
                settings.jitterBuffer.isOpaque = self.settings.isOpaque
                if let known, let former = session.settings(of: streams.receiving[known].id) {
                    // What the app has set stays.
                    let nack = former.jitterBuffer.nack ?? settings.jitterBuffer.nack
                    settings = former
                    settings.jitterBuffer.nack = nack
                    try settings.apply(description)
                }
            } catch {
                throw .stream(error)
            }
            do throws(SessionError) {
                if let known {
                    session.change(settings, of: streams.receiving[known].id, at: now)
                } else {
                    let id = try session.receive(settings, at: now)
                    streams.receiving.append(
                        PeerReceivingStream(id: id, transceiver: transceiver, description: description, isActive: true))
                }
            } catch {
                throw .session(error)
            }
        }
        let index = known ?? streams.receiving.count - 1
        streams.receiving[index].description = description
        setActive(!description.isPaused, receiving: index)
    }

    private mutating func setActive(_ isActive: Bool, sending index: Int, at now: MediaTime) {
        guard streams.sending[index].isActive != isActive else { return }
        session.setPaused(!isActive, of: streams.sending[index].id, at: now)
        streams.sending[index].isActive = isActive
    }

    private mutating func setActive(_ isActive: Bool, receiving index: Int) {
        guard streams.receiving[index].isActive != isActive else { return }
        session.setMuted(!isActive, of: streams.receiving[index].id)
        streams.receiving[index].isActive = isActive
    }
}

extension NegotiatedSection {
    fileprivate func sends(_ stream: PeerSendingStream) -> Bool {
        transceiver == stream.transceiver && sending.contains { $0.isStream(of: stream.description) }
    }

    fileprivate func receives(_ stream: PeerReceivingStream) -> Bool {
        transceiver == stream.transceiver && receiving.contains { $0.isStream(of: stream.description) }
    }
}

extension StreamDescription {
    /// Whether packets of both look the same: what may differ are limits, pauses and the feedback. A RID that is not
    /// negotiated any more does no harm in them.
    fileprivate func isSameOnTheWire(as former: StreamDescription) -> Bool {
        payloadType == former.payloadType && encoding == former.encoding && parameters == former.parameters
            && alternatives == former.alternatives && mid == former.mid && (rid == nil || rid == former.rid)
            && repair == former.repair && headerExtensions == former.headerExtensions
    }
}

/// The streams of a peer, in the order of their sections and layers.
struct PeerStreams: Equatable {
    var sending: [PeerSendingStream] = []
    var receiving: [PeerReceivingStream] = []

    func sending(_ kind: MediaDescription.Kind) -> [PeerSendingStream] {
        sending.filter { $0.description.kind == kind }
    }

    func receiving(_ kind: MediaDescription.Kind) -> [PeerReceivingStream] {
        receiving.filter { $0.description.kind == kind }
    }
}

/// The protection of both directions.
private struct SRTPPair: ~Copyable {
    /// The bytes that protection adds at most. Mutating, so that no part of this value is copied.
    var overhead: Int { mutating get { sending.overhead } }
    var sending: SRTPProtector
    var receiving: SRTPUnprotector

    init(_ sendingKey: SRTPKey, _ receivingKey: SRTPKey) throws(SecurityError) {
        // Both, or none: a value cannot be half made.
        let sending = try SRTPProtector(sendingKey)
        let receiving = try SRTPUnprotector(receivingKey)
        self.sending = sending
        self.receiving = receiving
    }
}
