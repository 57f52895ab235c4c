public import Rill
public import RillCore
public import RillRooms
public import RillSecurity

/// A room as an app is in it: who is there, what they publish, the chat, and own pictures.
///
/// ```swift
/// let room = try await Room.join("https://example.org", room: "lobby", token: token, name: "Anna", source: camera)
/// for await event in room.events {
///     switch event {
///     case .joined(let them) where !them.isOwn: them.show(on: window.tile(for: them))
///     case .left(let them, _): window.close(them)
///     case .message(let message): print(message.name, message.content?.text ?? "")
///     default: break
///     }
/// }
/// ```
///
/// Own pictures are encoded twice, high and low, and follow the network; of others arrives what is shown, in the layer
/// that is wanted. A room comes back by itself after a cut or a restart of the server, reads on where it was, and says
/// so (``Event/status(_:)``). Sound is not sent and not played.
///
/// Threads: those of a ``/Rill/VideoCall``, and `rill-room`. All methods may be called from any
/// thread, and by sinks. One leaves with ``leave()``, or when the room is released.
public final class Room: Sendable {
    /// What happens, for one loop at a time; the stream ends with the room. Of events that nobody reads, the newest
    /// 4096 are kept.
    public let events: AsyncStream<Event>
    let core: RoomCore

    private init(
        _ settings: RoomSettings, over signaling: any RoomSignaling, source: sending (any FrameSource)?,
        taps: sending SendTaps
    ) throws {
        core = try RoomCore(settings, over: signaling, source: source, taps: taps)
        events = core.events
    }

    deinit { core.leave() }

    // MARK: Coming in and leaving

    /// Joins a room over an app's own signaling, and waits until one is in.
    ///
    /// - Parameters:
    ///   - settings: the room, and what is sent and received.
    ///   - signaling: carries messages to the server and back.
    ///   - source: the pictures to publish; `nil` for who only watches.
    ///   - taps: where an app sees own frames, for example for a preview.
    /// - Throws: ``RoomJoinError``; ``/Rill/PipelineError``, ``/RillTransport/TransportError``,
    ///   ``/RillSecurity/SecurityError`` or ``/RillThreads/ThreadError`` for what cannot be made.
    public static func join(
        _ settings: RoomSettings, over signaling: any RoomSignaling, source: sending (any FrameSource)? = nil,
        taps: sending SendTaps = SendTaps()
    ) async throws -> Room {
        let room = try Room(settings, over: signaling, source: source, taps: taps)
        do { try await room.entered(within: settings.joinTimeout) } catch {
            await room.leave()
            throw error
        }
        return room
    }

    private func entered(within time: MediaDuration) async throws {
        let deadline = Task { [core] in
            try await Task.sleep(nanoseconds: UInt64(max(time.nanoseconds, 0)))
            core.giveUp()
        }
        defer { deadline.cancel() }
        try await withTaskCancellationHandler {
            try await core.answers.entered()
        } onCancel: {
            core.leave()
        }
    }

    #if Rooms
    /// Joins a room of `rill serve`, and waits until one is in.
    ///
    /// - Parameters:
    ///   - url: the server, as `https://example.org`.
    ///   - room: the room's name.
    ///   - token: what lets one in; `nil` where the server asks for none.
    ///   - name: the name that is shown.
    ///   - source: the pictures to publish; `nil` for who only watches.
    /// - Throws: as ``join(_:at:source:taps:trusting:)``.
    public static func join(
        _ url: String, room: String, token: String? = nil, name: String, source: sending (any FrameSource)? = nil
    ) async throws -> Room {
        try await join(RoomSettings(room: room, name: name, token: token), at: url, source: source)
    }

    /// Joins a room of `rill serve` with these settings.
    ///
    /// - Parameters:
    ///   - settings: the room, and what is sent and received.
    ///   - url: the server, as `https://example.org`.
    ///   - source: the pictures to publish; `nil` for who only watches.
    ///   - taps: where an app sees own frames, for example for a preview.
    ///   - certificates: a PEM file of certificates that are trusted beside the system's.
    /// - Throws: ``RoomURLError``; as ``join(_:over:source:taps:)``.
    public static func join(
        _ settings: RoomSettings, at url: String, source: sending (any FrameSource)? = nil,
        taps: sending SendTaps = SendTaps(), trusting certificates: String? = nil
    ) async throws -> Room {
        guard let address = RoomURL(url) else { throw RoomURLError(text: url) }
        let webSockets = try RoomWebSockets(address, trusting: certificates)
        return try await join(settings, over: webSockets, source: source, taps: taps)
    }
    #endif

    /// Leaves the room, and waits until all threads have ended and all sinks are finished. The last event is
    /// ``Event/over``.
    public func leave() async {
        core.leave()
        await core.answers.ended()
    }

    // MARK: The room

    /// The room's name.
    public var name: String { core.name }
    /// Where one stands.
    public var status: RoomClientStatus { core.look { $0.status } }
    /// Who is there, in the order in which they came; oneself among them.
    public var participants: [RoomParticipant] { core.participants }
    /// Oneself.
    public var own: RoomParticipant? { core.participants.first { $0.isOwn } }
    /// Somebody by their number.
    public subscript(uid: UID) -> RoomParticipant? { core.participants.first { $0.uid == uid } }
    /// The room as its log has it: who speaks, whether it is locked, and so on.
    public var state: RoomState? { core.look { $0.room } }
    /// The chat.
    public var chat: RoomChat { RoomChat(core) }
    /// The end-to-end encryption, whose secret can be changed; `nil` in the clear.
    public var encryption: FrameEncryption? { core.encryption }
    /// Goes on with another secret, which all members need from now on. Frames that are on their way open with the
    /// former one. It takes a quarter of a second: call it where that does not matter.
    ///
    /// In a room that is in the clear nothing changes.
    ///
    /// - Throws: ``/RillSecurity/SecurityError``: `secretTooShort`, `openSSLFailed`.
    public func setSecret(_ secret: String) throws(SecurityError) {
        try core.encryption?.change(to: SFrameSecret(secret, room: core.name))
    }

    /// The statistics of what is sent and received.
    public var statistics: CallStatistics { core.media.call.statistics }

    // MARK: Own pictures

    /// Mutes own pictures, or sends them again. Others are notified; the encoders are idle meanwhile.
    ///
    /// - Throws: ``/RillRooms/RoomError``: `notPublished`, `notAllowed`, `sessionEnded`.
    public func setMuted(_ isMuted: Bool) async throws(RoomError) {
        // Not one picture more, and none before others know.
        if isMuted { core.media.call.setMuted(true) }
        _ = try await core.ask(isMuted ? .mute(.video, of: nil) : .unmute(.video))
        if !isMuted { core.media.call.setMuted(false) }
    }

    /// Whether own pictures are muted, by oneself or by a host.
    public var isMuted: Bool { core.media.call.isMuted }

    /// Publishes own pictures: where ``RoomSettings/publishesVideo`` is off, or after a host or oneself ended it.
    ///
    /// - Throws: ``/RillRooms/RoomError``: `notAllowed`; `notPublished` without a source.
    public func publish() async throws(RoomError) {
        guard let mid = core.media.sendingMid else { throw .notPublished(.video) }
        _ = try await core.ask(.publish(.video, mid: mid, isMuted: false))
        core.media.call.setMuted(false)
    }

    /// Publishes own pictures no more.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func unpublish() async throws(RoomError) {
        core.media.call.setMuted(true)
        _ = try await core.ask(.unpublish(.video, of: nil))
    }

    /// Switches to another source from its first frame on, which is a key frame; sizes may differ. Nothing is
    /// negotiated.
    public func setSource(_ source: sending any FrameSource) { core.media.call.setSource(source) }

    /// Changes the face processing, from the next frame on.
    public func setBeauty(_ options: BeautyOptions) { core.media.call.setBeauty(options) }

    /// Sends the high layer with another size, rate and bitrate, from its next frame on.
    ///
    /// - Throws: ``/RillCodec/CodecError/invalidSettings(_:)``; then nothing changes.
    public func setProfile(_ profile: VideoProfile) throws(CodecError) {
        try core.media.call.change(.high) { $0.apply(profile) }
    }

    /// Changes the settings of one layer, from its next frame on.
    ///
    /// - Throws: ``/RillCodec/CodecError/invalidSettings(_:)``; then nothing changes.
    public func change(_ layer: StreamLayer.RID, _ body: (inout LayerSettings) -> Void) throws(CodecError) {
        try core.media.call.change(layer, body)
    }

    // MARK: App data

    /// Sends app data to somebody, or to all others: each message once, and in order, also over a cut. It waits while
    /// one is cut off.
    ///
    /// - Parameters:
    ///   - text: at most 1,000 bytes, with a server of ours at its defaults. What is longer fails as an event.
    ///   - uid: to whom; `nil` for all others.
    /// - Throws: ``/RillRooms/RoomError/queueFull(missed:cached:)``.
    public func send(_ text: String, to uid: UID? = nil) throws(RoomError) {
        try core.change { (client, now) throws(RoomError) in try client.send(text, to: uid, at: now) }
    }

    // MARK: Requests

    /// Changes one's name, picture or attributes; `nil` leaves one as it is.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func setProfile(
        name: String? = nil, avatar: String? = nil, attributes: [String: String]? = nil
    ) async throws(RoomError) {
        _ = try await core.ask(.profile(name: name, avatar: avatar, attributes: attributes))
    }

    /// Goes on with a new token, before the old one ends.
    ///
    /// - Throws: ``/RillRooms/RoomError/unauthorized``.
    public func renew(token: String) async throws(RoomError) { _ = try await core.ask(.renew(token: token)) }

    /// Mutes what somebody publishes, as a host. Only they unmute it.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func mute(_ them: RoomParticipant, _ kind: MediaKind = .video) async throws(RoomError) {
        _ = try await core.ask(.mute(kind, of: them.uid))
    }

    /// Ends what somebody publishes, as a host.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func unpublish(_ them: RoomParticipant, _ kind: MediaKind = .video) async throws(RoomError) {
        _ = try await core.ask(.unpublish(kind, of: them.uid))
    }

    /// Changes somebody's role, as a host; or one's own to a lesser one.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func setRole(_ role: Role, of them: RoomParticipant) async throws(RoomError) {
        _ = try await core.ask(.role(them.uid, role))
    }

    /// Removes somebody, as a host.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func remove(_ them: RoomParticipant) async throws(RoomError) { _ = try await core.ask(.remove(them.uid)) }

    /// Locks or opens the room, as a host: nobody but hosts may join a locked one.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func setLocked(_ isLocked: Bool) async throws(RoomError) { _ = try await core.ask(.lock(isLocked)) }

    /// Closes the room, as a host: everybody is out.
    ///
    /// - Throws: ``/RillRooms/RoomError``.
    public func close() async throws(RoomError) {
        do { _ = try await core.ask(.close) } catch {
            // One's own end may be the answer.
            guard error == .sessionEnded, status == .ended(.closed) else { throw error }
        }
    }
}

#if Rooms
/// What was given is not the URL of a server.
public struct RoomURLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was given.
    public let text: String

    /// One sentence, with an example.
    public var description: String { "\"\(text)\" is not the URL of a server: expected one like https://example.org" }
}
#endif
