import RillCore
import RillFuzzTargets
import RillLink
import RillRTP
import RillReceive
import RillSend
import RillSession

/// Two ends and the network between them, in virtual time.
final class Call {
    let alice: Endpoint
    let bob: Endpoint
    private let there: EmulatedLink
    private let back: EmulatedLink
    private(set) var now = MediaTime.zero
    private var datagram: [UInt8] = []
    /// Whether datagrams get onto the network.
    var isCut = false
    /// Sees each datagram that arrives, and may change what arrives in its place.
    var filter: ((_ datagram: [UInt8], _ isForBob: Bool) -> [[UInt8]])?

    /// What the network did with each datagram to Bob.
    var observer: ((_ datagram: Span<UInt8>, _ time: MediaTime, SendOutcome, BottleneckPassage?) -> Void)?

    init(_ alice: Endpoint, _ bob: Endpoint, over network: String = "delay=20ms", seed: UInt64? = nil) throws {
        self.alice = alice
        self.bob = bob
        there = EmulatedLink(try LinkSettings(notation: network + (seed.map { ",seed=\($0)" } ?? "")))
        back = EmulatedLink(try LinkSettings(notation: network + ",seed=\((seed ?? 0) + 99)"))
    }

    /// Two ends, of which the first sends one stream that the second was told of.
    static func oneWay(over network: String = "delay=20ms") throws -> (call: Call, stream: ReceivingStreamID) {
        let (alice, bob) = (Endpoint(seed: 1), Endpoint(seed: 2))
        let stream = Call.stream(seed: 11)
        alice.addCamera(try alice.session.send(stream))
        let id = try bob.session.receive(Call.receiving(stream), at: .zero)
        return (try Call(alice, bob, over: network), id)
    }

    /// Runs to `end`.
    func run(until end: MediaTime) {
        while true {
            let next = min(
                alice.nextTime, bob.nextTime, there.nextArrival ?? .distantFuture, back.nextArrival ?? .distantFuture)
            guard next < end else { break }
            now = max(now, next)
            while there.poll(at: now, into: &datagram) != nil { deliver(datagram, to: bob, isForBob: true) }
            while back.poll(at: now, into: &datagram) != nil { deliver(datagram, to: alice, isForBob: false) }
            alice.wake(at: now) { bytes in
                guard !isCut else { return }
                let outcome = there.send(bytes, at: now)
                observer?(bytes, now, outcome, there.lastPassage)
            }
            bob.wake(at: now) { bytes in if !isCut { back.send(bytes, at: now) } }
        }
        now = max(now, end)
    }

    func run(for duration: MediaDuration) { run(until: now + duration) }

    private func deliver(_ datagram: [UInt8], to end: Endpoint, isForBob: Bool) {
        for datagram in filter?(datagram, isForBob) ?? [datagram] { end.session.insert(datagram.span, at: now) }
    }

    /// A stream with RTX.
    static func stream(seed: UInt64, named rid: String? = nil) -> RTPStreamSettings {
        var random = SeededGenerator(seed: seed)
        var stream = RTPStreamSettings(payloadType: PayloadType(96), canonicalName: "test", using: &random)
        stream.retransmission = RetransmissionSettings(payloadType: PayloadType(97), using: &random)
        if let rid {
            stream.mid = StreamIdentifier("0")
            stream.rid = StreamIdentifier(rid)
            stream.headerExtensions = Call.extensions
        }
        return stream
    }

    static var extensions: HeaderExtensionMap { FuzzedCall.extensions }

    /// The same stream as its receiver is told of it.
    ///
    /// - Parameter isAnnounced: whether its sources are told; else they are to be found out.
    static func receiving(_ stream: RTPStreamSettings, isAnnounced: Bool = true) throws -> StreamReceiverSettings {
        var description = StreamDescription(of: stream, codec: .vp8)
        if !isAnnounced {
            description.ssrc = nil
            description.repair.retransmission?.ssrc = nil
        }
        return try StreamReceiverSettings(description, ssrc: SSRC(0))
    }
}

extension MediaTime {
    static func seconds(_ seconds: Double) -> MediaTime { .zero + .seconds(seconds) }
}
