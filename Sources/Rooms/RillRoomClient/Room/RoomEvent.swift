public import RillCore
public import RillRooms
public import RillSecurity

extension Room {
    /// What happens in a room, in order.
    ///
    /// Who is there follows from `joined` and `left` alone, also over a cut: what happened meanwhile is reported when
    /// one is back.
    public enum Event: Sendable {
        /// One stands elsewhere: connected, interrupted, lost, or out for good.
        case status(RoomClientStatus)
        /// The server had forgotten this session: others saw it join again. What is published and wanted goes on.
        case rejoined

        /// Somebody came, or was there before.
        case joined(RoomParticipant)
        /// Somebody is gone.
        case left(RoomParticipant, OfflineReason)
        /// Nothing was received from somebody for 4 s, for 10 s, or something again: ``RoomParticipant/presence``.
        case presenceChanged(RoomParticipant)
        /// Somebody publishes something.
        case published(RoomParticipant, MediaKind)
        /// Somebody publishes it no more.
        case unpublished(RoomParticipant, MediaKind)
        /// Something is muted, by its owner or by this host. Own pictures are then not sent.
        case muted(RoomParticipant, MediaKind, by: UID)
        /// Its owner unmuted it.
        case unmuted(RoomParticipant, MediaKind)
        /// Somebody has another role, or other rights; one who became a viewer publishes nothing.
        case roleChanged(RoomParticipant)
        /// Somebody has another name, picture, or other attributes.
        case profileChanged(RoomParticipant)
        /// Somebody else speaks; `nil` for nobody.
        case speakerChanged(RoomParticipant?)
        /// How loud participants are, ten times a second while somebody is heard.
        case levels([SoundLevel])
        /// The room is locked, or open again.
        case lockChanged(isLocked: Bool)

        /// The first picture of somebody is shown: its size, and the time since ``RoomParticipant/show(_:on:)``.
        case firstPicture(RoomParticipant, MediaKind, Resolution, after: MediaDuration)
        /// A picture of another size is shown.
        case sizeChanged(RoomParticipant, MediaKind, Resolution)
        /// Somebody is shown in another layer, or is paused (``/RillRooms/SlotState/isPaused``), because the network
        /// does not carry it beside what is more important.
        case layerChanged(RoomParticipant, MediaKind, SlotState)
        /// Somebody's frames cannot be opened, for that reason: the secrets differ.
        case unopened(RoomParticipant, MediaKind, SFrameOpenOutcome)
        /// Somebody's frames can be opened: the first, or again.
        case opened(RoomParticipant, MediaKind)
        /// A sink threw: it shows nothing more.
        case sinkFailed(RoomParticipant, MediaKind, any Error)

        /// App data came. `missed` messages before it were not kept, as one did not keep up.
        case data(String, from: UID, missed: Int)
        /// A chat message came, or one's own is stored.
        case message(ChatMessage)
        /// The chat changed: texts, states, marks, whether it is on: ``RoomChat/conversation``.
        case chatChanged
        /// Somebody is typing.
        case typing(RoomParticipant)
        /// For hosts: a message is reported.
        case reported(ReportedMessage)
        /// A message of one's own was taken by the server.
        case sent(OutgoingMessage, number: Int?)
        /// A message of one's own was refused. A chat message can be resent: ``RoomChat/resend(key:)``.
        case failed(OutgoingMessage, RoomError)
        /// Something that was not awaited was refused: a picture that was wanted, or to publish.
        case refused(RoomError)

        /// The source has delivered its last frame.
        case sourceEnded
        /// The source failed. No picture follows until there is another one: ``Room/setSource(_:)``.
        case sourceFailed(any Error)
        /// An encoder or a tap failed: nothing is sent any more.
        case sendingFailed(any Error)
        /// Media cannot be negotiated, for that reason. It is tried again.
        case mediaFailed(any Error)
        /// One is out, and all threads have ended; no event follows.
        case over
    }
}

extension Room.Event {
    /// What an event of the log means to an app; `nil` for nothing, or nobody who is known. `joined` and `left` are the
    /// room's own.
    init?(_ event: RoomEvent, _ people: (UID) -> RoomParticipant?) {
        func of(_ uid: UID, _ make: (RoomParticipant) -> Room.Event) -> Room.Event? { people(uid).map(make) }
        let made: Room.Event? =
            switch event {
            case .interrupted(let uid), .lost(let uid), .back(let uid): of(uid) { .presenceChanged($0) }
            case .published(let uid, let kind, _): of(uid) { .published($0, kind) }
            case .unpublished(let uid, let kind): of(uid) { .unpublished($0, kind) }
            case .muted(let uid, let kind, let host): of(uid) { .muted($0, kind, by: host) }
            case .unmuted(let uid, let kind): of(uid) { .unmuted($0, kind) }
            case .speakerChanged(let uid): .speakerChanged(uid.flatMap(people))
            case .roleChanged(let uid, _, _), .offline(let uid, .becameViewer): of(uid) { .roleChanged($0) }
            case .profileChanged(let uid, _, _, _): of(uid) { .profileChanged($0) }
            case .lockChanged(let isLocked): .lockChanged(isLocked: isLocked)
            case .chat(let message): .message(message)
            case .chatEdited, .chatDeleted, .chatChanged: .chatChanged
            // What is seen here is reported by itself; the end of a room follows as a status.
            case .joined, .offline, .firstPicture, .closed: nil
            }
        guard let made else { return nil }
        self = made
    }

    init?(_ event: RoomPictures.Event, _ people: (UID) -> RoomParticipant?) {
        switch event {
        case .firstPicture(let key, let size, let delay):
            guard let them = people(key.uid) else { return nil }
            self = .firstPicture(them, key.kind, size, after: delay)
        case .sizeChanged(let key, let size):
            guard let them = people(key.uid) else { return nil }
            self = .sizeChanged(them, key.kind, size)
        case .sinkFailed(let key, let error):
            guard let them = people(key.uid) else { return nil }
            self = .sinkFailed(them, key.kind, error)
        }
    }
}
