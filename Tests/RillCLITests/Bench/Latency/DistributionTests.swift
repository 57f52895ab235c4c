import RillCore
import Testing

@testable import RillCLI

@Suite struct DistributionTests {
    @Test func `A percentile is a value that was there, and that so many do not exceed`() throws {
        let thousand = try #require(Distribution((1...1000).map(Int64.init).shuffled()))
        #expect(thousand.least == 1 && thousand.median == 500 && thousand.percentile90 == 900)
        #expect(thousand.percentile95 == 950 && thousand.percentile99 == 990 && thousand.percentile999 == 999)
        #expect(thousand.maximum == 1000 && thousand.count == 1000)
        // Of 300 frames, three may take longer than the 99th percentile.
        let low = try #require(Distribution([Int64](repeating: 5, count: 297) + [7, 8, 9]))
        #expect(low.percentile99 == 5 && low.percentile999 == 9)
        let single = try #require(Distribution([7]))
        #expect([single.least, single.median, single.percentile999, single.maximum] == [7, 7, 7, 7])
        #expect(Distribution([]) == nil)
    }

    @Test func `Every value lies in one bucket, buckets rise without overlap, and none is empty`() throws {
        var random = SeededGenerator(seed: 5)
        var values = (0..<5000).map { _ in
            Int64.random(in: 0...Int64.random(in: 1...20_000_000_000, using: &random), using: &random)
        }
        // Values at the very edges, and such as no stretch of time can be.
        values += (0...9).reduce(into: []) { $0.append(Int64(String("1" + String(repeating: "0", count: $1)))!) }
        values += [0, 99, 100, 101, -3]
        let distribution = try #require(Distribution(values))
        let buckets = distribution.buckets
        #expect(buckets.allSatisfy { $0.count > 0 && $0.from < $0.to })
        #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.to <= $1.from })
        #expect(buckets.reduce(0) { $0 + $1.count } == values.count)
        for bucket in buckets {
            let inside = values.count { max($0, 0) >= bucket.from && $0 < bucket.to }
            #expect(inside == bucket.count, "\(bucket)")
        }
    }
}
