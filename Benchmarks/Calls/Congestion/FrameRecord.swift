import Rill
import RillCore
import RillRTP
import Synchronization

/// The frames that were encoded, and the pictures that were shown, of each layer.
final class FrameRecord: Sendable {
    struct Encoded {
        /// On the clip's clock, and on the call's.
        var captureTime: MediaTime
        var captured: MediaTime
    }

    struct Shown {
        var timestamp: RTPTimestamp
        var time: MediaTime
    }

    private struct State {
        var encoded: [[Encoded]]
        var shown: [[Shown]]
    }

    private let rids: [StreamLayer.RID]
    private let state: Mutex<State>

    init(_ rids: [StreamLayer.RID]) {
        self.rids = rids
        let count = rids.count
        state = Mutex(State(encoded: Array(repeating: [], count: count), shown: Array(repeating: [], count: count)))
    }

    func encodedTap() -> EncodedFrameTap {
        EncodedFrameTap { [self] frame, _ in
            guard let layer = rids.firstIndex(of: frame.layer.rid), let captured = frame.timestamps[.captured] else {
                return
            }
            let encoded = Encoded(captureTime: frame.captureTime, captured: captured)
            state.withLock { $0.encoded[layer].append(encoded) }
        }
    }

    func shownTap(_ rid: StreamLayer.RID, _ clock: LiveClock) -> FrameTap {
        let layer = rids.firstIndex(of: rid) ?? 0
        return FrameTap { [self] frame in
            let ticks = frame.captureTime.ticks(rate: RTPTimestamp.videoClockRate)
            let shown = Shown(
                timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: ticks)),
                time: frame.timestamps[.shown] ?? clock.now)
            state.withLock { $0.shown[layer].append(shown) }
        }
    }

    var encoded: [[Encoded]] { state.withLock { $0.encoded } }
    var shown: [[Shown]] { state.withLock { $0.shown } }
}
