public import Rill
public import RillCore
public import RillRooms
import RillThreads

/// Somebody in a ``Room``: what they publish, and on what it is shown.
///
/// ```swift
/// try await room.show(bob, on: screen)
/// bob.want(.automatic(shownAt: tile.size))
/// for await picture in bob.pictures() { … }  // or, instead of a sink, a sequence
/// ```
///
/// It is the same object for as long as they are in the room. What is shown stays shown over cuts, and begins when they
/// publish.
///
/// Threads: all methods may be called from any thread, and by sinks.
public final class RoomParticipant: Sendable {
    /// Their number.
    public let uid: UID
    /// Whether it is oneself.
    public let isOwn: Bool
    private let state: Monitor<Participant>
    /// Not held: a room that is released ends.
    private let core: @Sendable () -> RoomCore?

    init(_ participant: Participant, isOwn: Bool, in core: RoomCore) {
        (uid, self.isOwn, state) = (participant.uid, isOwn, Monitor(participant))
        self.core = { [weak core] in core }
    }

    /// All that the room knows of them.
    public var info: Participant { state.withLock { $0 } }
    /// The name that is shown.
    public var name: String { info.name }
    /// Whether something was received from them lately.
    public var presence: Participant.Presence { info.presence }

    /// Whether they publish it, and it is not muted.
    public func sends(_ kind: MediaKind = .video) -> Bool { info[kind].map { !$0.isMuted } ?? false }

    func set(_ participant: Participant) { state.withLock { $0 = participant } }
    func set(_ presence: Participant.Presence) { state.withLock { $0.presence = presence } }

    // MARK: Pictures

    /// Shows their pictures on a sink, in the place of a former one, and wants them: in high, if nothing else was
    /// wanted before (``want(_:_:priority:)``).
    ///
    /// - Parameters:
    ///   - kind: their camera, or their screen.
    ///   - sink: receives the pictures, whose size differs from layer to layer. It belongs to a decoding thread from
    ///     now on, and is finished when it shows nothing more.
    public func show(_ kind: MediaKind = .video, on sink: sending any FrameSink) {
        core()?.show(uid, kind, on: sink)
    }

    /// Shows their pictures as an asynchronous sequence. Only the newest picture is kept until the caller takes it. The
    /// sequence ends when they are no longer shown.
    public func pictures(_ kind: MediaKind = .video) -> AsyncStream<VideoFrame> {
        let (stream, continuation) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(1))
        show(kind, on: AwaitedPictures(continuation))
        return stream
    }

    /// The newest picture of theirs that was shown, as for a snapshot; `nil` before the first one, and while nothing is
    /// shown.
    public func picture(_ kind: MediaKind = .video) -> VideoFrame? {
        core()?.pictures.picture(of: RoomPictures.Key(uid: uid, kind: kind))
    }

    /// Shows them no more, and wants nothing of it. The sink is finished soon after.
    public func hide(_ kind: MediaKind = .video) { core()?.hide(uid, kind) }

    /// Sets which layer is wanted, now or as soon as it is shown.
    ///
    /// - Parameters:
    ///   - layer: high, low, none, or what fits a size. One that is shown at no size is low, and after 5 s none.
    ///   - kind: their camera, or their screen.
    ///   - priority: where the network carries some only, those of the highest priority come first.
    public func want(_ layer: CallParticipant.WantedLayer, _ kind: MediaKind = .video, priority: Int = 0) {
        core()?.want(layer, uid, kind, priority: priority)
    }

    /// What is received of theirs now: the layer, and whether it is paused; `nil` for nothing.
    public func slot(_ kind: MediaKind = .video) -> SlotState? {
        core()?.pictures.slot(of: RoomPictures.Key(uid: uid, kind: kind))
    }

    /// The statistics of the section that shows them; `nil` while none does. They count for the section: from the first
    /// picture in it on, of whomever.
    public func statistics(_ kind: MediaKind = .video) -> ReceiveStatistics? {
        slot(kind).flatMap { core()?.media.statistics(of: $0.mid) }
    }
}

extension RoomParticipant: Hashable {
    /// Whether both are the same object.
    public static func == (a: RoomParticipant, b: RoomParticipant) -> Bool { a === b }
    /// By the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension RoomParticipant: CustomStringConvertible {
    /// Name and number: `bob (7)`.
    public var description: String { "\(name) (\(uid))" }
}
