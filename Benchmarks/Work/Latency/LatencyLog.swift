import Rill
import RillCore
import RillRTP
import Synchronization

/// Stores every frame's timestamps during a call, in memory allocated before it started.
final class LatencyLog: Sendable {
    private let clock: LiveClock
    private let captures: Mutex<[Capture]>
    private let layers: [StreamLayer.RID: Layer]
    private let order: [StreamLayer.RID]

    private struct Capture {
        var due: MediaTime
        var woken: MediaTime
    }

    /// A frame's timestamps on one side.
    private struct Entry {
        var timestamp: RTPTimestamp
        var timestamps: FrameTimestamps
    }

    private struct Frames {
        /// Has left the encoder; its packets follow on the same thread.
        var coded: FrameTimestamps?
        var sent: [Entry] = []
        var shown: [Entry] = []
    }

    private final class Layer: Sendable {
        private let frames: Mutex<Frames>

        init(frameCount: Int) {
            var frames = Frames()
            frames.sent.reserveCapacity(frameCount)
            frames.shown.reserveCapacity(frameCount)
            self.frames = Mutex(frames)
        }

        func withLock<Result>(_ body: (inout Frames) -> Result) -> Result { frames.withLock { body(&$0) } }
    }

    init(_ clock: LiveClock, layers: [StreamLayer.RID], frameCount: Int) {
        self.clock = clock
        order = layers
        var captures: [Capture] = []
        captures.reserveCapacity(frameCount)
        self.captures = Mutex(captures)
        self.layers = Dictionary(uniqueKeysWithValues: layers.map { ($0, Layer(frameCount: frameCount)) })
    }

    /// Records when the capture thread woke.
    func captureTap() -> FrameTap {
        FrameTap { [self] frame in
            let now = clock.now
            let due = frame.timestamps[.captured] ?? now
            captures.withLock { $0.append(Capture(due: due, woken: now)) }
        }
    }

    /// Records the timestamps of encoded frames.
    func encodedTap() -> EncodedFrameTap {
        EncodedFrameTap { [self] frame, _ in layers[frame.layer.rid]?.withLock { $0.coded = frame.timestamps } }
    }

    /// Records that the system accepted a datagram with the last packet of a frame, whose header is not encrypted.
    func noteSent(_ header: RTPHeader, of rid: StreamLayer.RID, at now: MediaTime) {
        layers[rid]?.withLock { layer in
            // A retransmitted packet belongs to an earlier frame.
            guard var timestamps = layer.coded, layer.sent.last.map({ $0.timestamp.isBefore(header.timestamp) }) ?? true
            else { return }
            timestamps[.sent] = now
            layer.sent.append(Entry(timestamp: header.timestamp, timestamps: timestamps))
            layer.coded = nil
        }
    }

    /// Records the timestamps of shown frames.
    func shownTap(_ rid: StreamLayer.RID) -> FrameTap {
        let layer = layers[rid]
        return FrameTap { frame in
            // The receiver's capture times are RTP timestamps.
            let ticks = frame.captureTime.ticks(rate: RTPTimestamp.videoClockRate)
            let entry = Entry(timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: ticks)), timestamps: frame.timestamps)
            layer?.withLock { $0.shown.append(entry) }
        }
    }

    /// Frames captured so far.
    var captureCount: Int { captures.withLock { $0.count } }

    /// Whether a sent frame has not been shown yet.
    var hasUnshownFrames: Bool {
        layers.values.contains { layer in layer.withLock { $0.shown.count < $0.sent.count } }
    }

    /// All records, one per line.
    var lines: [String] {
        let captured = captures.withLock { $0 }.map { "captured \($0.due.nanoseconds) \($0.woken.nanoseconds)" }
        return order.reduce(into: captured) { lines, rid in
            guard let layer = layers[rid]?.withLock({ $0 }) else { return }
            lines += layer.sent.map {
                LatencyLog.line("sent", rid, $0, [.captured, .preprocessed, .scaled, .encoded, .sent])
            }
            lines += layer.shown.map {
                LatencyLog.line("shown", rid, $0, [.arrived, .assembled, .released, .decoded, .shown])
            }
        }
    }

    private static func line(
        _ word: String, _ rid: StreamLayer.RID, _ entry: Entry, _ stages: [FrameTimestamps.Stage]
    ) -> String {
        let timestamps = stages.map { entry.timestamps[$0].map { "\($0.nanoseconds)" } ?? "-" }
        return "\(word) \(rid) \(entry.timestamp.rawValue) \(timestamps.joined(separator: " "))"
    }
}

extension RTPTimestamp {
    /// By less than half of the number range.
    fileprivate func isBefore(_ other: RTPTimestamp) -> Bool { Int32(bitPattern: other.rawValue &- rawValue) > 0 }
}
