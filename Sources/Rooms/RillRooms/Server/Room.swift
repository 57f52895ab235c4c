import RillCore

/// A room of a server: its state, which events alone change, its log, and its members.
final class Room {
    let name: String
    let epoch: Int
    let settings: RoomSettings
    let outbox: Outbox
    private let counts: SessionCounts
    private let sealer: any SessionSealer
    private let wallClockAtZero: Int
    private(set) var state: RoomState
    private var log: RoomLog
    private var members: [UID: Member] = [:]
    /// Those who are out, and may come back.
    private var away: [UID: Member] = [:]
    private var ended = EndedSessions()
    /// The numbers of those whose offers are answered before they come in.
    var reserved: Set<UID> = []
    var chat: RoomChat
    /// Members whose welcome waits for the chat.
    private var greetings: [Greeting] = []
    /// When something is due.
    private(set) var wakeTime = MediaTime.distantFuture
    /// Since when it has no members.
    private(set) var emptyTime: MediaTime

    /// A welcome that is due.
    private struct Greeting {
        let member: Member
        let channel: Channel
        let request: Int
        let isFresh: Bool
        let position: (epoch: Int, number: Int, count: Int)?

        init(
            _ member: Member, _ channel: Channel, _ request: Int, isFresh: Bool,
            position: (epoch: Int, number: Int, count: Int)?
        ) {
            (self.member, self.channel, self.request) = (member, channel, request)
            (self.isFresh, self.position) = (isFresh, position)
        }
    }

    init(
        _ name: String, epoch: Int, _ settings: RoomSettings, _ outbox: Outbox, _ counts: SessionCounts,
        _ sealer: any SessionSealer, wallClockAtZero: Int, at now: MediaTime
    ) {
        self.counts = counts
        (self.name, self.epoch, self.settings, self.outbox, self.sealer) = (name, epoch, settings, outbox, sealer)
        (self.wallClockAtZero, emptyTime) = (wallClockAtZero, now)
        state = RoomState(room: name)
        chat = RoomChat(recentLimit: settings.chatCount)
        log = RoomLog(countLimit: settings.logCountLimit, ageLimit: settings.logAgeLimit)
    }

    // MARK: Members

    var memberCount: Int { members.count }
    var awayCount: Int { away.count }
    /// Whether nobody is in it, comes in, or may come back.
    var isAbandoned: Bool { members.isEmpty && away.isEmpty && reserved.isEmpty }
    var isEmpty: Bool { members.isEmpty && reserved.isEmpty }

    subscript(uid: UID) -> Member? { members[uid] }

    /// The member that is a person.
    func member(of person: Person?) -> Member? {
        person.flatMap { wanted in ordered.first { $0.person == wanted } }
    }

    /// The number of the last event.
    var lastNumber: Int { log.lastNumber }

    /// The members in the order in which they came.
    var ordered: [Member] { state.participants.compactMap { members[$0.uid] } }

    /// Somebody who is out and may come back with this session.
    func away(_ uid: UID, session: Int) -> Member? { away[uid].flatMap { $0.id.session == session ? $0 : nil } }

    /// Why a session will not come back; `nil` if that is not known.
    func end(of session: Int) -> EndReason? { ended[session] }

    /// Whether a number is free for a person, whose own member is replaced.
    func isFree(_ uid: UID, for person: Person?) -> Bool {
        guard uid.rawValue != 0, !reserved.contains(uid) else { return false }
        guard let holder = members[uid] ?? away[uid] else { return true }
        return holder.person == person
    }

    /// Checks whether there is a place for somebody.
    ///
    /// - Throws: `locked` or `roomFull`.
    func checkPlace(for person: Person?, _ role: Role) throws(RoomError) {
        guard !state.isLocked || role == .host else { throw .locked }
        let taken = members.count + reserved.count - (member(of: person) == nil ? 0 : 1)
        guard taken < settings.memberLimit else { throw .roomFull(limit: settings.memberLimit) }
    }

    /// Lets somebody in, with the welcome as the answer to their request. Another session of the person is replaced.
    func admit(
        _ member: Member, _ participant: Participant, on channel: Channel, request: Int, answer: String? = nil,
        reading position: (epoch: Int, number: Int, count: Int)? = nil, at now: MediaTime
    ) {
        for other in [self.member(of: member.person), members[participant.uid]] {
            if let other, other !== member { end(other, .replaced, .replaced, at: now) }
        }
        for (uid, other) in away where uid == participant.uid || other.person == member.person {
            away[uid] = nil
            if other !== member { ended.add(other.id.session, .replaced, settings.returnsWithin, at: now) }
        }
        member.heardTime = now
        member.hasMedia = answer != nil
        append(.joined(participant), at: now)
        members[participant.uid] = member
        counts.add(member)
        channel.phase = .joined(self, member)
        greet(Greeting(member, channel, request, isFresh: true, position: position), answer: answer, at: now)
        plan(now + settings.interruptedAfter)
        if let expiry = expiry(of: member) { plan(expiry) }
    }

    /// A member's session comes back on another channel.
    func resume(
        _ member: Member, on channel: Channel, request: Int, reading position: (epoch: Int, number: Int, count: Int),
        at now: MediaTime
    ) {
        if let former = member.channel { outbox.close(former, .moved) }
        channel.phase = .joined(self, member)
        hear(member, at: now)
        counts.move(member, to: channel.address)
        greet(Greeting(member, channel, request, isFresh: false, position: position), at: now)
    }

    /// Welcomes a member, once the chat is loaded. One that gets the answer to its offer does not wait for that.
    private func greet(_ greeting: Greeting, answer: String? = nil, at now: MediaTime) {
        guard chat.phase == .loading, answer == nil else { return welcome(greeting, answer: answer, at: now) }
        greetings.append(greeting)
    }

    /// Welcomes those who waited for the chat.
    func greetWaiting(at now: MediaTime) {
        defer { greetings = [] }
        for greeting in greetings where outbox.channels[greeting.channel.id] != nil {
            if members[greeting.member.id.uid] === greeting.member {
                welcome(greeting, at: now)
            } else {
                outbox.close(greeting.channel, .dropped)
            }
        }
    }

    /// Sends a member its welcome, and what it has not read.
    private func welcome(_ greeting: Greeting, answer: String? = nil, at now: MediaTime) {
        let (member, channel, position) = (greeting.member, greeting.channel, greeting.position)
        if let former = member.channel { outbox.close(former, .moved) }
        member.channel = channel
        var missed: [NumberedEvent]?
        var mail: [RoomMessage] = []
        if let position, position.epoch == epoch {
            missed = log.events(after: position.number, at: now)
            mail = member.mailbox.messages(after: position.count)
        }
        if position != nil {
            if missed == nil { outbox.statistics.snapshots += 1 } else { outbox.statistics.resumes += 1 }
        } else {
            outbox.statistics.joins += 1
        }
        let welcome = Welcome(
            session: sealer.seal(claims(of: member).bytes), uid: member.id.uid, epoch: epoch,
            number: log.lastNumber - (missed?.count ?? 0), snapshot: missed == nil ? state : nil,
            count: member.mailbox.lastCount - mail.count, isFresh: greeting.isFresh, hasMedia: member.hasMedia,
            answer: answer,
            slots: member.slots, chat: missed == nil ? chatState(for: member) : nil)
        outbox.send(.welcome(welcome, to: greeting.request), to: channel)
        for event in missed ?? [] { outbox.send(.event(event), to: channel) }
        if missed != nil { sendChat(to: member, since: position?.number ?? 0) }
        for message in mail { outbox.send(message, to: channel) }
        for interest in member.unwanted { outbox.send(.layer(interest), to: channel) }
    }

    private func claims(of member: Member) -> SessionClaims {
        let participant = state[member.id.uid]
        return SessionClaims(
            room: name, epoch: epoch, session: member.id.session, uid: member.id.uid, identity: member.person.identity,
            guest: member.person.guest(in: member.id.session), name: participant?.name ?? "",
            avatar: participant?.avatar, role: participant?.role ?? .viewer,
            rights: participant?.rights ?? [], grantedRole: member.grantedRole,
            attributes: participant?.attributes ?? [:], expires: member.expires)
    }

    /// Ends a member's stay. Unless it was dropped, it does not come back with this session.
    func end(_ member: Member, _ reason: OfflineReason, _ end: EndReason, at now: MediaTime) {
        let uid = member.id.uid
        guard members[uid] === member else { return }
        members[uid] = nil
        counts.remove(member)
        if members.isEmpty { emptyTime = now }
        if let channel = member.channel { outbox.close(channel, end) }
        outbox.add(.media(.end, of: member.id))
        member.leave()
        if member.person.identity == nil, reason != .dropped, reason != .replaced { chat.forget(guest: author(member)) }
        if reason == .dropped {
            away[uid] = member
            if away.count > settings.memberLimit, let first = away.values.min(by: { $0.heardTime < $1.heardTime }) {
                away[first.id.uid] = nil
            }
            plan(member.heardTime + settings.returnsWithin)
        } else {
            ended.add(member.id.session, end, settings.returnsWithin, at: now)
        }
        append(.offline(uid, reason), at: now)
    }

    /// Closes the room.
    func close(at now: MediaTime) {
        append(.closed, at: now)
        for member in ordered {
            counts.remove(member)
            if let channel = member.channel { outbox.close(channel, .closed) }
            outbox.add(.media(.end, of: member.id))
        }
        for greeting in greetings { outbox.close(greeting.channel, .closed) }
        (members, away, greetings) = ([:], [:], [])
    }

    // MARK: Events

    /// Adds an event to the log and sends it to all members.
    @discardableResult
    func append(_ event: RoomEvent, wallTime: Int? = nil, at now: MediaTime) -> Int {
        state.apply(event)
        outbox.statistics.events += 1
        let numbered = log.append(event, wallTime: wallTime ?? self.wallTime(at: now), at: now)
        outbox.send(.event(numbered), to: ordered.compactMap(\.channel))
        return numbered.number
    }

    /// Milliseconds since 1970.
    private func wallTime(at now: MediaTime) -> Int { wallClockAtZero + Int(now.nanoseconds / 1_000_000) }

    /// Sends levels to those who keep up.
    func send(_ levels: [SoundLevel]) {
        let receivers = ordered.compactMap(\.channel).filter(\.isWritable)
        if !receivers.isEmpty { outbox.send(.levels(levels), to: receivers) }
    }

    /// Sends app data to a member, or to all others.
    func deliver(_ text: String, _ sequence: Int, from sender: Member, to uid: UID?) throws(RoomError) {
        if let uid {
            guard let receiver = members[uid] else { throw .unknownParticipant(uid) }
            guard deliver(text, sequence, from: sender, to: receiver) else {
                throw .recipientFull(uid, missed: sender.sending.miss())
            }
        } else {
            for receiver in ordered where receiver !== sender && !deliver(text, sequence, from: sender, to: receiver) {
                receiver.mailbox.miss()
            }
        }
        outbox.statistics.dataMessages += 1
    }

    private func deliver(_ text: String, _ sequence: Int, from sender: Member, to receiver: Member) -> Bool {
        let limit = settings.backlogByteLimit
        guard let message = receiver.mailbox.add(text, sequence, from: sender.id.uid, byteLimit: limit) else {
            return false
        }
        if let channel = receiver.channel { outbox.send(message, to: channel) }
        return true
    }

    // MARK: Presence

    /// Something was received from a member.
    func hear(_ member: Member, at now: MediaTime) {
        member.heardTime = now
        if let participant = state[member.id.uid], participant.presence != .connected {
            append(.back(member.id.uid), at: now)
        }
    }

    /// The server was late by this: its members count as heard that much later, and a second more, in which what they
    /// sent is read.
    func excuse(_ lateness: MediaDuration, at now: MediaTime) {
        for member in members.values { member.heardTime = min(now, member.heardTime + lateness + .seconds(1)) }
    }

    private func expiry(of member: Member) -> MediaTime? {
        member.expires.map { expires in
            // Years are enough; what a token says does not overflow.
            let milliseconds = min(max(expires, 0), 1 << 40) * 1000 - wallClockAtZero
            return .zero + .milliseconds(min(milliseconds, 1 << 42))
        }
    }

    /// Wakes at the time of the end of a member's token.
    func planExpiry(of member: Member) { if let expiry = expiry(of: member) { plan(expiry) } }

    private func plan(_ time: MediaTime) { wakeTime = min(wakeTime, time) }

    /// Reports who is silent, and ends who is silent for too long, or whose token ended.
    func check(at now: MediaTime) {
        guard now >= wakeTime else { return }
        wakeTime = .distantFuture
        for member in ordered {
            let (uid, silence) = (member.id.uid, now - member.heardTime)
            if let expiry = expiry(of: member), now >= expiry {
                end(member, .expired, .expired, at: now)
                continue
            }
            let presence = state[uid]?.presence
            if silence >= settings.interruptedAfter, presence == .connected { append(.interrupted(uid), at: now) }
            if silence >= settings.lostAfter, presence != .lost { append(.lost(uid), at: now) }
            if silence >= settings.outAfter {
                end(member, .dropped, .dropped, at: now)
                continue
            }
            let steps = [settings.interruptedAfter, settings.lostAfter, settings.outAfter]
            if let next = steps.first(where: { $0 > silence }) { plan(member.heardTime + next) }
            planExpiry(of: member)
        }
        for (uid, member) in away {
            let end = member.heardTime + settings.returnsWithin
            if now >= end { away[uid] = nil } else { plan(end) }
        }
    }

    /// The entries of its tables.
    var entryCount: Int {
        let people = [members, away].joined().reduce(0) { $0 + 1 + $1.value.entryCount }
        return people + log.count + ended.count + reserved.count + chat.entryCount + greetings.count
            + state.participants.count
    }
}
