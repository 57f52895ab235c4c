import RillCore
import RillLink
import RillMediaSupport
import RillSession
import Testing

@testable import RillLab

/// What congestion control does over time, in fixed memory.
struct NetworkTimelineTests {
    private func sample(_ number: Int) -> NetworkSample {
        NetworkSample(
            time: .zero + .milliseconds(100) * number, availableOutgoingBitrate: 1000 * number,
            targetBitrates: [number],
            packetsSent: 10 * number, totalPacketSendDelay: Double(number), cuts: number, probes: 2 * number)
    }

    @Test func `A long session stays in fixed memory, and loses no peak and no count`() {
        let recorder = NetworkRecorder()
        for number in 0..<10_000 {
            let now = MediaTime.zero + .milliseconds(100) * number
            let transit = MediaDuration.milliseconds(number == 777 ? 900 : 20)
            recorder.sent(.queued(arrival: now + transit, copyArrival: nil, isCorrupted: false), at: now)
            recorder.sent(.lost(.random), at: now)
            recorder.add(sample(number))
        }
        let samples = recorder.samples
        #expect((NetworkRecorder.capacity / 2...NetworkRecorder.capacity).contains(samples.count))
        #expect(samples.last?.time == .zero + .milliseconds(100) * 9999 && samples.last?.cuts == 9999)
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.time < $1.time && $0.probes < $1.probes })
        let peaks = samples.filter { $0.longestTransit == .milliseconds(900) }
        #expect(peaks.count == 1 && peaks[0].time >= .zero + .milliseconds(77_700))
        #expect(samples.allSatisfy { $0.longestTransit != nil })
    }

    @Test func `Of packets that are all lost no time in the network is known`() {
        let recorder = NetworkRecorder()
        recorder.sent(.lost(.burst), at: .zero)
        recorder.add(sample(1))
        #expect(recorder.samples.map(\.longestTransit) == [nil])
    }

    @Test func `A session samples ten times a second, and only with congestion control`() throws {
        let size = Resolution(width: 160, height: 120)
        var settings = LoopbackSettings(
            layers: [.high(size, bitrate: .kilobits(200)), .low],
            network: try LinkSettings(notation: "rate=300k,queue=300ms,delay=30ms"))
        settings.isRecorded = true
        settings.measuresQuality = false
        func timeline(_ settings: LoopbackSettings) throws -> [NetworkSample] {
            let loopback = try Loopback(settings) { try LoopedPictures(size, frameCount: 90) }
            _ = try loopback.runInVirtualTime()
            return loopback.networkTimeline
        }
        #expect(try timeline(settings).isEmpty)
        settings.congestion = CongestionSettings()
        let samples = try timeline(settings)
        #expect((25...70).contains(samples.count), "\(samples.count)")
        let last = try #require(samples.last)
        #expect(last.availableOutgoingBitrate > 0 && last.packetsSent > 10 && last.targetBitrates.count == 2)
        #expect(samples.contains { ($0.longestTransit ?? .zero) >= .milliseconds(30) })
    }
}
