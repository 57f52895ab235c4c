public import RillCore
public import RillRTP
public import RillSecurity
import RillTransport

/// One of the others, as a ``VideoCall`` is to meet them.
///
///     var them = ParticipantSettings("bob", at: try UDPAddress.resolve("example.org:5004"), key: key)
///     them.streams = try answer.streams(.send)          // what a session description says of their streams
///     let bob = try call.add(them, over: socket)
public struct ParticipantSettings: Sendable {
    /// What events and logs call them.
    public var name: String
    /// Where our packets go at first. With keys it follows them: genuine packets from another address, once the one before is silent,
    /// move it. `nil`: where their first packet comes from.
    public var address: UDPAddress?
    /// What our packets are protected with; `nil` for packets in the clear.
    public var sendingKey: SRTPKey?
    /// What theirs are protected with; `nil` for packets in the clear.
    public var receivingKey: SRTPKey?
    /// What they send; `nil` for streams with the names of our own layers, as another Rill sends them.
    public var streams: [StreamDescription]?
    /// Which of our layers they are sent; `nil` for all.
    public var layers: Set<StreamLayer.RID>?
    /// Requests leave without a report before them (RFC 5506): for who agreed on it. Rill does.
    public var usesReducedSizeRTCP = true

    /// Somebody at an address, who protects with the same key as we do.
    ///
    /// - Parameter key: `nil` for a call in the clear, which everybody on the way can watch and change.
    public init(_ name: String = "peer", at address: UDPAddress?, key: SRTPKey?) {
        self.name = name
        self.address = address
        sendingKey = key
        receivingKey = key
    }

    /// Somebody as their session description says: address, streams, and the key that they protect with, if there is one (a=crypto,
    /// RFC 4568).
    ///
    /// - Parameter key: what we protect with; for their description to be answered it goes into ours.
    /// - Throws: ``StreamDescriptionError`` for streams that cannot be received, ``SecurityError`` where none of the keys can be
    ///   used, ``TransportError/invalidAddress(_:)``.
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
