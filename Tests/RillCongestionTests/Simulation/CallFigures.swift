import RillCongestion
import RillCore

/// The figures of a call, over windows in seconds.
extension SimulatedCall {
    /// Accepted bytes over capacity.
    func utilization(_ from: Double, _ to: Double, flow: Int? = 0) -> Double {
        let (start, end) = (MediaTime.zero + .seconds(from), MediaTime.zero + .seconds(to))
        var bytes = 0
        for trip in judge.trips where trip.sent >= start && trip.sent < end && !trip.isDropped {
            if trip.flow == flow || flow == nil && trip.flow >= 0 { bytes += trip.byteCount }
        }
        var (bits, time) = (0.0, start)
        while time < end {
            bits += capacity(at: time) * 0.1
            time = time + .milliseconds(100)
        }
        return Double(bytes * 8) / bits
    }

    /// The mean wait of all packets, and the 95th percentile of all packets and without the second after each scene
    /// cut, in milliseconds.
    func wait(_ from: Double, _ to: Double, flow: Int = 0) -> (mean: Double, p95: Double, p95All: Double) {
        let (start, end) = (MediaTime.zero + .seconds(from), MediaTime.zero + .seconds(to))
        var (all, calm) = ([Double](), [Double]())
        var (scene, scenes) = (0, flows[flow].scenes)
        scenes.append(.distantFuture)
        for trip in judge.trips where trip.flow == flow && trip.sent >= start && trip.sent < end {
            guard let wait = trip.wait?.milliseconds else { continue }
            all.append(wait)
            while scenes[scene] <= trip.sent { scene += 1 }
            if scene == 0 || trip.sent - scenes[scene - 1] >= .seconds(1) { calm.append(wait) }
        }
        return (all.reduce(0, +) / Double(max(1, all.count)), calm.percentile(95), all.percentile(95))
    }

    /// From capture, 10 ms before a frame is ready to be sent, to the end of the transmission of its last packet: the
    /// 95th percentile without the second after each scene cut, in milliseconds.
    func latency(_ from: Double, _ to: Double, flow: Int = 0) -> Double {
        let (start, end) = (MediaTime.zero + .seconds(from), MediaTime.zero + .seconds(to))
        var ends: [Int: MediaTime] = [:]
        for trip in judge.trips where trip.flow == flow && trip.frame >= 0 {
            if let end = trip.end { ends[trip.frame] = end }
        }
        var (scene, scenes, delays) = (0, flows[flow].scenes, [Double]())
        scenes.append(.distantFuture)
        for (frame, time) in flows[flow].frameTimes.enumerated() where time >= start && time < end {
            guard let sent = ends[frame] else { continue }
            while scenes[scene] <= time { scene += 1 }
            guard scene == 0 || time - scenes[scene - 1] >= .seconds(1) else { continue }
            delays.append((sent - time).milliseconds + 10)
        }
        return delays.percentile(95)
    }

    func lossShare(_ from: Double, _ to: Double, flow: Int = 0) -> Double {
        let (start, end) = (MediaTime.zero + .seconds(from), MediaTime.zero + .seconds(to))
        var (lost, count) = (0, 0)
        for trip in judge.trips where trip.flow == flow && trip.sent >= start && trip.sent < end {
            count += 1
            lost += trip.isDropped ? 1 : 0
        }
        return Double(lost) / Double(max(1, count))
    }

    /// The longest wait, in milliseconds.
    func maximumWait(_ from: Double, _ to: Double) -> Double {
        let (start, end) = (MediaTime.zero + .seconds(from), MediaTime.zero + .seconds(to))
        return judge.trips.lazy.filter { $0.sent >= start && $0.sent < end }.compactMap { $0.wait?.milliseconds }.max()
            ?? 0
    }

    /// When the rate first reaches a value after a time, in seconds after that.
    func time(toReach rate: Double, after start: Double, flow: Int = 0) -> Double {
        let start = MediaTime.zero + .seconds(start)
        return flows[flow].rates.first { $0.time >= start && Double($0.rate) >= rate }.map { ($0.time - start).seconds }
            ?? 99
    }

    /// When the rate first is at most a value after a time, in seconds after that.
    func time(toFallTo rate: Double, after start: Double, flow: Int = 0) -> Double {
        let start = MediaTime.zero + .seconds(start)
        return flows[flow].rates.first { $0.time >= start && Double($0.rate) <= rate }.map { ($0.time - start).seconds }
            ?? 99
    }

    func timeOfCut(after start: Double, flow: Int = 0) -> Double {
        let start = MediaTime.zero + .seconds(start)
        return flows[flow].cuts.first { $0 >= start }.map { ($0 - start).seconds } ?? 99
    }

    /// The time until every packet of the following second waits less than 100 ms, in seconds.
    func timeDrained(after start: Double) -> Double {
        let start = MediaTime.zero + .seconds(start)
        var calm = start
        for trip in judge.trips where trip.sent >= start {
            if trip.sent - calm >= .seconds(1) { break }
            if (trip.wait?.milliseconds ?? 300) >= 100 { calm = trip.end ?? trip.sent }
        }
        return (calm - start).seconds
    }

    /// The time until a flow gets at least a share of the capacity within a second, in seconds.
    func timePaying(_ share: Double, after start: Double, flow: Int = 0) -> Double {
        for step in 0..<200 {
            let from = start + Double(step) * 0.1
            if utilization(from, from + 1, flow: flow) >= share { return Double(step) * 0.1 }
        }
        return 99
    }

    /// The longest time in which a flow got less than a share of the capacity, second by second.
    func longestBelow(_ share: (Double) -> Double, _ from: Int, _ to: Int, flow: Int) -> Double {
        var (longest, current) = (0, 0)
        for second in from..<to {
            let got = utilization(Double(second), Double(second + 1), flow: flow)
            current = got < share(Double(second)) ? current + 1 : 0
            longest = max(longest, current)
        }
        return Double(longest)
    }

    /// The share of padding in all that the first flow sent before a time.
    func paddingShare(before end: Double) -> Double {
        let trips = judge.trips.lazy.filter { $0.flow == 0 && $0.sent.seconds < end }
        let padding = trips.reduce(0) { $0 + ($1.frame < 0 ? $1.byteCount : 0) }
        return Double(padding) / Double(max(1, trips.reduce(0) { $0 + $1.byteCount }))
    }
}

extension [Double] {
    func percentile(_ percent: Int) -> Double {
        let sorted = sorted()
        return isEmpty ? 0 : sorted[Swift.min(count - 1, count * percent / 100)]
    }

    var median: Double { percentile(50) }
}
