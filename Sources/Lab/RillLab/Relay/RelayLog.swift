import RillCore
package import RillFiles
import RillThreads

/// Writes one CSV line for each datagram that arrived at a relay, on a thread of its own (`rill-relay-log`).
///
/// The caller never waits: if the disk cannot keep up, records are dropped and counted. Bound: 65 536 records in
/// memory, about 10 MB.
package final class RelayLog: Sendable {
    private struct State {
        var records: [RelayRecord] = []
        var dropped = 0
        var isClosed = false
        var failure: FileError?
        var isDone = false
    }

    private let state = Monitor(State())
    private static let capacity = 65_536

    /// Creates a log in a file, which it empties, and starts its thread.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - name: the file's name in errors.
    /// - Throws: `openFailed`, or ``/RillThreads/ThreadError``.
    package init(path: String, name: String) throws {
        var output = try ByteOutput(path: path, name: name)
        try output.write(Array((RelayRecord.columns + "\n").utf8).span)
        // Handed over to the thread, which alone uses it from then on.
        nonisolated(unsafe) let file = File(output)
        let state = state
        _ = try NamedThread("rill-relay-log") { unsafe RelayLog.write(to: file, state) }
    }

    /// Takes as many records as there is room for, and empties `records`. Does not wait for the disk.
    func append(_ records: inout [RelayRecord]) {
        guard !records.isEmpty else { return }
        state.changeWaking { state in
            let room = max(0, RelayLog.capacity - state.records.count)
            state.records.append(contentsOf: records.prefix(room))
            state.dropped += max(0, records.count - room)
            // A wake-up for each datagram would cost more than its line.
            return state.records.count > RelayLog.capacity / 4
        }
        records.removeAll(keepingCapacity: true)
    }

    /// Records that were dropped because the disk was too slow.
    package var dropped: Int { state.withLock { $0.dropped } }

    /// Writes what is left and closes the file.
    ///
    /// - Throws: the first write error, now or earlier.
    package func finish() throws(FileError) {
        state.change { $0.isClosed = true }
        if let failure = state.wait(for: { $0.isDone ? .some($0.failure) : nil }) { throw failure }
    }

    deinit { state.change { $0.isClosed = true } }

    /// Parses the records of an existing log; `nil` if the text is not one.
    package static func records(in text: String) -> [RelayRecord]? {
        let lines = text.split(separator: "\n")
        guard lines.first.map(String.init) == RelayRecord.columns else { return nil }
        let records = lines.dropFirst().map { RelayRecord(line: $0) }
        return records.contains(nil) ? nil : records.compactMap(\.self)
    }

    // MARK: Thread

    /// The file. One owner.
    private final class File {
        private var output: ByteOutput

        init(_ output: consuming ByteOutput) { self.output = output }

        func write(_ bytes: [UInt8]) throws(FileError) { try output.write(bytes.span) }

        func finish() throws(FileError) { try output.finish() }
    }

    /// The interval of writing, in nanoseconds.
    private static let interval: Int64 = 100_000_000

    private static func write(to file: File, _ state: Monitor<State>) {
        let clock = LiveClock()
        var isClosed = false
        var failure: FileError?
        while !isClosed {
            let deadline = clock.monotonic(clock.now) + interval
            _ = state.wait(untilMonotonic: deadline) { $0.isClosed || $0.records.count > capacity / 4 ? () : nil }
            let records = state.withLock { state in
                isClosed = state.isClosed
                let records = state.records
                state.records = []
                return records
            }
            guard failure == nil else { continue }
            do throws(FileError) {
                var bytes: [UInt8] = []
                for record in records {
                    bytes.append(contentsOf: record.line.utf8)
                    bytes.append(UInt8(ascii: "\n"))
                }
                if !bytes.isEmpty { try file.write(bytes) }
                if isClosed { try file.finish() }
            } catch {
                failure = error
            }
        }
        state.change { state in
            state.failure = failure
            state.isDone = true
        }
    }
}
