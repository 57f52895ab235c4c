/// The RTCP datagram that is being written, in reused memory.
struct CompoundBuffer {
    private(set) var bytes: [UInt8] = []
    let limit: Int

    init(limit: Int) {
        self.limit = limit
        bytes.reserveCapacity(limit)
    }

    var isEmpty: Bool { bytes.isEmpty }
    /// The number of bytes that still fit.
    var room: Int { limit - bytes.count }

    mutating func append(byteCount: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        bytes.append(addingCapacity: byteCount, initializingWith: write)
    }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
