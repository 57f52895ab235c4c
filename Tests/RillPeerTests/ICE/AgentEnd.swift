import RillCore
import RillPeer
import RillPeerSupport

/// An agent whose events and results are kept.
final class AgentEnd: NetworkEnd {
    let agent: ICEAgent
    private(set) var events: [(time: MediaTime, event: ICEEvent)] = []
    private(set) var results: [ICEInsertResult] = []
    /// When it sent requests.
    private(set) var sendTimes: [MediaTime] = []
    private(set) var sent: [(path: ICEPath, bytes: [UInt8])] = []
    private var bytes: [UInt8] = []

    init(_ agent: ICEAgent) { self.agent = agent }

    func take(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) {
        results.append(agent.insert(datagram, on: path, at: now))
    }

    func advance(to now: MediaTime, transmit: (ICEPath, [UInt8]) -> Void) -> MediaTime {
        for _ in 0..<1000 {
            switch agent.poll(at: now, into: &bytes) {
            case .transmit(on: let path):
                if CheckWriter.transaction(of: bytes) != nil { sendTimes.append(now) }
                sent.append((path, bytes))
                transmit(path, bytes)
            case .event(let event): events.append((now, event))
            case .wait(until: let time):
                precondition(time > now, "the agent waits until \(time), and it is \(now)")
                return time
            }
        }
        preconditionFailure("polling does not come to an end")
    }

    /// When the state first became this one.
    func time(of state: ICEState) -> MediaTime? {
        events.first {
            if case .stateChanged(_, to: state) = $0.event { true } else { false }
        }?.time
    }

    var states: [ICEState] {
        events.compactMap { if case .stateChanged(_, to: let state) = $0.event { state } else { nil } }
    }
}
