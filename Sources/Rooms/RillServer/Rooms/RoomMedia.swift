#if Server
import RillCore
import RillForward
import RillPeer
import RillRooms

/// The media of rooms: which session of the forwarder is whose, and what its streams are called.
///
/// A member's camera, with its sound, is the stream `@SESSION`, its screen `@SESSION/2`: names that no URL has.
struct RoomMedia {
    /// What follows for a room from an event of the forwarder.
    enum Change {
        case slot(SlotState, of: RoomMember)
        case interest(LayerInterest, of: RoomMember)
        case firstPicture(MediaKind, of: RoomMember, Resolution?)
        case speaker(UID?, in: String)
        case ended(RoomMember)
    }

    private struct Entry {
        let session: ICEPeerID
        var slots: [String: SlotState] = [:]
        /// What it wants of each participant.
        var wants: [UID: [MediaKind: Want]] = [:]
        /// When something was last heard of it.
        var heardTime = MediaTime.zero
    }

    /// A participant's place.
    private struct Place: Hashable {
        var room: String
        var uid: UID
    }

    private let forwarder: LiveForwarder
    private var entries: [RoomMember: Entry] = [:]
    private var members: [ICEPeerID: RoomMember] = [:]
    private var places: [Place: RoomMember] = [:]
    private var streams: [String: RoomMember] = [:]

    init(_ forwarder: LiveForwarder) { self.forwarder = forwarder }

    private static func stream(of member: RoomMember, _ kind: MediaKind = .video) -> String {
        kind == .screen ? "@\(member.session)/2" : "@\(member.session)"
    }

    /// What a stream is of its publisher's.
    private func find(_ stream: String) -> (member: RoomMember, kind: MediaKind)? {
        let isScreen = stream.hasSuffix("/2")
        return streams[isScreen ? String(stream.dropLast(2)) : stream].map { ($0, isScreen ? .screen : .video) }
    }

    // MARK: Offers

    /// Answers an offer: the first one of a member, or another one.
    mutating func answer(_ offer: String, _ negotiation: RoomNegotiation) throws(RoomError) -> String {
        let member = negotiation.member
        do throws(ForwardError) {
            if negotiation.hasMedia, let entry = entries[member] {
                return try forwarder.renegotiate(entry.session, offer: offer).text
            }
            if let former = entries[member] { end(member, former) }
            let name = Self.stream(of: member)
            let (session, answer) = try forwarder.join(name, offer: offer, in: member.room)
            entries[member] = Entry(session: session)
            (members[session], streams[name]) = (member, member)
            places[Place(room: member.room, uid: member.uid)] = member
            // Nothing is forwarded before it is published.
            for kind in MediaKind.allCases { setMuted(true, kind, of: member) }
            for other in entries.keys where other.room == member.room { want(of: other, from: member.uid) }
            return answer.text
        } catch {
            switch error {
            case .tooManySessions(let limit), .tooManyStreams(let limit), .quotaReached(_, let limit):
                throw .roomFull(limit: limit)
            case .closed: throw .draining
            default: throw .descriptionRefused("\(error)")
            }
        }
    }

    // MARK: Changes

    mutating func apply(_ change: RoomMediaChange, to member: RoomMember) {
        switch change {
        case .publish(let kind, _, let isMuted), .mute(let kind, let isMuted): setMuted(isMuted, kind, of: member)
        case .unpublish(let kind): setMuted(true, kind, of: member)
        case .want(let want):
            entries[member]?.wants[want.uid, default: [:]][want.kind] = want
            self.want(of: member, from: want.uid)
        case .end:
            guard let entry = entries[member] else { return }
            end(member, entry)
        }
    }

    private mutating func end(_ member: RoomMember, _ entry: Entry) {
        // The one error is an unknown session: it has ended by itself.
        try? forwarder.end(entry.session)
        forget(member, entry)
    }

    private mutating func forget(_ member: RoomMember, _ entry: Entry) {
        (entries[member], members[entry.session]) = (nil, nil)
        streams[Self.stream(of: member)] = nil
        let place = Place(room: member.room, uid: member.uid)
        if places[place] == member { places[place] = nil }
    }

    private func setMuted(_ isMuted: Bool, _ kind: MediaKind, of member: RoomMember) {
        // The one error is an unknown stream: without such a section there is nothing to withhold.
        switch kind {
        case .sound: try? forwarder.setMuted(Self.stream(of: member), sound: isMuted)
        case .video, .screen: try? forwarder.setMuted(Self.stream(of: member, kind), pictures: isMuted)
        }
    }

    /// Applies what a member wants of a participant, once that one has media.
    private func want(of member: RoomMember, from uid: UID) {
        guard let entry = entries[member], let wants = entry.wants[uid],
            let publisher = places[Place(room: member.room, uid: uid)]
        else { return }
        let hasSound = wants[.sound].map { $0.picture != .none } ?? false
        let camera = wants[.video]
        var wish = StreamWish(camera.map(\.picture).wish, priority: camera?.priority ?? 0, hasSound: hasSound)
        // Both calls fail where no slot is free, or the stream is not there: the wish stays, and nothing is shown.
        try? forwarder.want(Self.stream(of: publisher), wish.isNothing ? nil : wish, for: entry.session)
        guard let screen = wants[.screen] else { return }
        wish = StreamWish(screen.picture.wish, priority: screen.priority, hasSound: false)
        try? forwarder.want(Self.stream(of: publisher, .screen), wish.isNothing ? nil : wish, for: entry.session)
    }

    // MARK: Events

    mutating func take(_ event: ForwardEvent) -> Change? {
        switch event {
        case .slotChanged(let session, let mid, let kind, let name):
            let shown = name.flatMap(find)
            return change(
                SlotState(mid: mid, uid: shown?.member.uid, kind: shown.map { kind == .audio ? .sound : $0.kind }),
                of: session.id)
        case .layerChanged(let session, let layer):
            return changeSlot(of: session.id, showing: session.stream) { slot in
                slot.layer = layer
                slot.isPaused = false
            }
        case .paused(let session):
            return changeSlot(of: session.id, showing: session.stream) { slot in
                (slot.layer, slot.isPaused) = (nil, true)
            }
        case .firstPicture(let session, _, let size):
            return find(session.stream).map { .firstPicture($0.kind, of: $0.member, size) }
        case .speakerChanged(let room, let stream): return .speaker(stream.flatMap(find)?.member.uid, in: room)
        case .ended(let session, _):
            guard let member = members[session.id], let entry = entries[member] else { return nil }
            forget(member, entry)
            return .ended(member)
        case .layerUnwanted(let session, let layer), .layerWanted(let session, let layer):
            guard let (member, kind) = find(session.stream) else { return nil }
            var isWanted = false
            if case .layerWanted = event { isWanted = true }
            return .interest(LayerInterest(kind, layer: layer, isWanted: isWanted), of: member)
        case .sectionsRejected, .connected, .codecUnavailable, .overloadChanged, .stopped, .resumed, .unreadable:
            return nil
        }
    }

    private mutating func change(_ slot: SlotState, of session: ICEPeerID) -> Change? {
        guard let member = members[session], entries[member] != nil else { return nil }
        entries[member]?.slots[slot.mid] = slot
        return .slot(slot, of: member)
    }

    private mutating func changeSlot(
        of session: ICEPeerID, showing stream: String, _ change: (inout SlotState) -> Void
    ) -> Change? {
        guard let (publisher, kind) = find(stream), let member = members[session],
            var slot = entries[member]?.slots.values.first(where: { $0.uid == publisher.uid && $0.kind == kind })
        else { return nil }
        change(&slot)
        entries[member]?.slots[slot.mid] = slot
        return .slot(slot, of: member)
    }

    // MARK: Reports

    /// What each member is sent, and what it publishes, by the number of its session. One look at the forwarder for
    /// all.
    func report() -> [Int: (sent: MemberStatistics, published: [MediaKind: [LayerStatistics]])] {
        let found = forwarder.read { [entries] forwarder, now in
            (
                entries.compactMapValues { forwarder.memberStatistics(of: $0.session, at: now) },
                forwarder.statistics(at: now)
            )
        }
        var layers: [RoomMember: [MediaKind: [LayerStatistics]]] = [:]
        for stream in found.1 {
            if let (member, kind) = find(stream.name) { layers[member, default: [:]][kind] = stream.layers }
        }
        return Dictionary(
            uniqueKeysWithValues: found.0.map { member, sent in (member.session, (sent, layers[member] ?? [:])) })
    }

    /// Whose stream that is, and of which kind.
    func shown(_ stream: String) -> (uid: UID, kind: MediaKind)? { find(stream).map { ($0.member.uid, $0.kind) } }

    // MARK: Presence and levels

    /// The members of whom a packet has arrived since the last call.
    mutating func heard() -> [RoomMember] {
        let times = forwarder.read { [entries] forwarder, _ in
            entries.compactMapValues { forwarder[$0.session]?.lastArrival }
        }
        var heard: [RoomMember] = []
        for (member, time) in times where time > entries[member]?.heardTime ?? time {
            entries[member]?.heardTime = time
            heard.append(member)
        }
        return heard
    }

    /// How loud the speakers of each room are.
    func levels() -> [(room: String, levels: [SoundLevel])] {
        let names = Set(entries.keys.map(\.room))
        let found = forwarder.read { forwarder, now in
            names.map { ($0, forwarder.soundLevels(in: $0, at: now)) }
        }
        return found.compactMap { room, levels in
            let known = levels.compactMap { level in
                streams[level.stream].map { SoundLevel($0.uid, level: level.level) }
            }
            return known.isEmpty ? nil : (room, known)
        }
    }
}

extension Want.Picture {
    fileprivate var wish: StreamWish.Picture {
        switch self {
        case .none: .none
        case .low: .low
        case .high: .high
        case .shown(let width, let height): .shown(at: Resolution(width: width, height: height))
        }
    }
}

extension Want.Picture? {
    fileprivate var wish: StreamWish.Picture { self?.wish ?? .none }
}

extension StreamWish {
    fileprivate var isNothing: Bool { picture == .none && !hasSound }
}
#endif
