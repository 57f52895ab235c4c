import RillCore
import Testing

@testable import RillPeer

@Suite struct WakeQueueTests {
    @Test func `Agents are due in the order of their earliest times, and no memory grows`() {
        var queue = WakeQueue()
        var model: [ICEPeerID: MediaTime] = [:]
        var random = SeededGenerator(seed: 21)
        var now = MediaTime.zero
        for _ in 0..<20_000 {
            let peer = ICEPeerID(rawValue: Int(random.next() % 50))
            switch random.next() % 8 {
            case 0: (model[peer], _) = (nil, queue.remove(peer))
            case 1:
                now += .milliseconds(Int(random.next() % 30))
                var due: [MediaTime] = []
                while let peer = queue.takeDue(at: now) {
                    due.append(model.removeValue(forKey: peer) ?? .distantFuture)
                }
                #expect(due == due.sorted() && due.allSatisfy { $0 <= now })
                #expect(model.values.allSatisfy { $0 > now } && queue.next > now)
            default:
                let time = now + .milliseconds(1 + Int(random.next() % 200))
                queue.schedule(peer, at: time)
                model[peer] = min(model[peer] ?? .distantFuture, time)
            }
            #expect(queue.next <= model.values.min() ?? .distantFuture)
            #expect(queue.entryCount <= 2 * model.count + 16)
        }
    }

    @Test func `Never is not scheduled`() {
        var queue = WakeQueue()
        queue.schedule(ICEPeerID(rawValue: 1), at: .distantFuture)
        #expect(queue.entryCount == 0 && queue.next == .distantFuture)
    }
}

@Suite struct UsernameFragmentKeyTests {
    private func key(_ username: String) -> UsernameFragmentKey? {
        let bytes = Array(username.utf8)
        return UsernameFragmentKey(ofUsername: bytes.span)
    }

    @Test func `The fragment before the colon is the key`() {
        for count in 4...32 {
            let fragment = String(repeating: "a", count: count - 1) + "b"
            #expect(key(fragment + ":peer") == UsernameFragmentKey(fragment) && key(fragment + ":") != nil)
            #expect(key(fragment + "c:peer") != UsernameFragmentKey(fragment))
            #expect(key("c" + fragment.dropFirst() + ":peer") != UsernameFragmentKey(fragment))
        }
        // Too short, too long, without a colon.
        for username in ["abc:peer", String(repeating: "a", count: 33) + ":peer", "abcd", "", ":"] {
            #expect(key(username) == nil, "\(username)")
        }
    }
}
