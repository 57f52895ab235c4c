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
///     case .store(let changes, let work): rooms.stored(store.write(changes), for: work, at: now)
///     case .read(let read, let work): rooms.read(store.perform(read), for: work, at: now)
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
    let store: StoreQueue
    let sealer: any SessionSealer
    let counts: SessionCounts
    var table: RoomTable
    var negotiations = Negotiations()
    var revocations = Revocations()
    private var joins: TokenBucket
    /// Channels that have not joined, the oldest first, and some that have since.
    private var pending: [RoomChannelID] = []
    private var isDraining = false
    /// When the last poll wanted to be called again.
    private var wantedTime = MediaTime.distantFuture

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
        (self.settings, self.sealer) = (settings, sealer)
        outbox = Outbox(backlogByteLimit: settings.backlogByteLimit)
        store = StoreQueue(settings)
        counts = SessionCounts(settings)
        table = RoomTable(settings, outbox, store, counts, sealer, wallClockAtZero: wallClockAtZero, seed: seed)
        joins = TokenBucket(perSecond: Double(settings.joinRate))
    }

    // MARK: Channels

    /// A client opened a channel. Of those that have not joined the oldest goes if there are too many.
    ///
    /// - Parameters:
    ///   - address: where it came from, as any text; `nil` if its sessions are not counted.
    ///   - now: the current time.
    public func open(from address: String? = nil, at now: MediaTime) -> RoomChannelID {
        table.start(at: now)
        pending.removeAll { outbox.channels[$0]?.isPending != true }
        if pending.count >= settings.pendingLimit, let oldest = outbox.channels[pending.removeFirst()] {
            end(oldest, .idle)
        }
        let channel = outbox.open(from: address, requestRate: settings.requestRate, at: now)
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

    /// Something shows that a channel's client is there, though it said nothing: a response that it still reads.
    public func heard(_ id: RoomChannelID, at now: MediaTime) { _ = hear(id, at: now) }

    /// The channel of a session, for requests that come by another way (HTTP); `nil` if it has none.
    public func channel(ofSession token: String) -> RoomChannelID? {
        guard let claims = sealer.open(token).flatMap(SessionClaims.init) else { return nil }
        return table[RoomMember(room: claims.room, uid: claims.uid, session: claims.session)]?.channel?.id
    }

    func end(_ channel: Channel, _ reason: EndReason) {
        outbox.close(channel, reason)
        abandon(channel)
    }

    /// Forgets who was to come in on a channel.
    private func abandon(_ channel: Channel) {
        if let number = negotiations.number(of: channel) { _ = negotiations.remove(number) }
    }

    // MARK: Requests

    /// A client sent a request.
    public func handle(_ request: RoomRequest, from id: RoomChannelID, at now: MediaTime) {
        table.start(at: now)
        guard let channel = hear(id, at: now) else { return }
        do throws(RoomError) {
            guard channel.requests.has(1, at: now) else {
                throw .tooFast(limit: settings.requestRate, retryAfter: .milliseconds(100), missed: 1)
            }
            channel.requests.take(1)
            try request.command.checkSizes(settings)
            try perform(request, on: channel, at: now)
        } catch {
            outbox.refuse(error, request.id, of: channel)
        }
    }

    /// A client sent what is no request.
    ///
    /// - Parameters:
    ///   - reason: what is wrong with it, in words for a developer.
    ///   - request: its number; 0 if that cannot be read.
    ///   - id: the channel.
    ///   - now: the current time.
    public func handleMalformed(
        _ reason: String, _ request: Int = 0, from id: RoomChannelID, at now: MediaTime
    ) {
        guard let channel = hear(id, at: now) else { return }
        outbox.refuse(.malformed(reason), request, of: channel)
    }

    private func hear(_ id: RoomChannelID, at now: MediaTime) -> Channel? {
        guard let channel = outbox.channels[id] else { return nil }
        if case .joined(let room, let member) = channel.phase { room.hear(member, at: now) }
        return channel
    }

    private func perform(_ request: RoomRequest, on channel: Channel, at now: MediaTime) throws(RoomError) {
        switch (channel.phase, request.command) {
        case (.joined(let room, let member), _):
            try perform(request, of: member, in: room, on: channel, at: now)
        case (.new, .join(let join)):
            try countJoin(at: now)
            channel.phase = .checking(join, request: request.id)
            outbox.add(.checkToken(join.token, room: join.room, of: channel.id))
        case (.new, .resume(let session, let epoch, let number, let count)):
            try countJoin(at: now)
            try resume(session, reading: (epoch, number, count), request.id, on: channel, at: now)
        case (_, .alive): outbox.send(.alive, to: channel)
        case (_, .leave): end(channel, .left)
        default: throw .notJoined
        }
    }

    private func perform(
        _ request: RoomRequest, of member: Member, in room: Room, on channel: Channel, at now: MediaTime
    ) throws(RoomError) {
        switch request.command {
        case .join, .resume: throw .alreadyJoined
        case .leave: room.end(member, .quit, .left, at: now)
        case .close:
            try room.require(.moderate, of: member.id.uid)
            for channel in negotiations.channels(into: room) { end(channel, .closed) }
            room.close(at: now)
            table.remove(room)
            store.forget(room, time: table.wallTime(at: now))
        case .negotiate(let offer):
            guard negotiations.number(of: channel) == nil else {
                throw .tooFast(limit: 1, retryAfter: .seconds(1), missed: 1)
            }
            negotiate(offer, Negotiations.Waiting(channel, request: request.id, member.id), at: now)
        case .renew(let token):
            channel.renewal = request.id
            outbox.add(.checkToken(token, room: room.name, of: channel.id))
        case .chat(let command):
            let reply = RoomChat.Reply(channel: channel, request: request.id)
            try perform(command, of: member, in: room, reply, at: now)
        case .alive(number: _, count: _, let message):
            _ = try room.perform(request.command, of: member, at: now)
            if let message { received(message, member, in: room, at: now) }
            outbox.send(.alive, to: channel)
        default:
            let number = try room.perform(request.command, of: member, at: now)
            outbox.send(.done(request.id, number: number, answer: nil), to: channel)
        }
    }

    private func countJoin(at now: MediaTime) throws(RoomError) {
        guard !isDraining else { throw .draining }
        guard joins.has(1, at: now) else {
            throw .tooFast(limit: settings.joinRate, retryAfter: .seconds(1), missed: 1)
        }
        joins.take(1)
    }

    /// The server stops: clients come back to the next one. Nobody is let in any more.
    public func drain(at now: MediaTime) {
        isDraining = true
        for channel in outbox.channels.values.sorted(by: { $0.id.number < $1.id.number }) { end(channel, .draining) }
    }

    // MARK: Polling

    /// What to do next. Call it until it returns `wait`.
    public func poll(at now: MediaTime) -> RoomsAction {
        table.start(at: now)
        if let action = outbox.next() { return action }
        // Who was not heard because the server itself stood still is not silent.
        if now > wantedTime, now - wantedTime > .seconds(1) { table.excuse(now - wantedTime, at: now) }
        table.check(at: now)
        while let oldest = oldestPending, now - oldest.openTime >= settings.joinTimeout { end(oldest, .idle) }
        for number in negotiations.overdue(at: now) { fail(number, .timedOut) }
        retryLoads(at: now)
        store.act(at: now, outbox)
        wantedTime = .distantFuture
        if let action = outbox.next() { return action }
        wantedTime = PollBound.wait(until: wakeTime, after: now)
        return .wait(until: wantedTime)
    }

    private var oldestPending: Channel? {
        pending.lazy.compactMap { self.outbox.channels[$0] }.first(where: \.isPending)
    }

    private var wakeTime: MediaTime {
        let timeout = oldestPending.map { $0.openTime + settings.joinTimeout } ?? .distantFuture
        return min(table.wakeTime, negotiations.wakeTime, store.wakeTime, timeout)
    }

    // MARK: Reading

    /// Whether nothing is with the store, or waits for it.
    public var isStoreIdle: Bool { store.isIdle }

    /// The names of all rooms.
    public var names: [String] { table.names }

    /// What is known about a room; `nil` if there is none of that name.
    public func state(of room: String) -> RoomState? { table[room]?.state }

    /// Counts, of all rooms.
    public var statistics: RoomStatistics {
        var statistics = outbox.statistics
        statistics.channelCount = outbox.channels.count
        statistics.pendingCount = outbox.channels.values.count(where: \.isPending)
        statistics.entryCount =
            outbox.entryCount + store.count + negotiations.count + pending.count + revocations.count
            + counts.entryCount
        table.count(into: &statistics)
        return statistics
    }
}
