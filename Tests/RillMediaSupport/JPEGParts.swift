/// The parts of a JPEG, to write it as a camera might.
package struct JPEGParts {
    /// The marker before everything.
    package var start: [UInt8] = [0xFF, 0xD8]
    /// The segments of the header, each from its marker on; the last one starts the scan.
    package var segments: [[UInt8]] = []
    /// The coded data of each interval.
    package var intervals: [[UInt8]] = [[]]
    /// What is between two intervals: a restart marker.
    package var restarts: [[UInt8]] = []
    /// What follows the last interval: the end marker.
    package var end: [UInt8] = [0xFF, 0xD9]

    /// Takes a JPEG of ``TestJPEG`` apart.
    package init(_ bytes: [UInt8]) {
        var at = 2
        while segments.last?[1] != 0xDA {
            let length = 2 + Int(bytes[at + 2]) << 8 + Int(bytes[at + 3])
            segments.append(Array(bytes[at..<at + length]))
            at += length
        }
        while at < bytes.count - 2 {
            if bytes[at] == 0xFF, bytes[at + 1] != 0 {
                restarts.append([0xFF, bytes[at + 1]])
                intervals.append([])
                at += 2
            } else {
                intervals[intervals.count - 1].append(bytes[at])
                at += 1
            }
        }
    }

    package var bytes: [UInt8] {
        var bytes = start + segments.joined()
        for (index, interval) in intervals.enumerated() {
            if index > 0, index <= restarts.count { bytes += restarts[index - 1] }
            bytes += interval
        }
        return bytes + end
    }

    /// Removes the segments of a kind.
    package mutating func remove(_ marker: UInt8) { segments.removeAll { $0[1] == marker } }
}
