public import Rill
import RillCodec
public import RillCore
import RillThreads

/// A source and a packet sender in virtual time.
///
/// Encoding takes a fixed time. Of frames that arrive while a layer is busy it keeps the newest ones, as many as the
/// live driver.
public final class VirtualSender<Packets: PacketSink>: TimedStage {
    private let sender: PacketSender
    private let source: any FrameSource
    private let packets: Packets
    private let encodeTime: MediaDuration
    private var upcoming: VideoFrame?
    private var layers: [Layer]
    /// Whether the source's last frame was sent.
    public private(set) var isDone = false
    /// The number of frames that the source has delivered.
    public private(set) var framesCaptured = 0
    /// The error that ended the source early, if any.
    public private(set) var sourceFailure: (any Error)?
    private var span = MediaSpan()
    private var now = MediaTime.zero

    private struct Layer {
        var working: (job: LayerJob, end: MediaTime)?
        var waiting = NewestValues<LayerJob>(capacity: LayerJob.waitingLimit)

        /// Starts the oldest waiting job, if none is in progress.
        mutating func begin(at now: MediaTime, lasting duration: MediaDuration) {
            if working == nil, let job = waiting.take() { working = (job, now + duration) }
        }
    }

    /// Creates a sender that starts with the source's first frame.
    ///
    /// - Parameters:
    ///   - sender: encodes and packetizes.
    ///   - source: the frames to send.
    ///   - packets: receives the packets.
    ///   - encodeTime: the time that each layer takes per frame.
    public init(_ sender: PacketSender, source: any FrameSource, packets: Packets, encodeTime: MediaDuration) {
        self.sender = sender
        self.source = source
        self.packets = packets
        self.encodeTime = encodeTime
        self.layers = sender.pipeline.layers.map { _ in Layer() }
        fetch()
    }

    /// Frames replaced by a newer one, for each layer.
    public var framesDropped: [Int] { layers.map(\.waiting.dropped) }

    /// The duration of what the source has delivered.
    public var duration: MediaDuration { span.duration }

    /// When the next frame, encoded frame or report is due.
    public var wakeTime: MediaTime {
        let capture = upcoming.map { max($0.captureTime, .zero) } ?? .distantFuture
        let report = isDone ? .distantFuture : sender.nextReportTime(at: now)
        // Loops instead of `reduce`: unspecialized it allocates for each element, and this is called many times per
        // frame.
        var earliest = min(capture, report)
        for index in layers.indices {
            if let end = layers[index].working?.end { earliest = min(earliest, end) }
        }
        return earliest
    }

    /// Sends what is due.
    public func wake(at now: MediaTime) throws {
        self.now = now
        for index in layers.indices {
            guard let working = layers[index].working, working.end <= now else { continue }
            var job = working.job
            job.frame.timestamps[.scaled] = working.end - encodeTime
            try sender.pipeline.carryOut(job, layer: index) {
                now
            } duration: {
                encodeTime
            } send: {
                sender.send($0, $1, of: index, to: packets, at: now)
            }
            layers[index].working = nil
            layers[index].begin(at: now, lasting: encodeTime)
        }
        if let frame = upcoming, frame.captureTime <= now {
            upcoming = nil
            try capture(frame, at: now)
            fetch()
        }
        sender.sendReports(at: now, to: packets)
        isDone = upcoming == nil && layers.allSatisfy { $0.working == nil } && !sender.hasPacketsWaiting
    }

    private func capture(_ frame: VideoFrame, at now: MediaTime) throws {
        framesCaptured += 1
        span.add(frame.captureTime)
        try sender.pipeline.admit(frame) {
            now
        } put: { index, job in
            let dropped = layers[index].waiting.put(job) { $0.merging($1) }
            layers[index].begin(at: now, lasting: encodeTime)
            return dropped
        }
    }

    private func fetch() {
        do {
            switch try source.next() {
            case .frame(let frame): upcoming = frame
            case .end: upcoming = nil
            case .noBuffer:
                // The layers hold at most three frames each; the other holder will not release frames in virtual
                // time.
                sourceFailure = VirtualTimeError.sourceHasNoBuffer(framesCaptured: framesCaptured)
            case .pending:
                sourceFailure = VirtualTimeError.sourceIsLive
            }
        } catch {
            // Frames before the error are still sent.
            sourceFailure = error
        }
    }
}

/// Why a source cannot be driven in virtual time.
public enum VirtualTimeError: Error, Equatable, Sendable {
    /// Every buffer of the source is in use: in virtual time none would ever be released.
    case sourceHasNoBuffer(framesCaptured: Int)
    /// A camera has no frames in virtual time.
    case sourceIsLive
}

extension VirtualTimeError: CustomStringConvertible {
    /// What to do about it, for a log or a person.
    public var description: String {
        switch self {
        case .sourceHasNoBuffer(let count):
            "after \(count) frames all buffers of the source are in use: a sink keeps them; use a larger pool, or copies"
        case .sourceIsLive: "a camera only has frames in real time: drive it live"
        }
    }
}
