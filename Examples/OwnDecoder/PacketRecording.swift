import Glibc
import RillCore

/// Reads the RTP packets of an rtpdump file, instead of a socket: RillReceive takes bytes and times.
struct PacketRecording {
    private let bytes: [UInt8]
    private var position: Int

    struct CannotRead: Error {
        var path: String
    }

    init(path: String) throws {
        guard let file = fopen(path, "rb") else { throw CannotRead(path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        // The file header is a line of text and sixteen bytes.
        guard let line = bytes.firstIndex(of: UInt8(ascii: "\n")) else { throw CannotRead(path: path) }
        self.bytes = bytes
        self.position = line + 17
    }

    /// The next packet and its arrival time, or `nil` at the end.
    mutating func next(into packet: inout [UInt8]) -> MediaTime? {
        while position + 8 <= bytes.count {
            let length = bigEndian(2, at: position)
            let isRTP = bigEndian(2, at: position + 2) > 0
            let milliseconds = bigEndian(4, at: position + 4)
            let end = position + length
            guard length >= 8, end <= bytes.count else { return nil }
            packet.removeAll(keepingCapacity: true)
            packet += bytes[position + 8..<end]
            position = end
            if isRTP { return .zero + .milliseconds(milliseconds) }
        }
        return nil
    }

    private func bigEndian(_ count: Int, at position: Int) -> Int {
        bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
    }
}
