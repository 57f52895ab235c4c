import Foundation
import RillCore
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport

/// A negotiator with a transport, and the steps of an exchange.
struct NegotiationEnd {
    var negotiator: Negotiator
    var transport: LocalTransport

    init(_ settings: NegotiationSettings = NegotiationSettings(), seed: UInt64 = 1) throws {
        negotiator = Negotiator(settings, seed: seed)
        transport = try NegotiationEnd.transport(seed: seed)
    }

    /// One whose offers are those that the recorded answers were made to: from before there were levels of sound.
    static func recorded() throws -> NegotiationEnd {
        var settings = NegotiationSettings()
        settings.headerExtensions.removeAll { $0 == .audioLevel }
        return try NegotiationEnd(settings, seed: 7)
    }

    /// A transport with the credentials and the fingerprint of a seed.
    static func transport(seed: UInt64, candidates: [String] = []) throws -> LocalTransport {
        var generator = SeededGenerator(seed: seed &* 0x5EED)
        let fingerprint = try DTLSFingerprint(
            .sha256, (0..<32).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        return LocalTransport(
            credentials: ICECredentials(using: &generator), fingerprints: [fingerprint],
            candidates: candidates.map { ICECandidate(.host, AgentPair.address($0), foundation: "1") },
            hasAllCandidates: !candidates.isEmpty)
    }

    /// Draws other credentials: the next description restarts ICE.
    mutating func restart(seed: UInt64) throws {
        let fresh = try NegotiationEnd.transport(seed: seed)
        transport.credentials = fresh.credentials
    }

    /// Adds a transceiver.
    @discardableResult
    mutating func add(
        _ kind: MediaDescription.Kind = .video, _ direction: MediaDirection = .sendAndReceive, layers: [String] = [],
        receiving rids: [String] = []
    ) throws -> TransceiverID {
        var settings = TransceiverSettings(kind, direction)
        if !layers.isEmpty { settings.sending = layers.map { SendingEncoding(rid: $0) } }
        settings.receivedRIDs = rids
        return try negotiator.addTransceiver(settings)
    }

    /// Makes and sets an offer.
    mutating func offer() throws -> SessionDescription {
        let offer = try negotiator.makeOffer(transport)
        _ = try negotiator.setLocal(.offer, offer)
        return offer
    }

    /// Takes an offer; makes and sets an answer.
    mutating func answer(
        _ offer: SessionDescription
    ) throws -> (description: SessionDescription, offered: NegotiationOutcome, answered: NegotiationOutcome) {
        let offered = try negotiator.setRemote(.offer, text: offer.text)
        let answer = try negotiator.makeAnswer(transport)
        return (answer, offered, try negotiator.setLocal(.answer, answer))
    }

    /// The one transceiver with that identity.
    func transceiver(_ id: TransceiverID) throws -> Transceiver {
        try existing(negotiator.transceivers.first { $0.id == id })
    }
}

/// Offers from one end to the other, until both are stable.
@discardableResult
func exchange(
    from offerer: inout NegotiationEnd, to answerer: inout NegotiationEnd
) throws -> (offerer: NegotiationOutcome, answerer: NegotiationOutcome) {
    let offer = try offerer.offer()
    let (answer, _, answered) = try answerer.answer(offer)
    return (try offerer.negotiator.setRemote(.answer, text: answer.text), answered)
}

/// Descriptions that other programs wrote.
enum RecordedDescription: String, CaseIterable {
    /// Chromium: audio, video and a data channel.
    case chromiumCall = "chromium-call"
    /// Chromium: a simulcast of two layers, with candidates.
    case chromiumSimulcast = "chromium-simulcast"
    /// Chromium: receives video, VP9 first, and audio; max-bundle.
    case chromiumReceiving = "chromium-receiving"
    /// Chromium: audio and video.
    case chromiumFirst = "chromium-first"
    /// Chromium, after `chromiumFirst`: ICE restarted, the video stopped, another added.
    case chromiumSecond = "chromium-second"
    /// Chromium: a data channel only.
    case chromiumData = "chromium-data"
    /// GStreamer's webrtcbin: video, and audio that is only bundled.
    case gstreamer = "gstreamer-offer"
    /// aiortc: audio, video and a data channel, each with candidates.
    case aiortc = "aiortc-offer"
    /// Chromium's answer to an offer of ours.
    case chromiumAnswer = "chromium-answer"
    /// webrtcbin's answer to the same offer.
    case gstreamerAnswer = "gstreamer-answer"
    /// aiortc's answer to the same offer.
    case aiortcAnswer = "aiortc-answer"

    /// The descriptions that are offers.
    static let offers: [RecordedDescription] = [
        .chromiumCall, .chromiumSimulcast, .chromiumReceiving, .chromiumFirst, .chromiumSecond, .chromiumData,
        .gstreamer, .aiortc,
    ]

    var text: String {
        get throws {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Descriptions")
            return String(decoding: try Data(contentsOf: folder.appending(path: rawValue + ".sdp")), as: UTF8.self)
        }
    }
}

extension SessionDescription {
    /// The lines of the text that begin in some way.
    func lines(_ start: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(String.init).filter { $0.hasPrefix(start) }
    }
}

extension MediaDescription {
    /// The values of an attribute without a property.
    func values(_ name: String) -> [String] { otherAttributes.filter { $0.name == name }.map { $0.value ?? "" } }
}
