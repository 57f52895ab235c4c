// library-link: RillLink alone. Sends a thousand datagrams over a network that loses one in twenty and delays the
// others. The same seed loses the same ones.

import RillCore
import RillLink

/// How many datagrams arrive, and when the last one does.
func deliveries(_ notation: String) throws -> (count: Int, last: MediaTime) {
    let link = EmulatedLink(try LinkSettings(notation: notation))
    let datagram = [UInt8](repeating: 1, count: 1000)
    for number in 0..<1000 { _ = link.send(datagram.span, at: .zero + .milliseconds(number)) }
    var (count, last, bytes) = (0, MediaTime.zero, [UInt8]())
    while let delivery = link.poll(at: .distantFuture, into: &bytes) { (count, last) = (count + 1, delivery.arrival) }
    return (count, last)
}

let lossy = try deliveries("loss=5%,delay=40ms,seed=7")
let again = try deliveries("loss=5%,delay=40ms,seed=7")
let other = try deliveries("burst=5%/3,rate=2M,queue=5s,seed=7")
print(
    "\(lossy.count) of 1000, the last at \(lossy.last), second run identical: \(lossy == again);",
    "slow: \(other.count), \(other.last)"
)
