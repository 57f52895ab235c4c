extension Rooms {
    /// Whose a session is, for requests that come by another way (HTTP); `nil` if the room has no such member.
    public func member(ofSession token: String) -> RoomMember? {
        guard let claims = sealer.open(token).flatMap(SessionClaims.init) else { return nil }
        let member = RoomMember(room: claims.room, uid: claims.uid, session: claims.session)
        return table[member] == nil ? nil : member
    }

    /// Whether a member may write to the chat now.
    public func mayWriteChat(_ id: RoomMember) -> Bool {
        guard let room = table[id.room], let member = table[id] else { return false }
        do throws(RoomError) {
            try checkMayWrite(member, in: room)
            return true
        } catch {
            return false
        }
    }
}
