import RillCore
import Testing

@Suite struct TokenBucketTests {
    @Test func `A bucket is never in debt`() {
        var bucket = TokenBucket(perSecond: 1000)
        for step in 0..<100 {
            let now = MediaTime.zero + .milliseconds(step)
            if bucket.has(100, at: now) { bucket.take(100) }
        }
        // Whatever came before: 100 ms are 100 tokens.
        let (isPaid, isMore) = (
            bucket.has(100, at: .zero + .milliseconds(200)), bucket.has(500, at: .zero + .milliseconds(200))
        )
        #expect(isPaid && !isMore)
        // No more than those of a second are kept.
        let (isFull, isOver) = (
            bucket.has(1000, at: .zero + .seconds(1000)), bucket.has(1001, at: .zero + .seconds(1000))
        )
        #expect(isFull && !isOver)
    }

    @Test func `A bucket with a limit keeps no more, and fills at its rate`() {
        var bucket = TokenBucket(perSecond: 500, limit: 64)
        func taken(at time: MediaDuration) -> Int {
            var count = 0
            while count < 1000, bucket.has(1, at: .zero + time) {
                bucket.take(1)
                count += 1
            }
            return count
        }
        #expect(taken(at: .zero) == 64)
        #expect(taken(at: .milliseconds(1)) == 0)
        #expect(taken(at: .milliseconds(11)) == 5)
        #expect(taken(at: .seconds(60)) == 64)
    }
}
