import Foundation
import RillTestSupport

/// Packets in a file, each behind its length, as RFC 4571 frames them and GStreamer's `rtpstreampay` writes them.
enum PacketFile {
    static func write(_ packets: [[UInt8]], to path: String) throws {
        var bytes: [UInt8] = []
        for packet in packets { bytes += [UInt8(packet.count >> 8), UInt8(packet.count & 0xFF)] + packet }
        guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
            throw TestFailure("\(path) cannot be written")
        }
    }

    static func packets(in path: String) throws -> [[UInt8]] {
        let bytes = try read(path)
        var packets: [[UInt8]] = []
        var position = 0
        while position + 2 <= bytes.count {
            let count = Int(bytes[position]) << 8 | Int(bytes[position + 1])
            packets.append(Array(bytes[(position + 2)..<(position + 2 + count)]))
            position += 2 + count
        }
        return packets
    }
}
