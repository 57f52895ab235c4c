import RillCore

/// What members ask for.
extension Room {
    /// Does what a member asks for.
    ///
    /// - Returns: the number of the event that it caused, if it did.
    /// - Throws: why it is refused. Then nothing has changed.
    func perform(_ command: RoomCommand, of member: Member, at now: MediaTime) throws(RoomError) -> Int? {
        let uid = member.id.uid
        switch command {
        case .publish(let kind, let mid, let isMuted):
            try require(kind.right, of: uid)
            member.mids[kind] = mid
            outbox.add(.media(.publish(kind, mid: mid, isMuted: isMuted), of: member.id))
            return publish(kind, isMuted: isMuted, of: member, at: now)
        case .unpublish(let kind, let other):
            return try unpublish(kind, of: try owner(other, for: member), at: now)
        case .mute(let kind, let other):
            let owner = try owner(other, for: member)
            return try mute(kind, of: owner, by: uid, at: now)
        case .unmute(let kind):
            try require(kind.right, of: uid)
            guard let media = state[uid]?[kind] else { throw .notPublished(kind) }
            guard media.isMuted else { return nil }
            outbox.add(.media(.mute(kind, isMuted: false), of: member.id))
            return append(.unmuted(uid, kind), at: now)
        case .want(let want):
            try require(.subscribe, of: uid)
            try member.set(want, limit: settings.wantLimit, in: state)
            if state[want.uid]?[want.kind] != nil { outbox.add(.media(.want(want), of: member.id)) }
        case .data(let count, let other, let text):
            try send(text, count: count, to: other, from: member, at: now)
        case .profile(let name, let avatar, let attributes):
            guard let participant = state[uid] else { throw .sessionEnded }
            return append(
                .profileChanged(
                    uid, name: name ?? participant.name, avatar: avatar ?? participant.avatar,
                    attributes: attributes ?? participant.attributes), at: now)
        case .role(let other, let role): return try setRole(role, of: other, by: member, at: now)
        case .rights(let other, let rights):
            try require(.moderate, of: uid)
            guard let participant = state[other] else { throw .unknownParticipant(other) }
            return setRights(rights, participant.role, of: participant, at: now)
        case .remove(let other):
            try require(.moderate, of: uid)
            guard let removed = self[other] else { throw .unknownParticipant(other) }
            end(removed, .removed, .removed, at: now)
        case .lock(let isLocked):
            try require(.moderate, of: uid)
            return state.isLocked == isLocked ? nil : append(.lockChanged(isLocked: isLocked), at: now)
        case .alive(number: _, let count, message: _): member.mailbox.acknowledge(count)
        case .join, .resume, .negotiate, .chat, .renew, .close, .leave: preconditionFailure("done by Rooms")
        }
        return nil
    }

    /// - Throws: `notAllowed`.
    func require(_ right: Rights, of uid: UID) throws(RoomError) {
        guard state[uid]?.rights.contains(right) == true else { throw .notAllowed(right) }
    }

    /// Whose media a command is about: of another one if a host says so.
    private func owner(_ other: UID?, for member: Member) throws(RoomError) -> Member {
        guard let other, other != member.id.uid else { return member }
        try require(.moderate, of: member.id.uid)
        guard let found = self[other] else { throw .unknownParticipant(other) }
        return found
    }

    // MARK: Media

    private func publish(_ kind: MediaKind, isMuted: Bool, of member: Member, at now: MediaTime) -> Int? {
        let uid = member.id.uid
        if let media = state[uid]?[kind] {
            guard media.isMuted != isMuted else { return nil }
            return append(isMuted ? .muted(uid, kind, by: uid) : .unmuted(uid, kind), at: now)
        }
        member.unsized.remove(kind)
        let number = append(.published(uid, kind, isMuted: isMuted), at: now)
        for participant in state.participants {
            guard let other = self[participant.uid] else { continue }
            for want in other.wants where want.uid == uid && want.kind == kind {
                outbox.add(.media(.want(want), of: other.id))
            }
        }
        return number
    }

    /// The server has other media of a member: what it publishes and wants counts for them too.
    func restoreMedia(of member: Member) {
        for media in state[member.id.uid]?.published ?? [] {
            outbox.add(
                .media(.publish(media.kind, mid: member.mids[media.kind], isMuted: media.isMuted), of: member.id))
        }
        for want in member.wants where state[want.uid]?[want.kind] != nil {
            outbox.add(.media(.want(want), of: member.id))
        }
    }

    private func unpublish(_ kind: MediaKind, of member: Member, at now: MediaTime) throws(RoomError) -> Int {
        guard state[member.id.uid]?[kind] != nil else { throw .notPublished(kind) }
        outbox.add(.media(.unpublish(kind), of: member.id))
        return append(.unpublished(member.id.uid, kind), at: now)
    }

    private func mute(_ kind: MediaKind, of member: Member, by uid: UID, at now: MediaTime) throws(RoomError) -> Int? {
        guard let media = state[member.id.uid]?[kind] else { throw .notPublished(kind) }
        guard !media.isMuted else { return nil }
        outbox.add(.media(.mute(kind, isMuted: true), of: member.id))
        return append(.muted(member.id.uid, kind, by: uid), at: now)
    }

    /// The first picture of a publication came, or of another layer of it. An unknown size is reported once.
    func firstPicture(_ kind: MediaKind, width: Int?, height: Int?, of member: Member, at now: MediaTime) {
        guard let media = state[member.id.uid]?[kind], media.width == nil else { return }
        guard width != nil || member.unsized.insert(kind).inserted else { return }
        append(.firstPicture(member.id.uid, kind, width: width, height: height), at: now)
    }

    /// Somebody else speaks.
    func setSpeaker(_ uid: UID?, at now: MediaTime) {
        guard uid != state.speaker, uid.map({ self[$0] != nil }) ?? true else { return }
        append(.speakerChanged(uid), at: now)
    }

    // MARK: Roles and rights

    private func setRole(_ role: Role, of other: UID, by member: Member, at now: MediaTime) throws(RoomError) -> Int? {
        guard let participant = state[other], let changed = self[other] else { throw .unknownParticipant(other) }
        if other == member.id.uid, role.isAtMost(changed.grantedRole) {
            // Its own choice, as far as its token goes.
        } else {
            try require(.moderate, of: member.id.uid)
            changed.grantedRole = role
        }
        return setRights(role.rights, role, of: participant, at: now)
    }

    private func setRights(_ rights: Rights, _ role: Role, of participant: Participant, at now: MediaTime) -> Int? {
        guard let member = self[participant.uid] else { return nil }
        guard participant.rights != rights || participant.role != role else { return nil }
        let ended = participant.published.map(\.kind).filter { !rights.contains($0.right) }
        for kind in ended { outbox.add(.media(.unpublish(kind), of: member.id)) }
        if role == .viewer, participant.role != .viewer {
            append(.offline(participant.uid, .becameViewer), at: now)
        } else {
            for kind in ended { append(.unpublished(participant.uid, kind), at: now) }
        }
        return append(.roleChanged(participant.uid, role, rights), at: now)
    }

    // MARK: App data

    private func send(
        _ text: String, count: Int, to other: UID?, from member: Member, at now: MediaTime
    ) throws(RoomError) {
        try require(.chat, of: member.id.uid)
        // The answer to it was lost: it is there already.
        guard count > member.sending.lastCount else { return }
        guard !text.isEmpty else { throw .malformed("app data needs a text") }
        try member.sending.check(byteCount: text.utf8.count, at: now)
        try deliver(text, count, from: member, to: other)
        member.sending.take(count: count, byteCount: text.utf8.count)
    }
}

extension Role {
    /// Whether it is no higher than another one.
    func isAtMost(_ other: Role) -> Bool {
        switch (self, other) {
        case (.viewer, _), (_, .host), (.speaker, .speaker): true
        default: false
        }
    }
}
