public import RillCore
package import RillPeer
public import RillRTP
public import RillSecurity
import RillTransport

/// The settings of one other participant in a ``VideoCall``.
///
/// ```swift
/// var them = ParticipantSettings("bob", at: try UDPAddress.resolve("example.org:5004"), key: key)
/// them.streams = try answer.streams(.send)  // their streams, from a session description
/// let bob = try call.add(them, over: socket)
/// ```
public struct ParticipantSettings: Sendable {
    /// The participant's name in events and logs.
    public var name: String
    /// Where our packets go at first; `nil` for the address of their first packet. With keys it follows the
    /// participant: authentic packets from another address change it once the previous one is silent.
    public var address: UDPAddress?
    /// Whether they receive RTP and RTCP at one port (a=rtcp-mux, RFC 5761). Otherwise our RTCP goes to
    /// ``reportAddress``. A call over a `UDPSocket.Pair` has two ports as well.
    public var sharesPort = true
    /// Where our RTCP goes if they have a port of its own for it; `nil` for the port behind that of RTP. RTCP of theirs
    /// that comes from a port of its own is answered there, whatever this says.
    public var reportAddress: UDPAddress?
    /// The key of our packets; `nil` for packets in the clear.
    public var sendingKey: SRTPKey?
    /// The key of their packets; `nil` for packets in the clear.
    public var receivingKey: SRTPKey?
    /// The streams that they send; `nil` for streams named like our own layers, as another Rill sends them.
    public var streams: [StreamDescription]?
    /// The layers of ours that they are sent; `nil` for all.
    public var layers: Set<StreamLayer.RID>?
    /// What they are sent, as it was negotiated; `nil` for a stream for each layer, as the call's settings have it.
    public var sent: [SentStream]?
    /// The sections that were negotiated, instead of ``streams`` and ``sent``; `nil` without negotiation.
    package var sections: [NegotiatedSection]?
    /// Our layers that the sections carry.
    package var carried: [TransceiverID: [StreamLayer.RID]] = [:]
    /// The keys come later: until then nothing is sent or taken. The address is then ICE's to tell, and no packet moves
    /// it.
    package var awaitsKeys = false
    /// Whether packets are protected, now or once the keys are there.
    var isProtected: Bool { receivingKey != nil || awaitsKeys }
    /// Sends feedback without a report before it (RFC 5506). Both sides must have agreed on it; Rill does.
    public var usesReducedSizeRTCP = true
    /// Whether they send reception reports. Where they send no RTCP (ffplay, FFmpeg, a pipeline of GStreamer without
    /// `rtpbin`), `false` sends them the layers' bitrates, paced, for as long as the call lasts. Otherwise they get
    /// ``/RillSession/CongestionSettings/bitrateWithoutFeedback`` at most, and nothing after 15 s (RFC 8083 §4.1). Only
    /// for a network that is known to carry it.
    public var expectsReports = true

    /// Creates the settings of a participant at an address, who uses the same key as we do.
    ///
    /// - Parameters:
    ///   - name: the participant's name in events and logs; `peer` by default.
    ///   - address: where our packets go at first; `nil` for the address of their first packet.
    ///   - key: the key of both directions; `nil` for a call in the clear, which anyone on the path can watch and
    ///     change.
    public init(_ name: String = "peer", at address: UDPAddress?, key: SRTPKey?) {
        self.name = name
        self.address = address
        sendingKey = key
        receivingKey = key
    }

    /// Creates the settings of a participant from their session description: address, streams, and their key if there
    /// is one (a=crypto, RFC 4568).
    ///
    /// - Parameters:
    ///   - name: the participant's name in events and logs; `peer` by default.
    ///   - by: the participant's session description.
    ///   - key: the key of our packets, which also goes into our own description.
    /// - Throws: ``/RillRTP/StreamDescriptionError`` for streams that cannot be received,
    ///   ``/RillSecurity/SecurityError`` if none of the keys can be used, ``CallError/noKeyDescribed`` if the
    ///   description requires a key and has none, or ``/RillTransport/TransportError/invalidAddress(_:)``.
    public init(
        _ name: String = "peer", described by: SessionDescription, sending key: SRTPKey?
    ) throws {
        guard let video = by.media.first(where: { $0.kind == .video && $0.port != 0 }) else {
            throw StreamDescriptionError.noCodec(section: 0)
        }
        let host = (video.connection ?? by.connection)?.host ?? ""
        let isV6 = host.contains(":")
        let address = try UDPAddress.resolve(isV6 ? "[\(host)]:\(video.port)" : "\(host):\(video.port)")
        self.init(name, at: address, key: key)
        sharesPort = video.isRTCPMultiplexed
        reportAddress = video.reportPort.map { UDPAddress(address.ip, port: $0) }
        receivingKey = nil
        if let crypto = video.crypto.first(where: SRTPKey.isAcceptable) ?? video.crypto.first {
            receivingKey = try SRTPKey(crypto)
        } else if video.transport.contains("SAVP") {
            throw CallError.noKeyDescribed
        }
        let streams = try by.streams(.send)
        self.streams = streams
        usesReducedSizeRTCP = !streams.isEmpty && streams.allSatisfy(\.usesReducedSizeRTCP)
    }
}

/// A stream that a participant is sent, as it was negotiated: one of our layers, or one of several at a time.
///
/// ```swift
/// them.sent = [SentStream(negotiated, of: [.high, .low])]  // one video, switched
/// …
/// try bob.send(.low, instead: .high)
/// ```
public struct SentStream: Equatable, Sendable {
    /// What was negotiated: payload types, header extensions, MID and RID.
    public var description: StreamDescription
    /// The layers that it can carry, one at a time, the first one at the start.
    public var layers: [StreamLayer.RID]

    /// A stream that carries one layer, or several of which one at a time.
    public init(_ description: StreamDescription, of layers: [StreamLayer.RID]) {
        precondition(!layers.isEmpty, "a stream carries a layer")
        (self.description, self.layers) = (description, layers)
    }
}
