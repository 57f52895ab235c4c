/// The datagram of RTCP that is being written, in memory that stays.
struct CompoundBuffer {
    private(set) var bytes: [UInt8] = []
    let limit: Int

    init(limit: Int) {
        self.limit = limit
        bytes.reserveCapacity(limit)
    }

    var isEmpty: Bool { bytes.isEmpty }
    /// Bytes that still fit.
    var room: Int { limit - bytes.count }

    mutating func append(byteCount: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        bytes.append(addingCapacity: byteCount, initializingWith: write)
    }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}
