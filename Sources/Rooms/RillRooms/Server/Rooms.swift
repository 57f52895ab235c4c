public import RillCore

/// The rooms of a server: who is in them, what they may, what happened, and how they come back. Feed it what clients
/// send, what tokens allow and what media do; then poll until it names a time.
///
/// It has no channels, clock or thread. Messages are `Codable`; a driver carries them, as JSON on WebSockets for
/// instance. It checks tokens and answers offers when asked to, at once or later:
///
/// ```swift
/// let rooms = Rooms(RoomSettings(), sealer: hmac, wallClockAtZero: milliseconds, seed: 1)
/// let channel = rooms.open(at: now)
/// rooms.handle(request, from: channel, at: now)
/// while true {
///     switch rooms.poll(at: now) {
///     case .send(let message, let channels): write(message, on: channels)
///     case .close(let channel): close(channel)
///     case .checkToken(let token, let room, let channel):
///         if let grant = grant(of: token, in: room) { rooms.grant(grant, to: channel, at: now) }
///         else { rooms.refuse(.unauthorized, for: channel, at: now) }
///     case .negotiate(let offer, let negotiation): rooms.answer(forwarder.join(offer), to: negotiation, at: now)
///     case .media(let change, let member): forwarder.apply(change, to: member)
///     case .wait(let time): return time
///     }
/// }
/// ```
///
/// The time comes from one clock and never decreases. Not for several threads at once: one lock or one thread guards
/// it all. Nothing that clients send traps, and each table has a limit (``RoomSettings``).
public final class Rooms {
    /// The limits and times.
    public let settings: RoomSettings
    let outbox: Outbox
    private let sealer: any SessionSealer
    /// The wall clock at the clock's zero, in milliseconds since 1970.
    private let wallClockAtZero: Int
    private var rooms: [String: Room] = [:]
    private var generator: SeededGenerator
    private var joins: TokenBucket
    /// Offers that wait for an answer, by their number.
    private var negotiations: [Int: Negotiation] = [:]
    private var negotiationCount = 0
    private var pending: [RoomChannelID] = []
    /// When it began to serve, and the smallest epoch that it gives.
    private var startTime: MediaTime?
    private var firstEpoch = Int.max
    private var lastEpoch = 0
    private var lastSession = 0
    private var isDraining = false

    private struct Negotiation {
        var channel: Channel
        var request: Int
        var deadline: MediaTime
        /// Who comes in with it; `nil` if the member is in already.
        var arrival: (room: Room, member: Member, participant: Participant)?
        var id: RoomMember
    }

    /// Rooms, none of which exists yet.
    ///
    /// - Parameters:
    ///   - settings: limits and times.
    ///   - sealer: makes session tokens. With the same secret after a restart, clients keep their numbers.
    ///   - wallClockAtZero: the wall clock at the clock's zero, in milliseconds since 1970. A server that restarts must
    ///     not have an earlier one.
    ///   - seed: of the participants' numbers.
    public init(
        _ settings: RoomSettings = RoomSettings(), sealer: any SessionSealer, wallClockAtZero: Int, seed: UInt64
    ) {
        (self.settings, self.sealer, self.wallClockAtZero) = (settings, sealer, wallClockAtZero)
        generator = SeededGenerator(seed: seed)
        outbox = Outbox(backlogByteLimit: settings.backlogByteLimit)
        joins = TokenBucket(perSecond: Double(settings.joinRate))
    }

    // MARK: Channels

    /// A client opened a channel. Of those that have not joined the oldest goes if there are too many.
    public func open(at now: MediaTime) -> RoomChannelID {
        start(at: now)
        pending.removeAll { outbox.channels[$0]?.isPending != true }
        if pending.count >= settings.pendingLimit, let oldest = outbox.channels[pending.removeFirst()] {
            end(oldest, .idle)
        }
        let channel = outbox.open(requestRate: settings.requestRate, at: now)
        pending.append(channel.id)
        return channel.id
    }

    /// A client's channel is closed. Its member has 15 s to come back.
    public func closed(_ id: RoomChannelID, at now: MediaTime) {
        guard let channel = outbox.channels[id] else { return }
        outbox.forget(channel)
        abandon(channel)
    }

    /// A channel can, or cannot, take more. Messages for one that cannot wait; too many close it as `slow`.
    public func setWritable(_ isWritable: Bool, _ id: RoomChannelID, at now: MediaTime) {
        guard let channel = outbox.channels[id] else { return }
        outbox.setWritable(isWritable, channel)
    }

    /// The channel of a session, for requests that come by another way (HTTP); `nil` if it has none.
    public func channel(ofSession token: String) -> RoomChannelID? {
        guard let claims = sealer.open(token).flatMap(SessionClaims.init),
            let member = rooms[claims.room]?[claims.uid], member.id.session == claims.session
        else { return nil }
        return member.channel?.id
    }

    private func end(_ channel: Channel, _ reason: EndReason) {
        outbox.close(channel, reason)
        abandon(channel)
    }

    /// Forgets who was to come in on a channel.
    private func abandon(_ channel: Channel) {
        for (number, negotiation) in negotiations where negotiation.channel === channel {
            negotiations[number] = nil
            if let arrival = negotiation.arrival { arrival.room.reserved.remove(negotiation.id.uid) }
        }
    }

    // MARK: Requests

    /// A client sent a request.
    public func handle(_ request: RoomRequest, from id: RoomChannelID, at now: MediaTime) {
        guard let channel = outbox.channels[id] else { return }
        start(at: now)
        do {
            try countRequest(of: channel, at: now)
            try request.command.checkSizes(settings)
            try perform(request, of: channel, at: now)
        } catch {
            refuse(error, request.id, of: channel)
        }
    }

    /// A client sent what is no request.
    ///
    /// - Parameter reason: what is wrong with it, in words for a developer.
    public func handleMalformed(_ reason: String, from id: RoomChannelID, at now: MediaTime) {
        guard let channel = outbox.channels[id] else { return }
        outbox.refuse(.malformed(reason), 0, of: channel)
    }

    private func countRequest(of channel: Channel, at now: MediaTime) throws(RoomError) {
        guard channel.requests.has(1, at: now) else {
            throw .tooFast(limit: settings.requestRate, retryAfter: .milliseconds(100), missed: 1)
        }
        channel.requests.take(1)
    }

    /// Refuses a request. A channel whose join or resume is refused may try again.
    private func refuse(_ error: RoomError, _ request: Int, of channel: Channel) {
        outbox.refuse(error, request, of: channel)
        if channel.isPending { channel.phase = .new }
    }

    private func perform(_ request: RoomRequest, of channel: Channel, at now: MediaTime) throws(RoomError) {
        switch (channel.phase, request.command) {
        case (.joined(let room, let member), let command):
            room.hear(member, at: now)
            try perform(command, request.id, of: member, in: room, on: channel, at: now)
        case (.new, .join(let join)):
            try countJoin(at: now)
            channel.phase = .checking(join, request: request.id)
            outbox.add(.checkToken(join.token, room: join.room, of: channel.id))
        case (.new, .resume(let session, let epoch, let number, let count)):
            try countJoin(at: now)
            try resume(session, reading: (epoch, number, count), request.id, on: channel, at: now)
        case (_, .alive): outbox.send(.alive, to: channel)
        case (_, .leave):
            abandon(channel)
            outbox.close(channel, .left)
        default: outbox.refuse(.notJoined, request.id, of: channel)
        }
    }

    private func perform(
        _ command: RoomCommand, _ request: Int, of member: Member, in room: Room, on channel: Channel, at now: MediaTime
    ) throws(RoomError) {
        switch command {
        case .join, .resume: throw .alreadyJoined
        case .leave: room.end(member, .quit, .left, at: now)
        case .close:
            try room.require(.moderate, of: member.id.uid)
            close(room, at: now)
        case .negotiate(let offer):
            guard !negotiations.values.contains(where: { $0.channel === channel }) else {
                throw .tooFast(limit: 1, retryAfter: .seconds(1), missed: 1)
            }
            negotiate(offer, Negotiation(channel: channel, request: request, deadline: now, id: member.id), at: now)
        case .renew(let token):
            guard case .joined = channel.phase else { throw .notJoined }
            channel.renewal = request
            outbox.add(.checkToken(token, room: room.name, of: channel.id))
        case .alive:
            _ = try room.perform(command, of: member, at: now)
            outbox.send(.alive, to: channel)
        default:
            let number = try room.perform(command, of: member, at: now)
            outbox.send(.done(request, number: number, answer: nil), to: channel)
        }
    }

    private func countJoin(at now: MediaTime) throws(RoomError) {
        guard !isDraining else { throw .draining }
        guard joins.has(1, at: now) else {
            throw .tooFast(limit: settings.joinRate, retryAfter: .seconds(1), missed: 1)
        }
        joins.take(1)
    }

    // MARK: Coming in

    /// A token allows this: the answer to `checkToken`.
    public func grant(_ grant: RoomGrant, to id: RoomChannelID, at now: MediaTime) {
        guard let channel = outbox.channels[id] else { return }
        switch channel.phase {
        case .checking(let join, let request):
            do {
                try admit(join, grant, request, on: channel, at: now)
            } catch {
                refuse(error, request, of: channel)
            }
        case .joined(let room, let member):
            guard let request = channel.renewal else { return }
            channel.renewal = nil
            guard grant.identity == member.identity else { return outbox.refuse(.unauthorized, request, of: channel) }
            member.expires = grant.expires
            room.planExpiry(of: member)
            outbox.send(.done(request, number: nil, answer: nil), to: channel)
        case .new, .negotiating: break
        }
    }

    /// A token does not let its bearer in: the other answer to `checkToken`.
    public func refuse(_ error: RoomError, for id: RoomChannelID, at now: MediaTime) {
        guard let channel = outbox.channels[id] else { return }
        if case .checking(_, let request) = channel.phase {
            refuse(error, request, of: channel)
        } else if let request = channel.renewal {
            channel.renewal = nil
            outbox.refuse(error, request, of: channel)
        }
    }

    private func admit(
        _ join: JoinRequest, _ grant: RoomGrant, _ request: Int, on channel: Channel, at now: MediaTime
    ) throws(RoomError) {
        if let expires = grant.expires, expires <= wallTime(at: now) / 1000 { throw .unauthorized }
        let role = join.role.map { $0.isAtMost(grant.role) ? $0 : grant.role } ?? grant.role
        let known = rooms[join.room]
        try known?.checkPlace(for: grant.identity, role)
        let asked = join.uid.flatMap { $0.rawValue == 0 ? nil : $0 }
        if let asked, known?.isFree(asked, for: grant.identity) == false { throw .uidTaken(asked) }
        let room = try room(join.room, at: now)
        let uid = asked ?? room.member(of: grant.identity)?.id.uid ?? freeNumber(in: room)
        lastSession = max(lastSession + 1, wallTime(at: now))
        let id = RoomMember(room: room.name, uid: uid, session: lastSession)
        let member = Member(id, identity: grant.identity, settings, at: now)
        (member.grantedRole, member.expires) = (grant.role, grant.expires)
        let participant = Participant(
            uid: uid, identity: grant.identity, name: grant.name ?? join.name, avatar: join.avatar, role: role,
            rights: role.rights.intersection(grant.rights ?? .all), attributes: join.attributes)
        guard let offer = join.offer else {
            return room.admit(member, participant, on: channel, request: request, at: now)
        }
        room.reserved.insert(uid)
        channel.phase = .negotiating
        var negotiation = Negotiation(channel: channel, request: request, deadline: now, id: id)
        negotiation.arrival = (room, member, participant)
        negotiate(offer, negotiation, at: now)
    }

    private func freeNumber(in room: Room) -> UID {
        while true {
            // Small enough to be read aloud, many enough to be free after a restart, whose former members return.
            let uid = UID(rawValue: UInt32(truncatingIfNeeded: generator.next() >> 40))
            if room.isFree(uid, for: nil) { return uid }
        }
    }

    // MARK: Offers

    private func negotiate(_ offer: String, _ negotiation: Negotiation, at now: MediaTime) {
        negotiationCount += 1
        negotiations[negotiationCount] = negotiation
        negotiations[negotiationCount]?.deadline = now + settings.joinTimeout
        let hasMedia = negotiation.arrival == nil && rooms[negotiation.id.room]?[negotiation.id.uid]?.hasMedia == true
        outbox.add(
            .negotiate(
                offer: offer, RoomNegotiation(member: negotiation.id, hasMedia: hasMedia, number: negotiationCount)))
    }

    /// An offer is answered. Who wanted to come in with it is in the room now.
    ///
    /// If its member is gone meanwhile, the media that were made for it end: see ``RoomMediaChange/end``.
    public func answer(_ answer: String, to negotiation: RoomNegotiation, at now: MediaTime) {
        guard let waiting = negotiations.removeValue(forKey: negotiation.number) else {
            let member = rooms[negotiation.member.room]?[negotiation.member.uid]
            if member?.id != negotiation.member { outbox.add(.media(.end, of: negotiation.member)) }
            return
        }
        if let arrival = waiting.arrival {
            arrival.room.reserved.remove(waiting.id.uid)
            guard outbox.channels[waiting.channel.id] != nil else {
                return outbox.add(.media(.end, of: negotiation.member))
            }
            arrival.room.admit(
                arrival.member, arrival.participant, on: waiting.channel, request: waiting.request, answer: answer,
                at: now)
        } else {
            rooms[waiting.id.room]?[waiting.id.uid]?.hasMedia = true
            outbox.send(.done(waiting.request, number: nil, answer: answer), to: waiting.channel)
        }
    }

    /// An offer is refused, and with it the join that it came with.
    public func refuse(_ error: RoomError, for negotiation: RoomNegotiation, at now: MediaTime) {
        fail(negotiation.number, error)
    }

    private func fail(_ number: Int, _ error: RoomError) {
        guard let waiting = negotiations.removeValue(forKey: number) else { return }
        waiting.arrival?.room.reserved.remove(waiting.id.uid)
        refuse(error, waiting.request, of: waiting.channel)
    }

    // MARK: Coming back

    private func resume(
        _ token: String, reading position: (epoch: Int, number: Int, count: Int), _ request: Int, on channel: Channel,
        at now: MediaTime
    ) throws(RoomError) {
        guard let claims = sealer.open(token).flatMap(SessionClaims.init) else { throw .unauthorized }
        if let expires = claims.expires, expires <= wallTime(at: now) / 1000 { throw .unauthorized }
        let room = rooms[claims.room]
        if let member = room?[claims.uid], member.id.session == claims.session {
            room?.resume(member, on: channel, request: request, reading: position, at: now)
            return
        }
        if room?.member(of: claims.identity).map({ $0.id.session > claims.session }) == true { throw .replaced }
        switch room?.end(of: claims.session) {
        case .replaced: throw .replaced
        case .removed: throw .removed
        case nil: break
        default: throw .sessionEnded
        }
        let former = room?.away(claims.uid, session: claims.session)
        if former == nil {
            // A session of the server before this one.
            guard claims.epoch < firstEpoch, let startTime, now - startTime <= settings.returnsWithin,
                room?.isFree(claims.uid, for: claims.identity) != false
            else { throw .sessionEnded }
        }
        try room?.checkPlace(for: claims.identity, claims.role)
        let place = try self.room(claims.room, at: now)
        let id = RoomMember(room: claims.room, uid: claims.uid, session: claims.session)
        let member = former ?? Member(id, identity: claims.identity, settings, at: now)
        (member.grantedRole, member.expires) = (claims.grantedRole, claims.expires)
        let participant = Participant(
            uid: claims.uid, identity: claims.identity, name: claims.name, avatar: claims.avatar, role: claims.role,
            rights: claims.rights, attributes: claims.attributes)
        place.admit(member, participant, on: channel, request: request, reading: position, at: now)
    }

    // MARK: Rooms

    private func start(at now: MediaTime) {
        guard startTime == nil else { return }
        startTime = now
        firstEpoch = wallTime(at: now)
        lastEpoch = firstEpoch - 1
    }

    private func wallTime(at now: MediaTime) -> Int { wallClockAtZero + Int(now.nanoseconds / 1_000_000) }

    /// The room of a name, which is made if there is none.
    private func room(_ name: String, at now: MediaTime) throws(RoomError) -> Room {
        if let room = rooms[name] { return room }
        if rooms.count >= settings.roomLimit {
            guard let oldest = rooms.values.filter(\.isEmpty).min(by: { $0.emptyTime < $1.emptyTime }) else {
                throw .tooManyRooms(limit: settings.roomLimit)
            }
            rooms[oldest.name] = nil
        }
        lastEpoch = max(lastEpoch + 1, wallTime(at: now))
        let room = Room(
            name, epoch: lastEpoch, settings, outbox, sealer, wallClockAtZero: wallClockAtZero, at: now)
        rooms[name] = room
        return room
    }

    private func close(_ room: Room, at now: MediaTime) {
        for negotiation in negotiations.values where negotiation.arrival?.room === room {
            end(negotiation.channel, .closed)
        }
        room.close(at: now)
        rooms[room.name] = nil
    }

    /// The names of all rooms.
    public var names: [String] { rooms.keys.sorted() }

    /// What is known about a room; `nil` if there is none of that name.
    public func state(of room: String) -> RoomState? { rooms[room]?.state }

    /// The server stops: clients come back to the next one. Nobody is let in any more.
    public func drain(at now: MediaTime) {
        isDraining = true
        for channel in outbox.channels.values.sorted(by: { $0.id.number < $1.id.number }) { end(channel, .draining) }
    }

    // MARK: Media

    /// An authentic packet came on a member's media path.
    public func heard(_ member: RoomMember, at now: MediaTime) {
        with(member) { $0.hear($1, at: now) }
    }

    /// The first picture of something that a member publishes came. Later calls change nothing.
    public func firstPicture(
        _ kind: MediaKind, of member: RoomMember, width: Int, height: Int, at now: MediaTime
    ) {
        with(member) { $0.firstPicture(kind, width: width, height: height, of: $1, at: now) }
    }

    /// A slot of a member shows something else, in another layer, or pauses.
    public func setSlot(_ slot: SlotState, of member: RoomMember, at now: MediaTime) {
        with(member) { _, member in
            member.set(slot)
            if let channel = member.channel { outbox.send(.slot(slot), to: channel) }
        }
    }

    /// The media path of a member ended: it has to send another offer.
    public func mediaEnded(_ member: RoomMember, at now: MediaTime) {
        with(member) { $1.hasMedia = false }
    }

    /// Somebody else speaks in a room; `nil` for nobody.
    public func setSpeaker(_ uid: UID?, in room: String, at now: MediaTime) {
        rooms[room]?.setSpeaker(uid, at: now)
    }

    /// How loud the members of a room are: ten times a second, to all who keep up.
    public func setLevels(_ levels: [SoundLevel], in room: String, at now: MediaTime) {
        rooms[room]?.send(levels)
    }

    private func with(_ id: RoomMember, _ body: (Room, Member) -> Void) {
        guard let room = rooms[id.room], let member = room[id.uid], member.id == id else { return }
        body(room, member)
    }

    // MARK: Polling

    /// What to do next. Call it until it returns `wait`.
    public func poll(at now: MediaTime) -> RoomsAction {
        start(at: now)
        if let action = outbox.next() { return action }
        for room in rooms.values.sorted(by: { $0.epoch < $1.epoch }) where room.wakeTime <= now { room.check(at: now) }
        for (name, room) in rooms where room.isAbandoned { rooms[name] = nil }
        for id in pending {
            guard let channel = outbox.channels[id], channel.isPending else { continue }
            guard now - channel.openTime >= settings.joinTimeout else { break }
            end(channel, .idle)
        }
        for (number, negotiation) in negotiations.sorted(by: { $0.key < $1.key }) where negotiation.deadline <= now {
            fail(number, .timedOut)
        }
        return outbox.next() ?? .wait(until: PollBound.wait(until: wakeTime, after: now))
    }

    private var wakeTime: MediaTime {
        var time = rooms.values.reduce(.distantFuture) { min($0, $1.wakeTime) }
        if let first = pending.lazy.compactMap({ self.outbox.channels[$0] }).first(where: \.isPending) {
            time = min(time, first.openTime + settings.joinTimeout)
        }
        return negotiations.values.reduce(time) { min($0, $1.deadline) }
    }

    /// Counts, of all rooms.
    public var statistics: RoomStatistics {
        var statistics = outbox.statistics
        statistics.roomCount = rooms.count
        statistics.memberCount = rooms.values.reduce(0) { $0 + $1.memberCount }
        statistics.awayCount = rooms.values.reduce(0) { $0 + $1.awayCount }
        statistics.channelCount = outbox.channels.count
        statistics.pendingCount = outbox.channels.values.count(where: \.isPending)
        statistics.entryCount =
            outbox.entryCount + negotiations.count + pending.count
            + rooms.values.reduce(rooms.count) { $0 + $1.entryCount }
        return statistics
    }
}
