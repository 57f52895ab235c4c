public import RillCore

/// Who comes in, and who comes back.
extension Rooms {
    // MARK: Tokens

    /// A token allows this: the answer to `checkToken`.
    public func grant(_ grant: RoomGrant, to id: RoomChannelID, at now: MediaTime) {
        if revocations.cover(grant.identity, givenAt: grant.issued.map { $0 * 1000 }) {
            return refuse(.unauthorized, for: id, at: now)
        }
        // Such an author would be a guest.
        if grant.identity?.hasPrefix(Person.guestPrefix) == true { return refuse(.unauthorized, for: id, at: now) }
        guard let channel = outbox.channels[id] else { return }
        if case .checking(let join, let request) = channel.phase {
            channel.phase = .new
            do {
                try admit(join, grant, request, on: channel, at: now)
            } catch {
                outbox.refuse(error, request, of: channel)
            }
        } else if case .joined(let room, let member) = channel.phase, let request = channel.renewal {
            channel.renewal = nil
            guard grant.identity == member.person.identity else {
                return outbox.refuse(.unauthorized, request, of: channel)
            }
            member.expires = grant.expires
            room.planExpiry(of: member)
            outbox.send(.done(request, number: nil, answer: nil), to: channel)
        }
    }

    /// A token does not let its bearer in: the other answer to `checkToken`. The client may try another one.
    public func refuse(_ error: RoomError, for id: RoomChannelID, at now: MediaTime) {
        guard let channel = outbox.channels[id] else { return }
        if case .checking(_, let request) = channel.phase {
            channel.phase = .new
            outbox.refuse(error, request, of: channel)
        } else if let request = channel.renewal {
            channel.renewal = nil
            outbox.refuse(error, request, of: channel)
        }
    }

    private func admit(
        _ join: JoinRequest, _ grant: RoomGrant, _ request: Int, on channel: Channel, at now: MediaTime
    ) throws(RoomError) {
        if let expires = grant.expires, expires <= table.wallTime(at: now) / 1000 { throw .unauthorized }
        let role = join.role.map { $0.isAtMost(grant.role) ? $0 : grant.role } ?? grant.role
        let known = table[join.room]
        let person = person(grant, join)
        try known?.checkPlace(for: person, role)
        let asked = join.uid.flatMap { $0.rawValue == 0 ? nil : $0 }
        if let asked, known?.isFree(asked, for: person) == false { throw .uidTaken(asked) }
        let holder = SessionHolder(grant.identity, token: grant.token, channel.address)
        try counts.check(holder, replacing: known?.member(of: person))
        let room = try table.room(join.room, at: now)
        let uid = asked ?? room.member(of: person)?.id.uid ?? table.freeNumber(in: room)
        let id = RoomMember(room: room.name, uid: uid, session: table.nextSession(at: now))
        let member = Member(id, person ?? .guest(id.session), settings, at: now)
        (member.grantedRole, member.expires) = (grant.role, grant.expires)
        member.holder = holder
        let participant = Participant(
            uid: uid, identity: grant.identity, session: id.session, guest: person?.guest(in: id.session),
            name: grant.name ?? join.name, avatar: join.avatar, role: role,
            rights: role.rights.intersection(grant.rights ?? .all),
            attributes: join.attributes)
        guard let offer = join.offer else {
            return room.admit(member, participant, on: channel, request: request, at: now)
        }
        channel.phase = .negotiating
        var negotiation = Negotiations.Waiting(channel, request: request, id)
        negotiation.arrival = (room, member, participant)
        negotiate(offer, negotiation, at: now)
    }

    /// Who comes in: the identity of the token, or the guest of a session in that room before; `nil` for a new guest.
    private func person(_ grant: RoomGrant, _ join: JoinRequest) -> Person? {
        if let identity = grant.identity { return .identity(identity) }
        guard let claims = join.session.flatMap(sealer.open).flatMap(SessionClaims.init), claims.room == join.room,
            claims.identity == nil
        else { return nil }
        return claims.person
    }

    // MARK: Offers

    func negotiate(_ offer: String, _ negotiation: Negotiations.Waiting, at now: MediaTime) {
        let hasMedia = table[negotiation.member]?.hasMedia == true
        let id = negotiations.add(negotiation, hasMedia: hasMedia, until: now + settings.joinTimeout)
        outbox.add(.negotiate(offer: offer, id))
    }

    /// An offer is answered. Who wanted to come in with it is in the room now.
    ///
    /// If its client is gone meanwhile, the media that were made for it end: ``RoomMediaChange/end``.
    public func answer(_ answer: String, to negotiation: RoomNegotiation, at now: MediaTime) {
        let waiting = negotiations.remove(negotiation.number)
        if let member = table[negotiation.member] {
            member.hasMedia = true
            table[negotiation.member.room]?.restoreMedia(of: member)
            guard let waiting else { return }
            outbox.send(.done(waiting.request, number: nil, answer: answer), to: waiting.channel)
        } else if let waiting, let arrival = waiting.arrival, outbox.channels[waiting.channel.id] != nil {
            do throws(RoomError) {
                // Others may have come meanwhile.
                try counts.check(
                    arrival.member.holder, replacing: arrival.room.member(of: arrival.member.person))
            } catch {
                waiting.channel.phase = .new
                outbox.refuse(error, waiting.request, of: waiting.channel)
                return outbox.add(.media(.end, of: negotiation.member))
            }
            arrival.room.admit(
                arrival.member, arrival.participant, on: waiting.channel, request: waiting.request, answer: answer,
                at: now)
        } else {
            outbox.add(.media(.end, of: negotiation.member))
        }
    }

    /// An offer is refused, and with it the join that it came with.
    public func refuse(_ error: RoomError, for negotiation: RoomNegotiation, at now: MediaTime) {
        fail(negotiation.number, error)
    }

    func fail(_ number: Int, _ error: RoomError) {
        guard let waiting = negotiations.remove(number) else { return }
        if waiting.arrival != nil { waiting.channel.phase = .new }
        outbox.refuse(error, waiting.request, of: waiting.channel)
    }

    // MARK: Coming back

    func resume(
        _ token: String, reading position: (epoch: Int, number: Int, count: Int), _ request: Int, on channel: Channel,
        at now: MediaTime
    ) throws(RoomError) {
        guard let claims = sealer.open(token).flatMap(SessionClaims.init) else { throw .unauthorized }
        if let expires = claims.expires, expires <= table.wallTime(at: now) / 1000 { throw .unauthorized }
        if revocations.cover(claims.identity, givenAt: claims.session) { throw .unauthorized }
        let id = RoomMember(room: claims.room, uid: claims.uid, session: claims.session)
        let known = table[claims.room]
        if let known, let member = table[id] {
            known.resume(member, on: channel, request: request, reading: position, at: now)
            return
        }
        if known?.member(of: claims.person).map({ $0.id.session > claims.session }) == true { throw .replaced }
        switch known?.end(of: claims.session) {
        case .replaced: throw .replaced
        case .removed: throw .removed
        case nil: break
        default: throw .sessionEnded
        }
        let former = known?.away(claims.uid, session: claims.session)
        if former == nil {
            guard table.isOfServerBefore(epoch: claims.epoch, at: now),
                known?.isFree(claims.uid, for: claims.person) != false
            else { throw .sessionEnded }
        }
        try known?.checkPlace(for: claims.person, claims.role)
        let holder = SessionHolder(claims.identity, token: former?.holder.token, channel.address)
        try counts.check(holder, replacing: known?.member(of: claims.person))
        let room = try table.room(claims.room, at: now)
        let member = former ?? Member(id, claims.person, settings, at: now)
        (member.grantedRole, member.expires) = (claims.grantedRole, claims.expires)
        member.holder = holder
        let participant = Participant(
            uid: claims.uid, identity: claims.identity, session: claims.session, guest: claims.guest,
            name: claims.name, avatar: claims.avatar, role: claims.role, rights: claims.rights,
            attributes: claims.attributes)
        room.admit(member, participant, on: channel, request: request, reading: position, at: now)
    }
}
