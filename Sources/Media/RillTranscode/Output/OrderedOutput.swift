public import RillCodec
public import RillCore

/// An output of a transcode.
public enum TranscodeOutput {
    /// The layer's coded frames.
    case encoded(LayerSettings, any EncodedFrameSink)
    /// The layer's pictures: cropped, scaled and decimated, but not coded.
    case pictures(LayerSettings, any FrameSink)
    /// The source's pictures in their own sizes, decimated to the layer's rate.
    case wholePictures(LayerSettings, any FrameSink)

    /// The settings of the pictures.
    public var layer: LayerSettings {
        switch self {
        case .encoded(let layer, _), .pictures(let layer, _), .wholePictures(let layer, _): layer
        }
    }
}

/// A sink to which the parts of a clip write in order, although they are produced in parallel.
///
/// The current part writes straight to the sink, which no other part uses meanwhile. The output of the other parts
/// waits in their spools.
final class OrderedOutput: Sendable {
    private struct State: ~Copyable {
        var turn = 0
        /// Parts that are done before it is their turn; `nil` if a part has no spooled output.
        var done: [Int: Spool?] = [:]
        /// The last part to write.
        var last = Int.max
        /// Whether a thread is writing the spools of finished parts.
        var isDraining = false

        /// Returns the spool of the current part, if that part is done.
        mutating func nextSpool() -> Spool?? {
            guard turn <= last else { return nil }
            return done.removeValue(forKey: turn)
        }
    }

    let spoolFolder: String
    // Used only by the current part; the lock passes it from one part to the next.
    nonisolated(unsafe) private let writer: OrderedWriter
    private let state = Monitor(State())

    init(_ output: TranscodeOutput, spoolFolder: String) {
        self.spoolFolder = spoolFolder
        unsafe writer = OrderedWriter(output)
    }

    /// The output so far. Valid after all segments are done.
    var written: TranscodeReport.Output { unsafe writer.written }

    /// Drops the output of the parts after this one.
    func end(withPart part: Int) { state.withLock { $0.last = min($0.last, part) } }

    /// Returns the sink's writer if it is that part's turn.
    func writer(for part: Int) -> OrderedWriter? {
        state.withLock { state in
            guard state.turn == part, part <= state.last else { return nil }
            return unsafe writer
        }
    }

    /// Ends a part; `spool` holds what it has not written itself. The turn passes to the next part that is not done.
    /// If another thread is writing spools, that thread also writes this one.
    func end(_ part: Int, _ spool: Spool?) throws {
        let isFirst = state.withLock { state in
            state.done[part] = .some(spool)
            defer { state.isDraining = true }
            return !state.isDraining
        }
        guard isFirst else { return }
        while let spool = nextSpool() {
            do { unsafe try spool?.drain(into: writer) } catch {
                state.withLock { $0.isDraining = false }
                throw error
            }
            unsafe writer.beginPart()
            state.withLock { $0.turn += 1 }
        }
    }

    /// Returns the next spool to write; `nil` if it is not available yet. The thread that delivers it then writes it.
    private func nextSpool() -> Spool?? {
        state.withLock { state in
            let spool = state.nextSpool()
            state.isDraining = spool != nil
            return spool
        }
    }

    /// Finishes the sink after all parts are done.
    func finish() throws { unsafe try writer.finish() }
}

/// The sink of one output, with counts of what was written to it. Single owner: the current part.
final class OrderedWriter {
    private let output: TranscodeOutput
    private(set) var written = TranscodeReport.Output()
    /// The number of frames in earlier parts. Each part counts its own from 0.
    private var numbersBefore: Int64 = 0
    private var numbersInPart: Int64 = 0

    init(_ output: TranscodeOutput) { self.output = output }

    func beginPart() {
        numbersBefore += numbersInPart
        numbersInPart = 0
    }

    func write(_ frame: EncodedFrame, _ payload: Span<UInt8>) throws {
        guard case .encoded(_, let sink) = output else { preconditionFailure("pictures are not coded") }
        var frame = frame
        numbersInPart = max(numbersInPart, frame.number + 1)
        if numbersBefore > 0 {
            frame.number += numbersBefore
            var references = FrameReferences()
            for index in 0..<frame.references.count { references.append(frame.references[index] + numbersBefore) }
            frame.references = references
        }
        try sink.consume(frame, payload: payload)
        written.count(frame)
    }

    func write(_ frame: VideoFrame) throws {
        switch output {
        case .encoded: preconditionFailure("an output of coded frames takes no pictures")
        case .pictures(_, let sink), .wholePictures(_, let sink): try sink.consume(frame)
        }
        written.framesWritten += 1
    }

    func finish() throws {
        switch output {
        case .encoded(_, let sink): try sink.finish()
        case .pictures(_, let sink), .wholePictures(_, let sink): try sink.finish()
        }
    }
}

/// The output of one part of a clip: straight to the sink when it is its turn, otherwise to a spool. Single owner.
final class PartSink {
    private let output: OrderedOutput
    private let part: Int
    private var writer: OrderedWriter?
    private var spool: Spool?

    init(_ output: OrderedOutput, part: Int) {
        self.output = output
        self.part = part
    }

    func consume(_ frame: EncodedFrame, payload: Span<UInt8>) throws {
        if let writer = try takeTurn() { return try writer.write(frame, payload) }
        try openSpool().append(frame, payload)
    }

    func consume(_ frame: VideoFrame) throws {
        if let writer = try takeTurn() { return try writer.write(frame) }
        try openSpool().append(frame)
    }

    func finish() throws { try output.end(part, spool) }

    /// Returns the sink if this part may write to it. What it had spooled is written first.
    private func takeTurn() throws -> OrderedWriter? {
        if let writer { return writer }
        guard let writer = output.writer(for: part) else { return nil }
        try spool?.drain(into: writer)
        spool = nil
        self.writer = writer
        return writer
    }

    private func openSpool() throws -> Spool {
        if let spool { return spool }
        let spool = try Spool(in: output.spoolFolder)
        self.spool = spool
        return spool
    }
}
