public import RillCore

/// A batch of datagrams to send: the memory that packets are written into, and sent from in one call.
///
/// ```swift
/// var outgoing = OutgoingDatagrams(capacity: 64)
/// while let packet = pacer.pop() {
///     guard outgoing.append(to: peer, { $0.append(copying: packet) }) != .full else { break }
/// }
/// _ = transport.send(&outgoing)
/// ```
///
/// All memory is allocated at creation: `capacity` times the largest datagram. Each starts on its own cache line.
///
/// One owner, which may move it to another thread.
@safe
public struct OutgoingDatagrams: ~Copyable, @unchecked Sendable {
    // Manually Sendable: the memory belongs only to this value, which cannot be copied.
    let memory: DatagramMemory
    private(set) var entries: [Entry] = []
    /// The first datagram still to be sent; those before it were sent.
    private var start = 0

    /// The properties of a datagram, whose bytes are in the slot with its index.
    struct Entry {
        var byteCount: Int
        var destination: UDPAddress?
        var source: IPAddress?
        var trafficClass: TrafficClass?
    }

    /// The outcome of appending a datagram.
    public enum AppendOutcome: Hashable, Sendable {
        /// The datagram was appended.
        case appended
        /// `write` wrote nothing, so no datagram was appended.
        case empty
        /// The batch is full: `write` was not called.
        case full
    }

    /// Space for `capacity` datagrams of up to `datagramByteCount` bytes.
    public init(capacity: Int = 64, datagramByteCount: Int = 1536) {
        memory = DatagramMemory(capacity: capacity, datagramByteCount: datagramByteCount)
        entries.reserveCapacity(capacity)
    }

    /// The maximum number of datagrams.
    public var capacity: Int { memory.capacity }

    /// The maximum size of a datagram in bytes.
    public var datagramByteCount: Int { memory.datagramByteCount }

    /// The number of datagrams to send.
    public var count: Int { entries.count - start }

    /// Whether there are no datagrams to send.
    public var isEmpty: Bool { count == 0 }

    /// Whether the batch is full.
    public var isFull: Bool { entries.count == capacity }

    /// Appends the datagram that `write` writes.
    ///
    /// - Parameters:
    ///   - destination: where to send it; `nil` (the default) lets the transport choose.
    ///   - trafficClass: its traffic class; `nil` (the default) for the transport's.
    ///   - write: writes the datagram, up to ``datagramByteCount`` bytes. Not called if the batch is full.
    @discardableResult
    public mutating func append(
        to destination: UDPAddress? = nil, trafficClass: TrafficClass? = nil,
        _ write: (inout OutputSpan<UInt8>) -> Void
    ) -> AppendOutcome {
        append(to: destination, from: nil, trafficClass: trafficClass, write)
    }

    /// Appends a datagram that leaves from a local address; from the system's choice for `nil`.
    @discardableResult
    package mutating func append(
        to destination: UDPAddress?, from source: IPAddress?, trafficClass: TrafficClass? = nil,
        _ write: (inout OutputSpan<UInt8>) -> Void
    ) -> AppendOutcome {
        guard !isFull else { return .full }
        let byteCount = memory.write(entries.count, write)
        guard byteCount > 0 else { return .empty }
        memory.setByteCount(byteCount, of: entries.count)
        entries.append(
            Entry(byteCount: byteCount, destination: destination, source: source, trafficClass: trafficClass))
        return .appended
    }

    /// Sets the local addresses that the datagrams leave from, by their destinations.
    package mutating func setSources(_ source: (UDPAddress) -> IPAddress?) {
        for index in pending { entries[index].source = entries[index].destination.flatMap(source) }
    }

    /// Returns the bytes of the datagram at `index`, 0 to `count - 1`.
    @_lifetime(borrow self)
    public func bytes(at index: Int) -> Span<UInt8> { memory.bytes(start + index, entries[start + index].byteCount) }

    /// Returns the destination of the datagram at `index`.
    public func destination(at index: Int) -> UDPAddress? { entries[start + index].destination }

    /// Returns the traffic class of the datagram at `index`.
    public func trafficClass(at index: Int) -> TrafficClass? { entries[start + index].trafficClass }

    /// Removes the first `count` datagrams, which were sent or dropped.
    public mutating func removeFirst(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "\(count) datagrams of \(self.count)")
        start += count
        if isEmpty { removeAll() }
    }

    /// Removes all datagrams.
    public mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        start = 0
    }

    /// The slots and entries still to be sent.
    var pending: Range<Int> { start..<entries.count }
}
