import RillCore
import RillRTP

/// Remembers the newest frames that a layer has sent, so that arriving frames can be matched with them.
///
/// Safe on any thread: in the live driver the sender writes while the receiver reads.
final class SentFrameLog: Sendable {
    /// What is remembered of a frame.
    struct Entry: Sendable {
        var timestamp: RTPTimestamp
        var captureTime: MediaTime
        var timestamps: FrameTimestamps
    }

    private let state: Monitor<Ring>

    private struct Ring: ~Copyable {
        var entries: [Entry] = []
        var next = 0
        var first: MediaTime?
    }

    /// Frames that are remembered: half a minute at 30 per second.
    private static let capacity = 1024

    init() {
        var ring = Ring()
        ring.entries.reserveCapacity(Self.capacity)
        state = Monitor(ring)
    }

    /// Remembers a frame, replacing the oldest.
    func add(_ frame: EncodedFrame, _ timestamp: RTPTimestamp) {
        let entry = Entry(timestamp: timestamp, captureTime: frame.captureTime, timestamps: frame.timestamps)
        state.withLock { ring in
            ring.first = ring.first ?? entry.captureTime
            if ring.entries.count < Self.capacity {
                ring.entries.append(entry)
            } else {
                ring.entries[ring.next] = entry
            }
            ring.next = (ring.next + 1) % Self.capacity
        }
    }

    /// The capture times of the first and last frame sent; `nil` before the first.
    var span: (first: MediaTime, last: MediaTime)? {
        state.withLock { ring in
            guard let first = ring.first, !ring.entries.isEmpty else { return nil }
            let newest = (ring.next + Self.capacity - 1) % Self.capacity
            return (first, ring.entries[newest].captureTime)
        }
    }

    /// Returns the frame of that timestamp; `nil` if it was never sent, or long ago.
    func entry(for timestamp: RTPTimestamp) -> Entry? {
        state.withLock { ring in
            // The frames that are looked up are among the newest.
            for age in 1...max(1, ring.entries.count) where !ring.entries.isEmpty {
                let entry = ring.entries[(ring.next + Self.capacity - age) % Self.capacity % ring.entries.count]
                if entry.timestamp == timestamp { return entry }
            }
            return nil
        }
    }
}
