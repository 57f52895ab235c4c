import RillBytes
public import RillCore

/// Datagrams that have come: the memory that a transport receives into, many at one call, and what is known of each.
///
///     var incoming = IncomingDatagrams()
///     guard case .received = try transport.receive(into: &incoming, within: .seconds(1)) else { return }
///     for index in incoming.indices {
///         let outcome = incoming.withBytes(at: index) { unprotector.unprotect(&$0) }   // opened where it stands
///         guard case .unprotected(.rtp, let byteCount) = outcome else { continue }
///         session.insert(incoming.bytes(at: index).extracting(0..<byteCount))
///     }
///
/// The memory is all there from the start, and each datagram begins at a cache line of its own. One that is longer than the
/// room for it is dropped, and counted by the transport: no packet of media is longer than 1500 bytes.
///
/// One owner, which may move to another thread.
@safe
public struct IncomingDatagrams: ~Copyable, @unchecked Sendable {
    // Sendable by hand: the memory belongs to this value alone, which cannot be copied.
    let memory: DatagramMemory
    /// Whether datagrams without a byte count: no packet of media is one, but UDP carries them.
    let holdsEmpty: Bool
    private var entries: [Entry] = []

    /// What is known of a datagram.
    private struct Entry {
        /// Where its bytes stand: one that was dropped has left its slot empty.
        var slot: Int
        var byteCount: Int
        var source: UDPAddress
        var trafficClass: TrafficClass
    }

    /// Room for `capacity` datagrams a call, each of up to `datagramByteCount` bytes.
    public init(capacity: Int = 32, datagramByteCount: Int = 2048) {
        self.init(capacity: capacity, datagramByteCount: datagramByteCount, holdsEmpty: false)
    }

    /// The same; with `holdsEmpty` datagrams without a byte are not left out.
    package init(capacity: Int, datagramByteCount: Int, holdsEmpty: Bool) {
        self.holdsEmpty = holdsEmpty
        memory = DatagramMemory(capacity: capacity, datagramByteCount: datagramByteCount)
        entries.reserveCapacity(capacity)
    }

    /// How many a call can give.
    public var capacity: Int { memory.capacity }

    /// How long each can be, in bytes.
    public var datagramByteCount: Int { memory.datagramByteCount }

    /// How many have come with the last call.
    public var count: Int { entries.count }

    /// 0 to `count`.
    public var indices: Range<Int> { entries.indices }

    /// The bytes of the datagram at `index`.
    @_lifetime(borrow self)
    public func bytes(at index: Int) -> Span<UInt8> { memory.bytes(entries[index].slot, entries[index].byteCount) }

    /// Calls `body` with the bytes of the datagram at `index`, which it may change.
    public mutating func withBytes<Value: ~Copyable>(
        at index: Int, _ body: (inout MutableSpan<UInt8>) -> Value
    ) -> Value {
        memory.withBytes(entries[index].slot, entries[index].byteCount, body)
    }

    /// Who has sent the datagram at `index`, as its header says: that can be forged.
    public func source(at index: Int) -> UDPAddress { entries[index].source }

    /// How the datagram at `index` was marked when it came.
    public func trafficClass(at index: Int) -> TrafficClass { entries[index].trafficClass }

    /// What routers have said of their queues, on the way of the datagram at `index`.
    public func ecn(at index: Int) -> CongestionNotification { entries[index].trafficClass.ecn }

    // MARK: For transports

    /// Takes all of them out.
    public mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    /// Appends a copy of a datagram: for transports that have it in memory of their own. `false` where there is no room for
    /// one more, or for one so long.
    public mutating func append(
        copying bytes: Span<UInt8>, from source: UDPAddress, trafficClass: TrafficClass = TrafficClass()
    ) -> Bool {
        guard count < capacity, bytes.count <= datagramByteCount else { return false }
        let slot = count
        _ = memory.write(slot) { $0.append(copying: bytes) }
        entries.append(Entry(slot: slot, byteCount: bytes.count, source: source, trafficClass: trafficClass))
        return true
    }

    /// Takes in what the system has put into a slot.
    mutating func append(slot: Int, byteCount: Int, from source: UDPAddress, _ trafficClass: TrafficClass) {
        entries.append(Entry(slot: slot, byteCount: byteCount, source: source, trafficClass: trafficClass))
    }
}
