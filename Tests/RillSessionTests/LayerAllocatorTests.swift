import RillCore
import RillTestSupport
import Testing

@testable import RillSession

@Suite struct LayerAllocatorTests {
    private typealias Request = LayerAllocator.Request

    private static let layers = [1_200_000.0, 400_000, 50_000]

    /// What chooses ten times a second for pictures that are always wanted, with what it was probed for.
    private struct Driver {
        var allocator = LayerAllocator()
        var requests: [Request]
        var reserved = 0.0
        private(set) var now = MediaTime.zero
        private(set) var probes: [Double] = []

        init(_ requests: [Request]) { self.requests = requests }

        init(_ layers: [Double] = LayerAllocatorTests.layers, count: Int = 1) {
            requests = (0..<count).map { Request(id: $0, bitrates: layers, current: nil) }
        }

        var sum: Double {
            requests.reduce(reserved) { sum, request in sum + (request.current.map { request.bitrates[$0] } ?? 0) }
        }

        mutating func step(_ estimate: Double?, isFull: Bool = false) {
            let room = LayerAllocator.Room(estimate: estimate, reserved: reserved, isFull: isFull)
            let chosen = allocator.allocate(requests, in: room, at: now)
            for index in requests.indices { requests[index].current = chosen[index] }
            if let probe = allocator.probeBitrate(at: now) { probes.append(probe) }
            now += .milliseconds(100)
        }

        /// Returns the first picture's layer after each step.
        mutating func run(seconds: Double, isFull: Bool = false, _ estimate: (Double) -> Double) -> [Int?] {
            (0..<Int(seconds * 10)).map { _ in
                step(estimate(now.seconds), isFull: isFull)
                return requests[0].current
            }
        }
    }

    @Test(arguments: [(3e6, 0), (1.3e6, 0), (1e6, 1), (3e5, 2), (1e4, 2)])
    func `One picture begins with the best layer that fits, or with the smallest`(estimate: Double, layer: Int) {
        var driver = Driver()
        driver.step(estimate)
        #expect(driver.requests[0].current == layer)
    }

    @Test func `What is not known does not limit`() {
        var driver = Driver(count: 20)
        driver.step(nil)
        #expect(driver.requests.allSatisfy { $0.current == 0 })
    }

    @Test func `It goes down soon, and up with room to spare`() {
        var driver = Driver()
        _ = driver.run(seconds: 1) { _ in 3e6 }
        let down = driver.run(seconds: 5) { _ in 6e5 }
        #expect(down.firstIndex(of: 1).map { (3...4).contains($0) } == true && down.last == 1, "\(down)")
        // The layer fits, but barely.
        #expect(driver.run(seconds: 10) { _ in 1.3e6 }.allSatisfy { $0 == 1 })
        let up = driver.run(seconds: 3) { _ in 1.5e6 }
        #expect(up.firstIndex(of: 0).map { (20...21).contains($0) } == true && up.last == 0, "\(up)")
    }

    @Test func `A moment of too little is tolerated`() {
        var driver = Driver()
        let chosen = driver.run(seconds: 5) { abs($0 - 2) < 0.06 ? 5e5 : 3e6 }
        #expect(chosen.allSatisfy { $0 == 0 })
    }

    @Test func `What waits is too much, whatever the estimate says`() {
        var driver = Driver(count: 4)
        _ = driver.run(seconds: 1) { _ in 1e7 }
        #expect(driver.requests.map(\.current) == [0, 0, 0, 0])
        _ = driver.run(seconds: 0.4, isFull: true) { _ in 1e7 }
        // The least important one goes first.
        #expect(driver.requests.map(\.current) == [0, 0, 0, 1])
    }

    @Test func `A rise that does not last makes the next one later, until the network carries twice as much`() {
        var driver = Driver()
        var rises: [Double] = []
        for _ in 0..<6000 {
            let before = driver.requests[0].current
            // A network that seems wide until it is used.
            driver.step(before == 0 ? 8e5 : 1.5e6)
            if before != 0, driver.requests[0].current == 0 { rises.append(driver.now.seconds) }
        }
        let gaps = zip(rises.dropFirst(), rises).map { $0 - $1 }
        #expect(gaps.count >= 6 && gaps[0] > 2 && zip(gaps.dropFirst(), gaps).allSatisfy { $0 > $1 - 0.15 }, "\(gaps)")
        #expect(gaps.last.map { (30...31).contains($0) } == true, "\(gaps)")
        // It was taken to carry 800 kbit/s.
        _ = driver.run(seconds: 1) { _ in 8e5 }
        let up = driver.run(seconds: 3) { _ in 1.7e6 }
        #expect(up.firstIndex(of: 0).map { $0 <= 21 } == true, "\(up)")
    }

    @Test func `All rise together where a link opens`() {
        var driver = Driver([800_000, 45_000], count: 4)
        for index in 4..<16 { driver.requests.append(Request(id: index, bitrates: [45_000], current: nil)) }
        _ = driver.run(seconds: 10) { _ in 5e6 }
        #expect(driver.requests.prefix(4).allSatisfy { $0.current == 0 })
        _ = driver.run(seconds: 10) { _ in 6e5 }
        #expect(driver.requests.allSatisfy { $0.current == $0.bitrates.count - 1 || $0.current == nil })
        #expect(driver.requests.prefix(4).allSatisfy { $0.current == 1 })
        _ = driver.run(seconds: 2.1) { _ in 5e6 }
        #expect(driver.requests.allSatisfy { $0.current == 0 })
    }

    @Test func `What is more important has the room, and a change of that is followed at once`() {
        var driver = Driver([800_000, 45_000], count: 3)
        driver.requests[1].importance = 1
        _ = driver.run(seconds: 1) { _ in 1e6 }
        #expect(driver.requests.map(\.current) == [1, 0, 1])
        driver.requests[2].importance = 2
        driver.step(1e6)
        #expect(driver.requests.map(\.current) == [1, 1, 0])
    }

    @Test func `A large layer without its small one comes after the small ones of all others`() {
        var driver = Driver([800_000, 45_000], count: 3)
        driver.requests[0].bitrates = [800_000]
        (driver.requests[0].lacksSmall, driver.requests[0].importance) = (true, 1)
        driver.step(8.4e5)
        #expect(driver.requests.map(\.current) == [nil, 1, 1])
        driver = Driver([800_000, 45_000], count: 3)
        driver.requests[0].bitrates = [800_000]
        (driver.requests[0].lacksSmall, driver.requests[0].importance) = (true, 1)
        driver.step(9.5e5)
        #expect(driver.requests.map(\.current) == [0, 1, 1])
    }

    @Test func `Any priority is one`() {
        var driver = Driver([800_000, 45_000], count: 3)
        for (index, importance) in [Int.min, .max, 0].enumerated() { driver.requests[index].importance = importance }
        driver.step(9e5)
        #expect(driver.requests.map(\.current) == [1, 0, 1])
    }

    @Test func `Who comes does not lift others before their time`() {
        var driver = Driver([800_000, 45_000], count: 2)
        _ = driver.run(seconds: 5) { _ in 4e6 }
        _ = driver.run(seconds: 5) { _ in 3e5 }
        #expect(driver.requests.map(\.current) == [1, 1])
        driver.requests.append(Request(id: 9, bitrates: [800_000, 45_000], current: nil))
        driver.step(4e6)
        #expect(driver.requests.map(\.current) == [1, 1, 0])
        _ = driver.run(seconds: 2.1) { _ in 4e6 }
        #expect(driver.requests.map(\.current) == [0, 0, 0])
    }

    @Test func `A layer that stops is left at once, and one that begins waits for nothing`() {
        var driver = Driver()
        driver.step(3e6)
        driver.requests[0].bitrates = [400_000, 50_000]
        driver.requests[0].current = nil
        driver.step(3e6)
        #expect(driver.requests[0].current == 0)
        driver.requests[0].bitrates = []
        driver.requests[0].current = nil
        driver.step(3e6)
        #expect(driver.requests[0].current == nil)
        driver.requests[0].bitrates = Self.layers
        driver.step(3e6)
        #expect(driver.requests[0].current == 0)
    }

    @Test func `What is sent besides has its room first`() {
        var driver = Driver([800_000, 45_000])
        driver.requests.append(Request(id: 1, bitrates: [45_000], current: nil))
        driver.reserved = 200_000
        driver.step(9e5)
        #expect(driver.requests.map(\.current) == [1, 0])
        _ = driver.run(seconds: 1) { _ in 2.6e5 }
        #expect(driver.requests.map(\.current) == [1, nil])
        // The most important one is never paused.
        _ = driver.run(seconds: 1) { _ in 1e5 }
        #expect(driver.requests.map(\.current) == [1, nil])
    }

    @Test func `While less is sent than is wanted, that is probed for, and no more than twice the estimate`() {
        var driver = Driver([800_000, 45_000], count: 4)
        _ = driver.run(seconds: 60) { _ in 3e5 }
        // 6000 bytes each: a twentieth of what the network carries.
        #expect((18...20).contains(driver.probes.count) && driver.probes.allSatisfy { $0 == 6e5 }, "\(driver.probes)")
        let before = driver.probes.count
        // The estimate rises to what was probed for: four are there within 8 s.
        var estimate = 3e5
        for _ in 0..<80 {
            if driver.probes.count > before { estimate = max(estimate, min(5e6, driver.probes.last ?? 0)) }
            driver.step(estimate)
        }
        #expect(driver.requests.allSatisfy { $0.current == 0 }, "\(driver.requests.map(\.current)), \(driver.probes)")
        let after = driver.probes.count
        _ = driver.run(seconds: 30) { _ in 5e6 }
        #expect(driver.probes.count == after)
    }

    /// Random wishes and rates: what is chosen fits, and nobody has a better layer while another's smallest is paused.
    @Test func `What is shared out fits`() {
        var random = SeededGenerator(seed: 50)
        var (paused, raised) = (0, 0)
        for _ in 0..<20_000 {
            let requests = (0..<Int.random(in: 0...21, using: &random)).map { id in
                let count = Int.random(in: 0...3, using: &random)
                let rates = (0..<count).map { _ in Double.random(in: 2e4...2e6, using: &random) }
                return Request(
                    id: id, importance: Int.random(in: 0...3, using: &random), bitrates: rates.sorted(by: >),
                    current: nil)
            }
            let space = Double.random(in: 0...2e7, using: &random)
            let chosen = LayerAllocator.share(space, among: requests)
            let sum = zip(requests, chosen).reduce(0) { sum, pair in sum + (pair.1.map { pair.0.bitrates[$0] } ?? 0) }
            #expect(sum <= space)
            let isPaused = zip(requests, chosen).contains { $0.bitrates.count > 1 && $1 == nil }
            let isRaised = zip(requests, chosen).contains {
                $0.bitrates.count > 1 && ($1 ?? .max) < $0.bitrates.count - 1
            }
            #expect(!(isPaused && isRaised))
            paused += isPaused ? 1 : 0
            raised += isRaised ? 1 : 0
            // A more important picture of the same layers never has less.
            for (one, other) in zip(zip(requests, chosen), zip(requests, chosen).dropFirst())
            where one.0.bitrates == other.0.bitrates && one.0.importance > other.0.importance {
                #expect((one.1 ?? .max) <= (other.1 ?? .max))
            }
        }
        #expect(paused > 1000 && raised > 1000, "\(paused), \(raised)")
    }

    /// Random rates of layers and networks, with wishes that change now and then.
    @Test(arguments: 1...20)
    func `No picture rises again within the hold, and nothing stays above the estimate`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var driver = Driver([800_000, 300_000, 45_000], count: 6)
        driver.reserved = 40_000
        var estimate = 2e6
        var (fell, over) = ([Int: MediaTime](), 0)
        var falls = 0
        for step in 0..<6000 {
            if step % 10 == 0 { estimate = min(8e6, max(3e4, estimate * Double.random(in: 0.7...1.4, using: &random))) }
            let before = driver.requests.map(\.current)
            let isWish = step % 200 == 199
            if isWish { driver.requests[Int.random(in: 0..<6, using: &random)].importance += 1 }
            let now = driver.now
            driver.step(estimate)
            over = driver.sum * 0.95 > estimate && driver.requests.contains { $0.current != nil } ? over + 1 : 0
            #expect(over <= 4, "step \(step)")
            for (index, former) in before.enumerated() {
                let (old, new) = (former ?? 3, driver.requests[index].current ?? 3)
                if new > old, !isWish {
                    fell[index] = now
                    falls += 1
                }
                guard new < old, !isWish, let time = fell[index] else { continue }
                #expect(now - time >= .seconds(2), "step \(step)")
            }
            if isWish { fell = [:] }
        }
        #expect(falls > 20, "\(falls)")
    }
}
