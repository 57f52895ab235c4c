/// The sizes of what a command brings.
extension RoomCommand {
    /// Checks them.
    ///
    /// - Throws: `tooLarge`, `malformed`.
    func checkSizes(_ settings: RoomSettings) throws(RoomError) {
        switch self {
        case .join(let request):
            try check("room", request.room, settings.roomNameByteLimit)
            guard !request.room.isEmpty else { throw .malformed("the room needs a name") }
            try check("token", request.token, settings.tokenByteLimit)
            try check("session", request.session, settings.sessionByteLimit)
            try check("offer", request.offer, settings.descriptionByteLimit)
            try checkProfile(request.name, request.avatar, request.attributes, settings)
        case .resume(let session, epoch: _, number: _, count: _):
            try check("session", session, settings.sessionByteLimit)
        case .negotiate(let offer): try check("offer", offer, settings.descriptionByteLimit)
        case .publish(_, let mid, isMuted: _): try check("mid", mid, 16)
        case .data(count: _, to: _, let text): try check("text", text, settings.dataByteLimit)
        case .chat(let command): try checkSizes(of: command, settings)
        case .profile(let name, let avatar, let attributes):
            try checkProfile(name, avatar, attributes ?? [:], settings)
        case .renew(let token): try check("token", token, settings.tokenByteLimit)
        case .unpublish, .mute, .unmute, .want, .role, .rights, .remove, .lock, .close, .alive, .leave: break
        }
    }

    private func checkSizes(of command: ChatCommand, _ settings: RoomSettings) throws(RoomError) {
        switch command {
        case .write(let key, let text, replyTo: _, let image):
            try check("key", key, settings.nameByteLimit)
            try check("text", text, settings.chatByteLimit)
            guard image?.hash.utf8.count ?? 64 == 64 else { throw .malformed("an image's hash has 64 digits") }
        case .edit(_, let text), .report(_, _, let text): try check("text", text, settings.chatByteLimit)
        case .block(let author, _): try check("author", author, settings.tokenByteLimit)
        case .delete, .typing, .read, .history, .setEnabled, .reports: break
        }
    }

    private func check(_ field: String, _ text: String?, _ limit: Int) throws(RoomError) {
        if let text, text.utf8.count > limit { throw .tooLarge(field: field, limit: limit) }
    }

    private func checkProfile(
        _ name: String?, _ avatar: String?, _ attributes: [String: String], _ settings: RoomSettings
    ) throws(RoomError) {
        try check("name", name, settings.nameByteLimit)
        try check("avatar", avatar, settings.avatarByteLimit)
        guard attributes.count <= settings.attributeLimit else {
            throw .tooLarge(field: "attributes", limit: settings.attributeLimit)
        }
        for (key, value) in attributes where key.utf8.count + value.utf8.count > settings.attributeByteLimit {
            throw .tooLarge(field: "attributes", limit: settings.attributeByteLimit)
        }
    }
}
