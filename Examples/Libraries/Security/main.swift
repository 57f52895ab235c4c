// library-security: RillSecurity alone. A packet is protected, unprotected, and rejected when it is replayed.

import RillRTP
import RillSecurity

let key = SRTPKey.generate(.aeadAES128GCM)
var protector = try SRTPProtector(key)
var unprotector = try SRTPUnprotector(try SRTPKey(base64: key.base64))

let header = RTPHeader(
    marker: true, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0),
    ssrc: SSRC(0xCAFE))
let payload: [UInt8] = [1, 2, 3]
let packet = [UInt8](capacity: 15) { RTPPacket(header: header, payload: payload.span).write(into: &$0) }
let datagram = [UInt8](capacity: packet.count + protector.overhead) { _ = protector.protect(packet.span, into: &$0) }

var outcomes: [UnprotectOutcome] = []
for _ in 0..<2 {
    var bytes = datagram
    var span = bytes.mutableSpan
    outcomes.append(unprotector.unprotect(&span))
    if outcomes.count == 1 { print("unprotected packet is the same: \(bytes.starts(with: packet))") }
}
print("\(key): \(packet.count) bytes became \(datagram.count), then \(outcomes[0]), then \(outcomes[1])")
