extension Rooms {
    /// Whose a session is, for requests that come by another way (HTTP); `nil` if the room has no such member.
    public func member(ofSession token: String) -> RoomMember? {
        guard let claims = sealer.open(token).flatMap(SessionClaims.init) else { return nil }
        let member = RoomMember(room: claims.room, uid: claims.uid, session: claims.session)
        return table[member] == nil ? nil : member
    }
}
