public import RillRTP
import RillReceive
public import RillSession

/// A stream that is sent, as it was negotiated.
public struct PeerSendingStream: Equatable, Sendable {
    /// Its number in the session.
    public let id: SendingStreamID
    /// Its transceiver.
    public let transceiver: TransceiverID
    /// What was negotiated: codec, RID, limits.
    public internal(set) var description: StreamDescription
    /// Whether frames are wanted: not if the section's direction excludes them, or the layer is paused.
    public internal(set) var isActive: Bool
}

/// A stream that is received, as it was negotiated.
public struct PeerReceivingStream: Equatable, Sendable {
    /// Its number in the session.
    public let id: ReceivingStreamID
    /// Its transceiver.
    public let transceiver: TransceiverID
    /// What was negotiated: codec, RID, limits.
    public internal(set) var description: StreamDescription
    /// Whether the other side may send it now.
    public internal(set) var isActive: Bool
}

/// The streams of a session, kept to what the sections say.
///
/// A stream whose section stops sending stays, paused: its SSRC and its sequence numbers go on when it resumes. A
/// second stream with the SSRC would use numbers, and so SRTP's counters, twice.
struct PeerStreams: ~Copyable {
    /// How long frames that are received wait before they are decoded.
    private let playoutDelay: PlayoutDelayBounds
    private(set) var sending: [PeerSendingStream] = []
    private(set) var receiving: [PeerReceivingStream] = []
    /// The sections whose packets are passed on.
    private var packetSections = PacketSections()

    init(playoutDelay: PlayoutDelayBounds) { self.playoutDelay = playoutDelay }

    /// The transceiver to which a packet is passed on; `nil` for a packet of the session.
    mutating func packetOwner(of packet: Span<UInt8>) -> TransceiverID? { packetSections.owner(of: packet) }

    /// Adds, changes, pauses and removes streams.
    ///
    /// - Returns: whether anything changed.
    mutating func apply(
        _ sections: [NegotiatedSection], to session: RTPSession, using random: inout SeededGenerator, at now: MediaTime
    ) throws(PeerError) -> Bool {
        var isChange = false
        packetSections = PacketSections(sections)
        try remove(notIn: sections, session, &isChange, at: now)
        for section in sections where section.kind == .video {
            for description in section.sending {
                try send(description, section, on: session, using: &random, &isChange, at: now)
            }
            for description in section.receiving { try receive(description, section, on: session, &isChange, at: now) }
        }
        return isChange
    }

    /// Removes the streams of transceivers that are gone, and pauses those that are not in their sections any more.
    private mutating func remove(
        notIn sections: [NegotiatedSection], _ session: RTPSession, _ isChange: inout Bool, at now: MediaTime
    ) throws(PeerError) {
        let known = Set(sections.map(\.transceiver))
        for stream in sending where !known.contains(stream.transceiver) {
            session.remove(stream.id, at: now)
            isChange = true
        }
        for stream in receiving where !known.contains(stream.transceiver) {
            session.remove(stream.id)
            isChange = true
        }
        sending.removeAll { !known.contains($0.transceiver) }
        receiving.removeAll { !known.contains($0.transceiver) }
        for index in sending.indices where sending[index].isActive {
            let stream = sending[index]
            let isThere = sections.contains { section in
                section.transceiver == stream.transceiver
                    && section.sending.contains { $0.isStream(of: stream.description) }
            }
            if isThere { continue }
            session.setPaused(true, of: stream.id, at: now)
            sending[index].isActive = false
            isChange = true
        }
        for index in receiving.indices where receiving[index].isActive {
            let stream = receiving[index]
            let isThere = sections.contains { section in
                section.transceiver == stream.transceiver
                    && section.receiving.contains { $0.isStream(of: stream.description) }
            }
            if isThere { continue }
            session.setMuted(true, of: stream.id)
            receiving[index].isActive = false
            isChange = true
        }
    }

    private mutating func send(
        _ description: StreamDescription, _ section: NegotiatedSection, on session: RTPSession,
        using random: inout SeededGenerator, _ isChange: inout Bool, at now: MediaTime
    ) throws(PeerError) {
        let isActive = !description.isPaused
        let known = sending.firstIndex {
            $0.transceiver == section.transceiver && description.isStream(of: $0.description)
        }
        if let known, description.isSameOnTheWire(as: sending[known].description) {
            if sending[known].isActive != isActive {
                session.setPaused(!isActive, of: sending[known].id, at: now)
                sending[known].isActive = isActive
                isChange = true
            }
            if sending[known].description != description {
                sending[known].description = description
                isChange = true
            }
            return
        }
        var settings: RTPStreamSettings
        do throws(StreamDescriptionError) {
            settings = try RTPStreamSettings(description, using: &random)
        } catch {
            throw .stream(error)
        }
        if let known {
            // Other payload types or extensions: a new stream, whose SSRC must not be used again.
            session.remove(sending[known].id, at: now)
            sending.remove(at: known)
            settings.ssrc = SSRC(.random(in: .min ... .max, using: &random))
            settings.retransmission?.ssrc = SSRC(.random(in: .min ... .max, using: &random))
        }
        do throws(SessionError) {
            let id = try session.send(settings)
            if !isActive { session.setPaused(true, of: id, at: now) }
            sending.append(
                PeerSendingStream(
                    id: id, transceiver: section.transceiver, description: description, isActive: isActive))
        } catch {
            throw .session(error)
        }
        isChange = true
    }

    private mutating func receive(
        _ description: StreamDescription, _ section: NegotiatedSection, on session: RTPSession,
        _ isChange: inout Bool, at now: MediaTime
    ) throws(PeerError) {
        let isActive = !description.isPaused
        var settings: StreamReceiverSettings
        do throws(StreamDescriptionError) {
            settings = try StreamReceiverSettings(description, ssrc: SSRC(0))
        } catch {
            throw .stream(error)
        }
        settings.jitterBuffer.playoutDelay = playoutDelay
        if let known = receiving.firstIndex(where: {
            $0.transceiver == section.transceiver && description.isStream(of: $0.description)
        }) {
            let before = receiving[known]
            guard before.description != description || before.isActive != isActive else { return }
            if before.isActive != isActive { session.setMuted(!isActive, of: before.id) }
            if !description.isSameOnTheWire(as: before.description) {
                session.change(settings, of: before.id, at: now)
            }
            receiving[known].description = description
            receiving[known].isActive = isActive
            isChange = true
            return
        }
        do throws(SessionError) {
            let id = try session.receive(settings, at: now)
            if !isActive { session.setMuted(true, of: id) }
            receiving.append(
                PeerReceivingStream(
                    id: id, transceiver: section.transceiver, description: description, isActive: isActive))
        } catch {
            throw .session(error)
        }
        isChange = true
    }
}

extension StreamDescription {
    /// Whether packets of both look the same: what may differ are limits, pauses and the feedback. A RID that is not
    /// negotiated any more does no harm in them.
    fileprivate func isSameOnTheWire(as former: StreamDescription) -> Bool {
        payloadType == former.payloadType && encoding == former.encoding && parameters == former.parameters
            && mid == former.mid && (rid == nil || rid == former.rid) && repair == former.repair
            && headerExtensions == former.headerExtensions
    }
}
