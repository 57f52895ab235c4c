import Glibc
import RillCore
import RillForward
import RillPeer
import RillPeerSupport
import RillRTP
import RillTestSupport
import Testing

/// What a connection costs of which nothing has come but an offer.
@Suite struct HalfOpenMemoryTests {
    /// Bytes that malloc has given out, of all arenas and maps: what it has of the system, less what is free.
    private static func allocated() -> Int {
        typealias MallocInfo = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        var (text, count): (UnsafeMutablePointer<CChar>?, Int) = (nil, 0)
        // Swift's Glibc does not import malloc.h.
        guard let symbol = unsafe dlsym(nil, "malloc_info"), let file = unsafe open_memstream(&text, &count) else {
            preconditionFailure("no malloc_info")
        }
        _ = unsafe unsafeBitCast(symbol, to: MallocInfo.self)(0, file)
        unsafe fclose(file)
        guard let text = unsafe text else { preconditionFailure("no text") }
        defer { unsafe free(text) }
        let lines = unsafe String(cString: text).split(separator: "\n")
        /// The size in the last line that begins so: the sum of all arenas.
        func size(_ prefix: String) -> Int {
            let line = lines.last { $0.hasPrefix(prefix) }
            guard let size = line?.split(separator: "size=\"").last?.split(separator: "\"").first.flatMap({ Int($0) })
            else {
                preconditionFailure("no \(prefix)")
            }
            return size
        }
        return size("<system type=\"current\"") + size("<total type=\"mmap\"") - size("<total type=\"fast\"")
            - size("<total type=\"rest\"")
    }

    /// The bytes of a viewer's session that has not shown up.
    private static func measure() throws -> Int {
        let room = try ForwardNetwork("delay=20ms")
        _ = try room.publish("lobby")
        let peer = PeerConnection(.controlling, certificate: ForwardNetwork.certificates.client)
        try peer.addLocalCandidate(UDPAddress(.v4(0x0A00_0001), port: 4000))
        try peer.change { _ = try $0.addTransceiver(TransceiverSettings(.video, .receiveOnly)) }
        let offer = try peer.offer(at: room.now).text
        // Tables grow before.
        for _ in 0..<50 { _ = try room.forwarder.watch("lobby", offer: offer, at: room.now) }
        room.run(.milliseconds(100))
        let before = allocated()
        for _ in 0..<100 { _ = try room.forwarder.watch("lobby", offer: offer, at: room.now) }
        room.run(.milliseconds(100))
        return (allocated() - before) / 100
    }

    /// Most of it are the two descriptions, parsed. A session alone takes 78 kB, and OpenSSL's connection about 10.
    @Test func `A connection of which only the offer has come has no session and no handshake`() async {
        // In a process of its own: other tests allocate meanwhile.
        await #expect(processExitsWith: .success) {
            let each = try HalfOpenMemoryTests.measure()
            precondition((1000...27_000).contains(each), "\(each) bytes each")
        }
    }
}
