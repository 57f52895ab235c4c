public import RillCodec
public import RillCore
public import RillRTP
import RillSend

/// How a ``VideoCall`` sends and receives.
///
///     var settings = VideoCallSettings(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
///     settings.send.protection = FECSettings(percentage: 50, payloadType: PayloadType(125), redPayloadType: PayloadType(124))
///     settings.statisticsInterval = .seconds(1)
public struct VideoCallSettings: Sendable {
    /// What is encoded, once for all participants, and how it goes into packets. Its seed is not used: sources and first numbers come
    /// from the system's generator, for each participant anew, so that no key meets an equal source twice.
    public var send: SendSettings
    /// Threads that decode what all participants send, at least 1: `rill-decode-0` and so on. One decodes a 720p stream and a dozen
    /// thumbnails with ease.
    public var decodingThreadCount = 1
    /// Where the call's threads run.
    public var placement = ThreadPlacement.system
    /// How often ``CallEvent/statistics(_:)`` comes; `nil` for never.
    public var statisticsInterval: MediaDuration?
    /// When a smaller layer of a participant is shown than is wanted; `nil` for never.
    public var fallback: Fallback? = Fallback()
    /// No packet of any kind for so long: the participant is ``CallEvent/interrupted(_:)``.
    public var interruptedAfter = MediaDuration.seconds(4)
    /// No packet of any kind for so long: the participant is ``CallEvent/lost(_:)``.
    public var lostAfter = MediaDuration.seconds(10)

    /// Settings for these layers, with everything else at its default.
    public init(layers: [LayerSettings] = [.high(.vga, bitrate: .kilobits(800)), .low]) {
        send = SendSettings(layers: layers, seed: 0)
        send.headerExtensions = VideoCallSettings.headerExtensions
        // A name for a call, not for a person (RFC 7022 §4.2).
        send.canonicalName = String(UInt64.random(in: 0 ... .max), radix: 36)
    }

    /// What the two ends of a call between Rill and Rill take for granted, where no description says otherwise: RID, the RID of
    /// retransmissions, and orientation, so that streams are known before their sources are.
    public static let headerExtensions: HeaderExtensionMap = {
        var map = HeaderExtensionMap()
        let numbers: [(HeaderExtensionKind, UInt8)] = [(.rid, 10), (.repairedRID, 11), (.videoOrientation, 13)]
        do throws(RTPError) {
            for (kind, id) in numbers { try map.set(kind, id: id) }
        } catch {
            preconditionFailure("numbers that differ, none of them 0: \(error)")
        }
        return map
    }()

    /// What a participant is taken to send where nobody has described it: layers of these names, coded and repaired as ours are.
    ///
    /// - Parameter names: the names; those of our own layers by default.
    public func streams(_ names: [StreamLayer.RID]? = nil) -> [StreamDescription] {
        let names = names ?? send.layers.map(\.rid)
        return names.map { name in
            let layer = send.layers.first { $0.rid == name }
            let codec = layer?.codec ?? .vp8
            var stream = StreamDescription(send.payloadType(for: codec), RTPFormat.Encoding(codec.rawValue))
            if codec == .vp9 { stream.parameters = [RTPFormat.Parameter("profile-id", "0")] }
            stream.rid = name.description
            stream.headerExtensions = send.headerExtensions
            stream.repair.retransmission = send.retransmissionPayloadType.map {
                RepairSettings.Retransmission(ssrc: nil, payloadType: $0)
            }
            stream.repair.redPayloadType = send.protection?.redPayloadType
            stream.repair.fecPayloadType = send.protection?.payloadType
            stream.feedback = [.nack, .pictureLossIndication, .fullIntraRequest, .pause]
            stream.usesReducedSizeRTCP = true
            return stream
        }
    }
}
