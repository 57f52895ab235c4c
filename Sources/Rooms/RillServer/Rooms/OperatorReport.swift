#if Server
import RillForward
import RillRooms

/// What goes on in the rooms, for the operator's page: who is there, what each gets, and why.
struct OperatorReport: Encodable, Sendable {
    var rooms: [Room]

    struct Room: Encodable {
        var name: String
        var isLocked: Bool
        var speaker: UID?
        var members: [Member]
    }

    struct Member: Encodable {
        var uid: UID
        var name: String
        var identity: String?
        var role: Role
        var presence: Participant.Presence
        /// When it came in, in milliseconds since 1970.
        var since: Int
        /// What its network carries, in bits per second.
        var availableBitrate: Int?
        /// In milliseconds.
        var roundTripTime: Double?
        var published: [Published]
        var slots: [Slot]
    }

    struct Published: Encodable {
        var kind: MediaKind
        var isMuted: Bool
        var layers: [Layer]
    }

    struct Layer: Encodable {
        var name: String
        var width: Int?
        var height: Int?
        var framesPerSecond: Double
        var bitrate: Int
        /// How many get it.
        var viewerCount: Int
    }

    struct Slot: Encodable {
        var mid: String
        var uid: UID
        var kind: MediaKind
        var layer: String?
        var reason: SlotStatistics.Reason
    }
}

extension OperatorReport.Room {
    init(_ state: RoomState, members: [OperatorReport.Member]) {
        (name, isLocked, speaker, self.members) = (state.room, state.isLocked, state.speaker, members)
    }
}

extension OperatorReport.Member {
    /// - Parameters:
    ///   - participant: as the room knows it.
    ///   - media: what it is sent, and the layers that it publishes; `nil` without media.
    ///   - shown: whose stream a name is, and of which kind.
    init(
        _ participant: Participant, _ media: (sent: MemberStatistics, published: [MediaKind: [LayerStatistics]])?,
        _ shown: (String) -> (uid: UID, kind: MediaKind)?
    ) {
        (uid, name, identity) = (participant.uid, participant.name, participant.identity)
        (role, presence, since) = (participant.role, participant.presence, participant.session)
        availableBitrate = media?.sent.availableBitrate?.bitsPerSecond
        roundTripTime = media?.sent.roundTripTime?.milliseconds
        published = participant.published.map { published in
            OperatorReport.Published(
                kind: published.kind, isMuted: published.isMuted,
                layers: (media?.published[published.kind] ?? []).map(OperatorReport.Layer.init))
        }
        slots = (media?.sent.slots ?? []).compactMap { slot in
            shown(slot.stream).map {
                OperatorReport.Slot(mid: slot.mid, uid: $0.uid, kind: $0.kind, layer: slot.layer, reason: slot.reason)
            }
        }
    }
}

extension OperatorReport.Layer {
    init(_ layer: LayerStatistics) {
        (name, width, height) = (layer.name, layer.resolution?.width, layer.resolution?.height)
        (framesPerSecond, bitrate) = (layer.framesPerSecond, layer.bitrate.bitsPerSecond)
        viewerCount = layer.viewerCount
    }
}

extension SlotStatistics.Reason: Encodable {}
#endif
