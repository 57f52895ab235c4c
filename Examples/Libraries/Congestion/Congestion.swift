// library-congestion: RillCongestion alone. A sender of made-up packets learns what a path of 800 kbit/s carries, from
// the feedback of its receiver.

import RillCongestion
import RillCore
import RillRTP

var estimate = BandwidthEstimate(start: .kilobits(300), range: .kilobits(30) ... .kilobits(2500))
var history = SentPacketHistory()
var builder = FeedbackBuilder()
var free = MediaTime.zero
var now = MediaTime.zero
for frame in 0..<600 {
    now = FrameRate(30).time(ofFrame: frame)
    // A frame of packets of 500 bytes; the path takes each its time, one after the other.
    let count = max(2, estimate.rate.bitsPerSecond / 30 / 8 / 500)
    for _ in 0..<count {
        let number = history.record(.media, byteCount: 500, train: frame, at: now)
        free = max(free, now) + Bitrate.kilobits(800).duration(ofBytes: 500)
        builder.record(number, byteCount: 500, arrival: free + .milliseconds(20))
    }
    guard builder.dueTime <= free, let byteCount = builder.prepare() else { continue }
    let bytes = [UInt8](capacity: byteCount) { output in
        builder.write(from: SSRC(1), about: SSRC(2), at: free, into: &output)
    }
    let feedback = try TransportFeedback(parsing: try RTCPPacket(parsing: bytes.span))
    estimate.take(feedback, of: &history, at: free + .milliseconds(40))
}
let isNear = estimate.rate > .kilobits(640) && estimate.rate < .kilobits(900)
print("of 800 kbit/s the estimate finds most: \(isNear), bytes in flight: \(history.bytesInFlight > 0)")
