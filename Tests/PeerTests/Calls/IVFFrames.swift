import RillTestSupport

/// The frames of an IVF file.
enum IVFFrames {
    static func read(_ path: String) throws -> [[UInt8]] {
        let bytes = try RillTestSupport.read(path)
        var (frames, position): ([[UInt8]], Int) = ([], 32)
        while position + 12 <= bytes.count {
            let count = (0..<4).reduce(0) { $0 | Int(bytes[position + $1]) << (8 * $1) }
            guard position + 12 + count <= bytes.count else { break }
            frames.append(Array(bytes[(position + 12)..<(position + 12 + count)]))
            position += 12 + count
        }
        return frames
    }
}
