import Rill
import RillCore
import RillRooms

/// Whose pictures go to which sink: a section shows somebody, and somebody is shown on a sink.
///
/// Threads: pictures come on a decoding thread; all methods may be called from any thread. Sinks and `report` are
/// called with no lock held.
final class RoomPictures: Sendable {
    /// What somebody publishes.
    struct Key: Hashable, Sendable {
        let uid: UID
        let kind: MediaKind
    }

    /// What happens to what is shown.
    enum Event: Sendable {
        case firstPicture(Key, Resolution, after: MediaDuration)
        case sizeChanged(Key, Resolution)
        case sinkFailed(Key, any Error)
    }

    private struct Slot {
        var state: SlotState
        /// When its newest key frame left the jitter buffer.
        var keyTime: MediaTime?
        /// Until then pictures are those of whom it showed before, if no key frame comes.
        var formerUntil: MediaTime?
    }

    private struct Shown {
        let sink: ExclusiveUse<any FrameSink>
        let since: MediaTime
        /// The newest one: one buffer of its decoder's.
        var picture: VideoFrame?
    }

    private struct State: ~Copyable {
        var slots: [String: Slot] = [:]
        var shown: [Key: Shown] = [:]
        /// Sinks that show nothing more, and what they showed.
        var hidden: [(key: Key, sink: ExclusiveUse<any FrameSink>)] = []
    }

    private let state = Monitor(State())
    private let clock: LiveClock
    private let report: @Sendable (Event) -> Void

    /// A key frame may be here before the message that says whose it is: so much, with a margin for a busy machine.
    private static let keyFrameLead = MediaDuration.milliseconds(200)
    /// So long, at most, frames of whom a section showed before are on their way: the jitter buffer's usual delay.
    private static let formerTime = MediaDuration.milliseconds(300)

    init(clock: LiveClock, _ report: @escaping @Sendable (Event) -> Void) {
        (self.clock, self.report) = (clock, report)
    }

    // MARK: Sections

    /// A section shows something else from now on, which begins with a key frame.
    func set(_ new: SlotState) {
        let now = clock.now
        state.withLock { state in
            var slot = state.slots[new.mid] ?? Slot(state: new)
            let isOther = slot.state.uid != nil && (slot.state.uid != new.uid || slot.state.kind != new.kind)
            slot.state = new
            if isOther {
                let hasBegun = slot.keyTime.map { now - $0 < Self.keyFrameLead } ?? false
                slot.formerUntil = hasBegun ? nil : now + Self.formerTime
            }
            state.slots[new.mid] = slot
        }
    }

    /// No section shows anything: all are others from now on.
    func reset() { state.withLock { $0.slots = [:] } }

    /// The section that shows something; `nil` for none.
    func slot(of key: Key) -> SlotState? {
        state.withLock { state in state.slots.values.map(\.state).first { $0.uid == key.uid && $0.kind == key.kind } }
    }

    /// What a section shows.
    func key(of mid: String) -> Key? { state.withLock { state in state.slots[mid]?.state.key } }

    /// A key frame left the jitter buffer of a section.
    func takeKeyFrame(_ mid: String) {
        let now = clock.now
        state.withLock { state in
            state.slots[mid]?.keyTime = now
            state.slots[mid]?.formerUntil = nil
        }
    }

    /// Shows a picture of a section.
    func show(_ picture: VideoFrame, _ mid: String) {
        let now = clock.now
        let found = state.withLock { state -> (Key, ExclusiveUse<any FrameSink>, Event?)? in
            guard let slot = state.slots[mid], let key = slot.state.key, let shown = state.shown[key] else {
                return nil
            }
            if let time = slot.formerUntil {
                guard now >= time else { return nil }
                state.slots[mid]?.formerUntil = nil
            }
            var event: Event?
            if shown.picture?.resolution != picture.resolution {
                event =
                    shown.picture == nil
                    ? .firstPicture(key, picture.resolution, after: now - shown.since)
                    : .sizeChanged(key, picture.resolution)
            }
            state.shown[key]?.picture = picture
            return (key, shown.sink, event)
        }
        guard let (key, sink, event) = found else { return }
        if let event { report(event) }
        do { try sink.use { try $0.consume(picture) } } catch {
            hide(key)
            report(.sinkFailed(key, error))
        }
    }

    // MARK: Sinks

    /// Whether something is shown.
    func isShown(_ key: Key) -> Bool { state.withLock { $0.shown[key] != nil } }

    /// The newest picture of something that is shown.
    func picture(of key: Key) -> VideoFrame? { state.withLock { $0.shown[key]?.picture } }

    /// Shows something on a sink, in the place of another one.
    func show(_ key: Key, on sink: sending any FrameSink) {
        let shared = ExclusiveUse<any FrameSink>(sink)
        let now = clock.now
        state.withLock { state in
            if let former = state.shown[key] { state.hidden.append((key, former.sink)) }
            state.shown[key] = Shown(sink: shared, since: now)
        }
    }

    /// Shows something no more.
    func hide(_ key: Key) {
        state.withLock { state in
            if let former = state.shown.removeValue(forKey: key) { state.hidden.append((key, former.sink)) }
        }
    }

    /// Shows nothing of somebody more.
    func hide(_ uid: UID) {
        for kind in MediaKind.allCases { hide(Key(uid: uid, kind: kind)) }
    }

    /// Finishes sinks that show nothing more; all of them at the end. Not to be called by a sink.
    func finishHidden(all isEnd: Bool = false) {
        let sinks = state.withLock { state in
            if isEnd {
                state.hidden += state.shown.map { ($0, $1.sink) }
                state.shown = [:]
            }
            defer { state.hidden = [] }
            return state.hidden
        }
        for (key, sink) in sinks {
            do { try sink.use { try $0.finish() } } catch { report(.sinkFailed(key, error)) }
        }
    }
}

extension SlotState {
    fileprivate var key: RoomPictures.Key? {
        guard let uid, let kind else { return nil }
        return RoomPictures.Key(uid: uid, kind: kind)
    }
}

/// The pictures of one section, for whomever it shows.
final class SectionSink: FrameSink, Sendable {
    private let pictures: RoomPictures
    private let mid: String

    init(_ pictures: RoomPictures, _ mid: String) { (self.pictures, self.mid) = (pictures, mid) }

    func consume(_ frame: VideoFrame) { pictures.show(frame, mid) }
    func finish() {}
}
