public import RillCore

/// What media do.
extension Rooms {
    /// An authentic packet came on a member's media path. Once a second for each member is enough.
    public func heard(_ member: RoomMember, at now: MediaTime) {
        with(member) { $0.hear($1, at: now) }
    }

    /// The first picture of something that a member publishes came; sizes in pixels, `nil` for unknown ones, which are
    /// told once. Calls after a size change nothing.
    public func firstPicture(
        _ kind: MediaKind, of member: RoomMember, width: Int?, height: Int?, at now: MediaTime
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

    /// Somebody wants a layer that a member publishes, or nobody any more.
    public func setInterest(_ interest: LayerInterest, of member: RoomMember, at now: MediaTime) {
        with(member) { _, member in
            member.set(interest)
            if let channel = member.channel { outbox.send(.layer(interest), to: channel) }
        }
    }

    /// The media of a member ended on their side: it has to send another offer.
    public func mediaEnded(_ member: RoomMember, at now: MediaTime) {
        with(member) { $1.loseMedia() }
    }

    /// Somebody else speaks in a room; `nil` for nobody.
    public func setSpeaker(_ uid: UID?, in room: String, at now: MediaTime) {
        table[room]?.setSpeaker(uid, at: now)
    }

    /// How loud the members of a room are: ten times a second, to all who keep up.
    public func setLevels(_ levels: [SoundLevel], in room: String, at now: MediaTime) {
        table[room]?.send(levels)
    }

    private func with(_ id: RoomMember, _ body: (Room, Member) -> Void) {
        guard let room = table[id.room], let member = table[id] else { return }
        body(room, member)
    }
}
