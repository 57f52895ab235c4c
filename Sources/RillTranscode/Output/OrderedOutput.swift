import RillCore

/// A sink that the parts of a clip write to in their order, though they are made at once.
///
/// The part whose turn it is writes straight to the sink, and nobody else touches that meanwhile. What the others make waits
/// in their spools.
final class OrderedOutput: Sendable {
    private struct State: ~Copyable {
        var turn = 0
        /// Parts that are done and whose turn has not come; `nil` for one that made nothing.
        var done: [Int: Spool?] = [:]
        /// The last part that is written.
        var last = Int.max
        /// Somebody writes what parts that are done have kept back.
        var isDraining = false

        /// What the part that has the turn has kept back, if it is done.
        mutating func nextSpool() -> Spool?? {
            guard turn <= last else { return nil }
            return done.removeValue(forKey: turn)
        }
    }

    let spoolFolder: String
    // Touched by the part alone that has the turn, which the lock hands from one to the next.
    nonisolated(unsafe) private let writer: OrderedWriter
    private let state = Monitor(State())

    init(_ output: TranscodeOutput, spoolFolder: String) {
        self.spoolFolder = spoolFolder
        unsafe writer = OrderedWriter(output)
    }

    /// What was written to the sink, once all parts are done.
    var written: TranscodeReport.Output { unsafe writer.written }

    /// Nothing is written of the parts behind that one.
    func end(withPart part: Int) { state.withLock { $0.last = min($0.last, part) } }

    /// The sink's writer, if it is that part's turn.
    func writer(for part: Int) -> OrderedWriter? {
        state.withLock { state in
            guard state.turn == part, part <= state.last else { return nil }
            return unsafe writer
        }
    }

    /// The part is done; `spool` is what it has not written itself. The turn goes on to the next that is not done. Where
    /// somebody else is writing at the moment, the rest is left to that.
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

    /// What is to be written next; `nil` where that is not there yet, and whoever brings it writes it.
    private func nextSpool() -> Spool?? {
        state.withLock { state in
            let spool = state.nextSpool()
            state.isDraining = spool != nil
            return spool
        }
    }

    /// Finishes the sink, when all parts are done.
    func finish() throws { unsafe try writer.finish() }
}

/// The sink of one output, and what was written to it. Single owner: whoever has the turn.
final class OrderedWriter {
    private let output: TranscodeOutput
    private(set) var written = TranscodeReport.Output()
    /// Frames of the parts before, which count theirs from 0.
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
        case .encoded: preconditionFailure("coded frames are no pictures")
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

/// Where one part of a clip writes: straight to the sink when it has the turn, else to a spool. Single owner.
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

    /// The sink, if this part may write to it; what it had to keep back is written first.
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
