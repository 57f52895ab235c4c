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

extension SlotStatistics.Reason: Encodable {}
#endif
