import Glibc
import RillCore
import RillTestSupport
import Synchronization
import Testing

@testable import RillTransport

/// Where the system does not split messages, datagrams go one by one: to that destination, for a minute.
@Suite struct UnsegmentedDestinationTests {
    private static let minute: Int64 = 60_000_000_000
    private let addresses: [UDPAddress]
    private let sinks: [UDPSocket]

    init() throws {
        sinks = try (0..<3).map { _ in try UDPSocket(boundTo: UDPAddress(.loopback, port: 0)) }
        addresses = sinks.map(\.localAddress)
    }

    private func socket(
        connectedTo remote: UDPAddress? = nil, refusing refusal: (@Sendable (UDPAddress?, Int) -> Int32?)? = nil
    ) throws -> SocketDescriptor {
        try SocketDescriptor(
            boundTo: UDPAddress(.loopback, port: 0), connectedTo: remote, UDPSocket.Settings(), refusal: refusal)
    }

    /// Ten datagrams to each destination.
    private func batch(to destinations: [UDPAddress?]) -> OutgoingDatagrams {
        var batch = OutgoingDatagrams()
        for destination in destinations {
            for number in 0..<10 {
                batch.append(to: destination) { $0.append(repeating: UInt8(number), count: 500) }
            }
        }
        return batch
    }

    /// The system calls that it takes to send these: with the refusals of a test, one for each message.
    private func calls(
        of socket: SocketDescriptor, to destinations: [UDPAddress?], at time: Int64
    ) -> (count: Int, outcome: SendOutcome) {
        let before = socket.counters.statistics.sendCalls
        var batch = batch(to: destinations)
        let outcome = socket.send(&batch, at: time)
        return (socket.counters.statistics.sendCalls - before, outcome)
    }

    @Test(arguments: [EINVAL, EMSGSIZE, EIO])
    func `A destination that takes no message of several gets single ones for a minute, others do not`(
        code: Int32
    ) throws {
        let small = addresses[1]
        let socket = try socket { destination, count in destination == small && count > 1 ? code : nil }
        // One each to the others; a refused one and ten to this.
        #expect(calls(of: socket, to: addresses, at: 0) == (13, .sent))
        #expect(calls(of: socket, to: addresses, at: 1) == (12, .sent))
        #expect(calls(of: socket, to: addresses, at: Self.minute - 1) == (12, .sent))
        #expect(socket.counters.statistics.segmentsRefused == 1)
        // Then it is tried again.
        #expect(calls(of: socket, to: addresses, at: Self.minute) == (13, .sent))
        #expect(socket.counters.statistics.segmentsRefused == 2 && socket.counters.statistics.failed == 0)
        for sink in sinks {
            var incoming = IncomingDatagrams(capacity: 64)
            var numbers: [Int] = []
            while numbers.count < 40, case .received = try sink.receive(into: &incoming, within: .seconds(5)) {
                numbers += incoming.indices.map { Int(incoming.bytes(at: $0)[0]) }
            }
            #expect(numbers == Array(repeating: Array(0..<10), count: 4).flatMap(\.self))
        }
    }

    @Test func `A destination that takes them again gets them again`() throws {
        let flag = Flag()
        let socket = try socket { _, count in flag.isSet && count > 1 ? EINVAL : nil }
        flag.isSet = true
        #expect(calls(of: socket, to: [addresses[0]], at: 0) == (11, .sent))
        flag.isSet = false
        #expect(calls(of: socket, to: [addresses[0]], at: Self.minute - 1) == (10, .sent))
        #expect(calls(of: socket, to: [addresses[0]], at: Self.minute) == (1, .sent))
        #expect(calls(of: socket, to: [addresses[0]], at: 2 * Self.minute) == (1, .sent))
    }

    @Test(arguments: [ECONNREFUSED, EPERM, EACCES, ENETUNREACH, EHOSTUNREACH])
    func `A refused address is no reason for single datagrams`(code: Int32) throws {
        let bad = addresses[1]
        let socket = try socket { destination, _ in destination == bad ? code : nil }
        let outcome = calls(of: socket, to: addresses, at: 0).outcome
        #expect(outcome == .refused(count: 10, .socketFailed(.send, bad, code: code)))
        #expect(socket.counters.statistics.sent == 20 && socket.counters.statistics.failed == 10)
        #expect(socket.counters.statistics.segmentsRefused == 0)
        #expect(calls(of: socket, to: [addresses[0], addresses[2]], at: 1) == (2, .sent))
    }

    @Test func `A message that is refused for another reason goes as single ones, and the next one does not`() throws {
        let flag = Flag()
        flag.isSet = true
        let socket = try socket { _, count in flag.isSet && count > 1 ? EPERM : nil }
        #expect(calls(of: socket, to: [addresses[0]], at: 0) == (11, .sent))
        flag.isSet = false
        #expect(calls(of: socket, to: [addresses[0]], at: 1) == (1, .sent))
    }

    @Test func `An address that the system refuses leaves the others as they are`() throws {
        // Port 0 is none: EINVAL for each datagram.
        let socket = try socket()
        let nobody = UDPAddress(.loopback, port: 0)
        var batch = batch(to: [addresses[0], nobody, addresses[1]])
        #expect(socket.send(&batch, at: 0) == .refused(count: 10, .socketFailed(.send, nobody, code: EINVAL)))
        #expect(socket.counters.statistics.segmentsRefused == 0 && socket.counters.statistics.sent == 20)
        #expect(calls(of: socket, to: addresses, at: 1) == (1, .sent))
    }

    @Test func `A connected socket has one destination`() throws {
        let socket = try socket(connectedTo: addresses[0]) { _, count in count > 1 ? EMSGSIZE : nil }
        #expect(calls(of: socket, to: [nil], at: 0) == (11, .sent))
        #expect(calls(of: socket, to: [nil], at: 1) == (10, .sent))
        #expect(calls(of: socket, to: [nil], at: Self.minute) == (11, .sent))
    }

    @Test func `The table has a limit, and the destination whose minute ends first makes room`() {
        var table = UnsegmentedDestinations()
        let addresses = (0..<300).map { UDPAddress(.loopback, port: UInt16(1000 + $0)) }
        for (index, address) in addresses.enumerated() { table.add(address, at: Int64(index)) }
        #expect(table.count == UnsegmentedDestinations.limit)
        let allowed = addresses.indices.filter { table.allows(addresses[$0], at: 300) }
        #expect(allowed == Array(0..<300 - UnsegmentedDestinations.limit))
        let later = addresses.indices.filter { table.allows(addresses[$0], at: Self.minute + 299) }
        #expect(later.count == 300 && table.count == 0)
    }
}

/// The condition of a refusal.
private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool {
        get { value.load(ordering: .relaxed) }
        set { value.store(newValue, ordering: .relaxed) }
    }
}
