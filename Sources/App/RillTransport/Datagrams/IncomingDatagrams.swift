public import RillCore

/// A batch of received datagrams: the memory that a transport receives into, and the properties of each datagram.
///
/// ```swift
/// var incoming = IncomingDatagrams()
/// guard case .received = try transport.receive(into: &incoming, within: .seconds(1)) else { return }
/// for index in incoming.indices {
///     let outcome = incoming.withBytes(at: index) { unprotector.unprotect(&$0) }   // in place
///     guard case .unprotected(.rtp, let byteCount) = outcome else { continue }
///     session.insert(incoming.bytes(at: index).extracting(0..<byteCount))
/// }
/// ```
///
/// All memory is allocated at creation, and each datagram starts on its own cache line. The transport drops and
/// counts a datagram that is longer than the space for one: media packets do not exceed 1500 bytes.
///
/// One owner, which may move it to another thread.
@safe
public struct IncomingDatagrams: ~Copyable, @unchecked Sendable {
    // Manually Sendable: the memory belongs only to this value, which cannot be copied.
    let memory: DatagramMemory
    /// Whether empty datagrams are included: they are never media packets, but UDP allows them.
    let holdsEmpty: Bool
    private var entries: [Entry] = []

    /// The properties of a datagram.
    private struct Entry {
        /// The slot with its bytes. A dropped datagram leaves its slot unused.
        var slot: Int
        var byteCount: Int
        var source: UDPAddress
        var local: IPAddress?
        var trafficClass: TrafficClass
        var arrival: MediaTime?
    }

    /// Space for `capacity` datagrams per call, each of up to `datagramByteCount` bytes.
    public init(capacity: Int = 32, datagramByteCount: Int = 2048) {
        self.init(capacity: capacity, datagramByteCount: datagramByteCount, holdsEmpty: false)
    }

    /// Space for `capacity` datagrams per call. With `holdsEmpty`, empty datagrams are included.
    package init(capacity: Int, datagramByteCount: Int, holdsEmpty: Bool) {
        self.holdsEmpty = holdsEmpty
        memory = DatagramMemory(capacity: capacity, datagramByteCount: datagramByteCount)
        entries.reserveCapacity(capacity)
    }

    /// The maximum number of datagrams per call.
    public var capacity: Int { memory.capacity }

    /// The maximum size of a datagram in bytes.
    public var datagramByteCount: Int { memory.datagramByteCount }

    /// The number of datagrams received by the last call.
    public var count: Int { entries.count }

    /// 0 to `count`.
    public var indices: Range<Int> { entries.indices }

    /// The bytes of the datagram at `index`.
    @_lifetime(borrow self)
    public func bytes(at index: Int) -> Span<UInt8> { memory.bytes(entries[index].slot, entries[index].byteCount) }

    /// Calls `body` with the bytes of the datagram at `index`, which `body` may modify.
    public mutating func withBytes<Value: ~Copyable>(
        at index: Int, _ body: (inout MutableSpan<UInt8>) -> Value
    ) -> Value {
        memory.withBytes(entries[index].slot, entries[index].byteCount, body)
    }

    /// Returns the source address of the datagram at `index`, according to its header, which can be forged.
    public func source(at index: Int) -> UDPAddress { entries[index].source }

    /// Returns the local address that the datagram at `index` came to; `nil` unless the socket reports it.
    package func localAddress(at index: Int) -> IPAddress? { entries[index].local }

    /// Returns the traffic class of the datagram at `index` on arrival.
    public func trafficClass(at index: Int) -> TrafficClass { entries[index].trafficClass }

    /// Returns the congestion notification by routers on the path of the datagram at `index`.
    public func ecn(at index: Int) -> CongestionNotification { entries[index].trafficClass.ecn }

    /// Returns when the datagram at `index` reached this machine, by `CLOCK_MONOTONIC`; `nil` if the transport does not
    /// know it. It is not before that of an earlier datagram of the transport, and not in the future.
    package func arrivalTime(at index: Int) -> MediaTime? { entries[index].arrival }

    // MARK: For transports

    /// Removes all datagrams.
    public mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

    /// Removes the datagrams for which `isUnwanted` returns `true`; for transports that deal with some of them.
    package mutating func removeAll(
        where isUnwanted: (inout MutableSpan<UInt8>, _ source: UDPAddress, _ local: IPAddress?) -> Bool
    ) {
        var kept = 0
        for index in entries.indices {
            let (source, local) = (entries[index].source, entries[index].local)
            guard !withBytes(at: index, { isUnwanted(&$0, source, local) }) else { continue }
            entries[kept] = entries[index]
            kept += 1
        }
        entries.removeLast(entries.count - kept)
    }

    /// Appends a copy of a datagram; for transports that hold it in other memory.
    ///
    /// Returns `false` if the batch is full, or if the datagram is longer than ``datagramByteCount``.
    public mutating func append(
        copying bytes: Span<UInt8>, from source: UDPAddress, trafficClass: TrafficClass = TrafficClass()
    ) -> Bool {
        guard count < capacity, bytes.count <= datagramByteCount else { return false }
        let slot = count
        _ = memory.write(slot) { $0.append(copying: bytes) }
        append(slot: slot, byteCount: bytes.count, from: source, at: nil, trafficClass, arrival: nil)
        return true
    }

    /// Appends a datagram that the system has written into a slot.
    mutating func append(
        slot: Int, byteCount: Int, from source: UDPAddress, at local: IPAddress?, _ trafficClass: TrafficClass,
        arrival: MediaTime?
    ) {
        entries.append(
            Entry(
                slot: slot, byteCount: byteCount, source: source, local: local, trafficClass: trafficClass,
                arrival: arrival))
    }
}
