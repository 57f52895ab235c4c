// library-bytes: RillBytes alone. A part of a view as an array that outlives it, and views one behind the other.

import RillBytes

let datagram: [UInt8] = [0x80, 96, 0, 1, 7, 8, 9]
let payload = datagram.span.extracting(4...).array
var joined: [UInt8] = []
for _ in 0..<2 { joined.append(copying: payload.span) }
print("payload \(payload), twice \(joined)")
