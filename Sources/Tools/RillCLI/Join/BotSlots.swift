#if Server
import RillCore
import RillReceive
import RillRooms
import RillSession

/// What arrives at a bot: whose frames, in which layer, whether each can be decoded, and how smoothly they come.
///
/// Nothing is decoded: a frame counts as a picture if all that it refers to came before, as its descriptor has it.
struct BotSlots {
    /// Whose, of what, in which layer.
    struct Key: Hashable {
        var uid: UID
        var kind: MediaKind
        var layer: String
    }

    /// A section that receives.
    private struct Slot {
        var state: SlotState
        var meter = FreezeMeter()
        var shown: MediaTime?
    }

    private var slots: [String: Slot] = [:]
    private var orders: [ReceivingStreamID: FrameOrder] = [:]
    /// Frames that can be decoded.
    private(set) var frames: [Key: Int] = [:]
    /// Those of them that are key frames.
    private(set) var keyFrames = 0
    /// Payloads of sound.
    private(set) var payloads: [UID: Int] = [:]
    /// Frames that refer to others which did not come.
    private(set) var undecodable = 0
    private(set) var freezes = 0
    private(set) var frozen = MediaDuration.zero
    /// When the last picture of somebody came.
    private(set) var lastPictures: [UID: MediaTime] = [:]

    /// How many sections show something.
    var count: Int { slots.values.count { $0.state.uid != nil } }

    /// A section shows something else from now on.
    mutating func set(_ state: SlotState) {
        if let slot = slots[state.mid] { add(slot.meter) }
        slots[state.mid] = Slot(state: state)
    }

    /// Somebody paused, or goes on: what is missing meanwhile is not frozen.
    mutating func interrupt(_ uid: UID) {
        for mid in slots.keys where slots[mid]?.state.uid == uid { slots[mid]?.meter.interrupt() }
    }

    /// All streams are others from now on.
    mutating func reset() {
        for slot in slots.values { add(slot.meter) }
        (slots, orders) = ([:], [:])
    }

    private mutating func add(_ meter: FreezeMeter) {
        freezes += meter.statistics.freezeCount
        frozen += meter.statistics.totalFreezesDuration
    }

    /// Freezes of all, those of sections that still show the same included.
    var allFreezes: (count: Int, duration: MediaDuration) {
        slots.values.reduce((freezes, frozen)) { sum, slot in
            (sum.0 + slot.meter.statistics.freezeCount, sum.1 + slot.meter.statistics.totalFreezesDuration)
        }
    }

    /// A frame came.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - stream: its stream.
    ///   - mid: the stream's section.
    ///   - now: the current time.
    /// - Returns: whose picture it is, if it is one of somebody known; whether it can be decoded.
    mutating func take(
        _ frame: ReceivedFrame, of stream: ReceivingStreamID, _ mid: String, at now: MediaTime
    ) -> (uid: UID?, isDecodable: Bool) {
        let isDecodable = orders[stream, default: FrameOrder()].take(frame.frame)
        guard isDecodable else {
            undecodable += 1
            return (nil, false)
        }
        if frame.frame.isKey { keyFrames += 1 }
        guard let state = slots[mid]?.state, let uid = state.uid, let kind = state.kind else { return (nil, true) }
        frames[Key(uid: uid, kind: kind, layer: state.layer ?? ""), default: 0] += 1
        slots[mid]?.meter.shown(at: now)
        lastPictures[uid] = now
        return (uid, true)
    }

    /// Sound came.
    mutating func takeSound(_ mid: String) {
        guard let uid = slots[mid]?.state.uid else { return }
        payloads[uid, default: 0] += 1
    }
}

/// Whether frames can be decoded, each after those that it refers to.
struct FrameOrder {
    private var known: Set<Int64> = []
    private var numbers: [Int64] = []
    /// Frames refer to others of the last seconds only.
    private static let memory = 512

    /// A frame comes.
    mutating func take(_ frame: EncodedFrame) -> Bool {
        if frame.isKey { (known, numbers) = ([], []) }
        for index in 0..<frame.references.count where !known.contains(frame.references[index]) { return false }
        guard frame.isKey || !known.isEmpty else { return false }
        known.insert(frame.number)
        numbers.append(frame.number)
        if numbers.count > 2 * Self.memory {
            for number in numbers.prefix(Self.memory) { known.remove(number) }
            numbers.removeFirst(Self.memory)
        }
        return true
    }
}
#endif
