import Foundation
import Glibc

/// The lines of standard input. A thread of its own reads them, because reading blocks.
enum InputLines {
    /// The longest line, in bytes: a body in which each byte is escaped.
    static let maximumLength = 2 << 20

    /// The lines without their ends. The sequence ends with the input, or with a line that is too long.
    static var standardInput: AsyncStream<[UInt8]> {
        let (lines, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        Thread.detachNewThread {
            read { continuation.yield($0) }
            continuation.finish()
        }
        return lines
    }

    private static func read(_ take: ([UInt8]) -> Void) {
        var line: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            for (index, part) in bytes[..<count].split(separator: 10, omittingEmptySubsequences: false).enumerated() {
                if index > 0 {
                    take(line)
                    line = []
                }
                line += part
            }
            guard line.count <= maximumLength else { return }
        }
    }
}
