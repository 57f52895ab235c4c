public import RillCodec
public import RillCore
public import RillRTP
import RillSend
public import RillSession

/// How a ``VideoCall`` sends and receives.
///
/// ```swift
/// var settings = VideoCallSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
/// settings.send.fec = FECSettings(
///     percentage: 50, payloadType: PayloadType(125), redPayloadType: PayloadType(124))
/// settings.statisticsInterval = .seconds(1)
/// ```
public struct VideoCallSettings: Sendable {
    /// What is encoded, once for all participants, and how it is packetized. Bitrates follow the network
    /// (``SendSettings/congestion``). Its seed is not used. SSRCs and initial
    /// sequence numbers come from the system's random generator, separately for each participant, so that no key is
    /// used twice with the same SSRC.
    public var send: SendSettings
    /// The number of decoding threads for all participants, at least 1: `rill-decode-0` and so on. One thread decodes
    /// a 720p stream and a dozen thumbnails with ease.
    public var decodingThreadCount = 1
    /// Where the call's threads run.
    public var placement = ThreadPlacement.system
    /// The interval of ``CallEvent/statistics(_:)``; `nil` for never.
    public var statisticsInterval: MediaDuration?
    /// When a participant falls back to a smaller layer than the wanted one; `nil` for never.
    public var fallback: Fallback? = Fallback()
    /// Encrypts frames from end to end, in both directions: servers that forward them cannot read them. `nil` for no
    /// such encryption. Packets have keys of their own (``ParticipantSettings``).
    public var encryption: FrameEncryption? {
        get { send.encryption }
        set { send.encryption = newValue }
    }
    /// When a participant is ``CallEvent/interrupted(_:)``, and ``CallEvent/lost(_:)``.
    public var timeouts = SilenceTimeouts()

    /// Creates settings for these layers, with everything else at its default.
    public init(layers: [LayerSettings] = [.high(.vga, bitrate: .kilobits(800)), .low]) {
        send = SendSettings(layers: layers, seed: 0)
        send.headerExtensions = VideoCallSettings.headerExtensions
        send.congestion = CongestionSettings()
        // A name for the call, not for a person (RFC 7022 §4.2).
        send.canonicalName = String(UInt64.random(in: 0 ... .max), radix: 36)
    }

    /// The header extensions that two Rill endpoints of a call assume if no description says otherwise: RID, the RID
    /// of retransmissions, and orientation. They identify streams before their SSRCs are known.
    public static let headerExtensions: HeaderExtensionMap = {
        var map = HeaderExtensionMap()
        let numbers: [(HeaderExtensionKind, UInt8)] = [
            (.rid, 10), (.repairedRID, 11), (.videoOrientation, 13),
        ]
        do throws(RTPError) {
            for (kind, id) in numbers { try map.set(kind, id: id) }
        } catch {
            preconditionFailure("the extension IDs differ, and none is 0: \(error)")
        }
        return map
    }()

    /// Returns the streams that a participant without a description is assumed to send: layers of these names, coded
    /// and repaired like ours.
    ///
    /// - Parameter names: the names of the layers; those of our own layers by default.
    /// - Returns: one description for each name, in order.
    public func streams(_ names: [StreamLayer.RID]? = nil) -> [StreamDescription] {
        let names = names ?? send.layers.map(\.rid)
        var send = send
        send.addTransportNumbers()
        return names.map { name in
            let layer = send.layers.first { $0.rid == name }
            let codec = layer?.codec ?? .default
            var stream = StreamDescription(send.payloadType(for: codec), RTPFormat.Encoding(codec.rawValue))
            stream.parameters = codec.parameters
            stream.rid = name.description
            stream.headerExtensions = send.headerExtensions
            stream.repair.retransmission = send.retransmissionPayloadType.map {
                RepairSettings.Retransmission(ssrc: nil, payloadType: $0)
            }
            stream.repair.redPayloadType = send.fec?.redPayloadType
            stream.repair.fecPayloadType = send.fec?.payloadType
            stream.feedback = [.nack, .pictureLossIndication, .fullIntraRequest, .pause]
            if let kind = send.congestion?.feedback { stream.allow(kind) }
            stream.usesReducedSizeRTCP = true
            return stream
        }
    }
}
