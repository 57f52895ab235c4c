import RillBytes
public import RillCore

/// Datagrams on their way out: the memory that packets are written into, and sent from at one call.
///
///     var outgoing = OutgoingDatagrams(capacity: 64)
///     while let packet = pacer.pop() {
///         guard outgoing.append(to: peer, { $0.append(copying: packet) }) != .full else { break }
///     }
///     _ = transport.send(&outgoing)
///
/// The memory is all there from the start: `capacity` times the largest datagram. Each begins at a cache line of its own.
///
/// One owner, which may move to another thread.
@safe
public struct OutgoingDatagrams: ~Copyable, @unchecked Sendable {
    // Sendable by hand: the memory belongs to this value alone, which cannot be copied.
    let memory: DatagramMemory
    private(set) var entries: [Entry] = []
    /// The first datagram that is still to be sent; those before it are gone.
    private var start = 0

    /// What is known of a datagram; its bytes stand in the slot of its place.
    struct Entry {
        var byteCount: Int
        var destination: UDPAddress?
        var trafficClass: TrafficClass?
    }

    /// What came of a datagram that was to be appended.
    public enum AppendOutcome: Hashable, Sendable {
        /// It is there.
        case appended
        /// Nothing was written, so there is none.
        case empty
        /// There is no room for one more: `write` was not called.
        case full
    }

    /// Room for `capacity` datagrams of up to `datagramByteCount` bytes.
    public init(capacity: Int = 64, datagramByteCount: Int = 1536) {
        memory = DatagramMemory(capacity: capacity, datagramByteCount: datagramByteCount)
        entries.reserveCapacity(capacity)
    }

    /// How many there can be.
    public var capacity: Int { memory.capacity }

    /// How long each can be, in bytes.
    public var datagramByteCount: Int { memory.datagramByteCount }

    /// How many wait to be sent.
    public var count: Int { entries.count - start }

    /// Whether none waits.
    public var isEmpty: Bool { count == 0 }

    /// Whether there is no room for one more.
    public var isFull: Bool { entries.count == capacity }

    /// Appends the datagram that `write` makes, which has room for ``datagramByteCount`` bytes.
    ///
    /// - Parameters:
    ///   - destination: where it goes to; `nil` leaves that to the transport.
    ///   - trafficClass: how it is marked; `nil` for what the transport was set to.
    @discardableResult
    public mutating func append(
        to destination: UDPAddress? = nil, trafficClass: TrafficClass? = nil,
        _ write: (inout OutputSpan<UInt8>) -> Void
    ) -> AppendOutcome {
        guard !isFull else { return .full }
        let byteCount = memory.write(entries.count, write)
        guard byteCount > 0 else { return .empty }
        memory.setByteCount(byteCount, of: entries.count)
        entries.append(Entry(byteCount: byteCount, destination: destination, trafficClass: trafficClass))
        return .appended
    }

    /// The bytes of the datagram at `index`, 0 to `count`.
    @_lifetime(borrow self)
    public func bytes(at index: Int) -> Span<UInt8> { memory.bytes(start + index, entries[start + index].byteCount) }

    /// Where the datagram at `index` goes to.
    public func destination(at index: Int) -> UDPAddress? { entries[start + index].destination }

    /// How the datagram at `index` is to be marked.
    public func trafficClass(at index: Int) -> TrafficClass? { entries[start + index].trafficClass }

    /// Takes the first `count` out: they are gone, or dropped.
    public mutating func removeFirst(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "\(count) datagrams of \(self.count)")
        start += count
        if isEmpty { removeAll() }
    }

    /// Takes all of them out.
    public mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        start = 0
    }

    /// The slots and entries that are still to be sent.
    var pending: Range<Int> { start..<entries.count }
}
