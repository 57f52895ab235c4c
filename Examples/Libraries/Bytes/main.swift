// library-bytes: RillBytes alone. Copies a part of a span into an array, and appends spans to an array.

import RillBytes

let datagram: [UInt8] = [0x80, 96, 0, 1, 7, 8, 9]
let payload = datagram.span.extracting(4...).array
var joined: [UInt8] = []
for _ in 0..<2 { joined.append(copying: payload.span) }
print("payload \(payload), twice \(joined)")
