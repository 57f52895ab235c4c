// library-threads: RillThreads alone. The live driver's clock starts at zero and rises.

import RillCore
import RillThreads

let clock = LiveClock()
let start = clock.now
var (now, isRising) = (start, true)
while now < start + .milliseconds(2) {
    let next = clock.now
    isRising = isRising && next >= now
    now = next
}
print(
    "from zero: \(start < .zero + .seconds(1)), rising: \(isRising), elapsed: \(now - start >= .milliseconds(2))")
