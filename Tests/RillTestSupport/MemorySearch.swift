import Foundation
import Glibc

/// Searches the memory of another process for pieces of bytes (proc(5), mem).
package struct MemorySearch {
    /// Which pieces were found, by their place in the list.
    package private(set) var found: Set<Int> = []
    /// How many bytes were searched.
    package private(set) var byteCount = 0
    private let pieces: [[UInt8]]
    /// The pieces that begin with these eight bytes.
    private var starts: [UInt64: [Int]] = [:]
    /// A bit for each value that the eight bytes of a start can have after ``slot(of:)``.
    private var filter = [Bool](repeating: false, count: 1 << 20)

    /// Whether this user may read the memory of a process that it started.
    package static var isAllowed: Bool {
        // What fails here is what is asked: the test is skipped then, by name.
        guard let program = try? Program(named: "sleep")?.start(["5"]) else { return false }
        return (try? program.search(for: [])) != nil
    }

    /// - Parameter pieces: each of eight bytes at least.
    fileprivate init(_ pieces: [[UInt8]]) {
        self.pieces = pieces
        for (place, piece) in pieces.enumerated() {
            precondition(piece.count >= 8, "a piece of \(piece.count) bytes")
            let start = piece[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            starts[start, default: []].append(place)
            filter[Self.slot(of: start)] = true
        }
    }

    private static func slot(of start: UInt64) -> Int {
        Int(truncatingIfNeeded: (start &* 0x9E37_79B9_7F4A_7C15) >> 44)
    }

    /// Searches everything that the process can write to.
    fileprivate mutating func search(_ process: pid_t) throws {
        let maps = String(decoding: try read("/proc/\(process)/maps"), as: UTF8.self)
        let memory = unsafe open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw TestFailure("the memory of \(process) cannot be read: \(errno)") }
        defer { close(memory) }
        let overlap = (pieces.map(\.count).max() ?? 1) - 1
        var chunk = [UInt8](repeating: 0, count: 4 << 20)
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
            var place = ends[0]
            while place < ends[1] {
                let size = min(chunk.count, ends[1] - place)
                // `chunk` has that many bytes.
                let count = unsafe pread(memory, &chunk, size, off_t(place))
                // Some of what is mapped is of devices.
                guard count > 0 else { break }
                look(in: chunk, count: count)
                byteCount += count
                guard count > overlap, place + count < ends[1] else { break }
                place += count - overlap
            }
        }
    }

    private mutating func look(in bytes: [UInt8], count: Int) {
        // No piece is shorter.
        guard count >= 8 else { return }
        var start: UInt64 = 0
        for place in 0..<count {
            start = start >> 8 | UInt64(bytes[place]) << 56
            guard place >= 7, filter[Self.slot(of: start)], let candidates = starts[start] else { continue }
            let first = place - 7
            for candidate in candidates where first + pieces[candidate].count <= count {
                if bytes[first..<first + pieces[candidate].count].elementsEqual(pieces[candidate]) {
                    found.insert(candidate)
                }
            }
        }
    }
}

extension RunningProgram {
    /// Searches its memory, while it stands still.
    ///
    /// - Parameter pieces: what to search for, each of eight bytes at least.
    package func search(for pieces: [[UInt8]]) throws -> MemorySearch {
        var search = MemorySearch(pieces)
        try send(SIGSTOP)
        // One that has ended meanwhile needs none.
        defer { try? send(SIGCONT) }
        for process in try processes() { try search.search(process) }
        return search
    }
}
