// library-threads: RillThreads alone. The live driver's clock: it begins at zero, and goes on by itself.

import RillCore
import RillThreads

let clock = LiveClock()
let beginning = clock.now
var (now, isRising) = (beginning, true)
while now < beginning + .milliseconds(2) {
    let next = clock.now
    isRising = isRising && next >= now
    now = next
}
print(
    "from zero: \(beginning < .zero + .seconds(1)), rising: \(isRising), over: \(now - beginning >= .milliseconds(2))")
