import RillCore
import RillPeer
import RillWireFuzzTargets

/// All that a network may bring to an endpoint of DTLS, whose peer does not know the secrets of the handshake.
///
/// The first byte says what the endpoint is; then datagrams, each with two bytes before it: eleven bits of its length,
/// and in the upper five the time since the one before, in units of 256 ms.
func fuzzDTLS(_ bytes: Span<UInt8>) {
    let end = FuzzedDTLS(bytes.isEmpty ? 0 : bytes[0])
    var position = 1
    while position + 2 <= bytes.count {
        let word = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        let stop = position + 2 + min(word & 0x7FF, bytes.count - position - 2)
        end.advance(by: .milliseconds(256 * (word >> 11)))
        end.take(bytes.extracting((position + 2)..<stop))
        position = stop
    }
    end.expectEnd()
}

func dtlsSeeds() -> [FuzzTarget.Seed] {
    let (server, client): (UInt8, UInt8) = (1, 2)
    return [
        FuzzTarget.Seed("server", agreed: server, [DTLSSeeds.hello, DTLSSeeds.clientFlight]),
        FuzzTarget.Seed("server-twice", agreed: server, [DTLSSeeds.hello, DTLSSeeds.hello, DTLSSeeds.clientFlight]),
        FuzzTarget.Seed("client", agreed: client, [DTLSSeeds.serverFlight, DTLSSeeds.serverEnd]),
        FuzzTarget.Seed("stranger", agreed: 0, [DTLSSeeds.serverFlight]),
        FuzzTarget.Seed("refused", agreed: client, [DTLSSeeds.fatalAlert]),
        FuzzTarget.Seed("warned", agreed: server, [DTLSSeeds.warning, DTLSSeeds.hello]),
    ]
}

/// An endpoint under observation.
private final class FuzzedDTLS {
    private static let certificate: DTLSCertificate = {
        do throws(DTLSError) {
            return try DTLSCertificate(wallClock: 1_800_000_000)
        } catch { preconditionFailure("\(error)") }
    }()

    private let endpoint: DTLSEndpoint
    private var now = MediaTime.zero
    private var bytes: [UInt8] = []
    private var failures = 0

    init(_ kind: UInt8) {
        endpoint = DTLSEndpoint(kind & 1 != 0 ? .server : .client, certificate: FuzzedDTLS.certificate)
        if kind & 2 != 0 { endpoint.setRemoteFingerprints([FuzzedDTLS.certificate.fingerprint], at: now) }
        endpoint.begin(at: now)
        drain()
    }

    func advance(by duration: MediaDuration) {
        now += duration
        drain()
    }

    func take(_ datagram: Span<UInt8>) {
        let before = endpoint.state
        let result = endpoint.insert(datagram, at: now)
        if before == .failed || before == .closed { precondition(result != .taken) }
        drain()
    }

    private func drain() {
        for _ in 0..<1000 {
            switch endpoint.poll(at: now, into: &bytes) {
            case .transmit: precondition(!bytes.isEmpty && bytes.count <= endpoint.settings.maximumTransmissionUnit)
            case .event(.failed): failures += 1
            case .event(.warning): break
            case .event(let event): preconditionFailure("\(event)")
            case .wait(until: let time):
                precondition(time > now)
                return
            }
        }
        preconditionFailure("polling does not come to an end")
    }

    /// It fails at the latest when its time is up, once, and never gives out keys.
    func expectEnd() {
        while endpoint.wakeTime < .distantFuture { advance(by: endpoint.wakeTime - now) }
        precondition(endpoint.state == .failed && failures == 1)
        precondition(endpoint.srtpKeys == nil)
    }
}
