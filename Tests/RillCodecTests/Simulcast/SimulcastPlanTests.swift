import RillCodec
import RillCore
import Testing

struct SimulcastPlanTests {
    private func plan() throws -> SimulcastPlan {
        try SimulcastPlan(layers: [.high(.vga, bitrate: .kilobits(800)), .low])
    }

    @Test func `Every frame is encoded for the high layer and every sixth for the low one`() throws {
        var plan = try plan()
        for index in 0..<120 {
            let tasks = plan.tasks(at: FrameRate(30).time(ofFrame: index))
            #expect(tasks[0] != nil)
            #expect((tasks[1] != nil) == (index % 6 == 0), "frame \(index)")
            #expect(tasks[2] == nil)
        }
    }

    @Test func `A layer that takes every frame takes them, however uneven they are`() throws {
        // The first interval is five times the others, then some are a hundredth of it.
        let times = [0, 167, 200, 233, 234, 235, 267, 300].map { MediaTime.zero + .milliseconds($0) }
        let high = LayerSettings.high(.vga, bitrate: .kilobits(800)).takingEveryFrame(of: 6)
        var plan = try SimulcastPlan(layers: [high, .low])
        #expect(times.map { plan.tasks(at: $0)[0] != nil } == [Bool](repeating: true, count: 8))
        // Beside it the low layer keeps to its five frames a second; so does a layer that has to give up rate.
        plan.degrade(layer: 0, .none.slower)
        let later = (0..<60).map { FrameRate(30).time(ofFrame: $0) + .seconds(10) }
        let tasks = later.map { plan.tasks(at: $0) }
        #expect(tasks.count { $0[0] != nil } == 8 && tasks.count { $0[1] != nil } == 10)
        #expect(tasks[0][0]?.settings.takesEveryFrame == false)
        plan.degrade(layer: 0, .none)
        #expect((1...30).allSatisfy { plan.tasks(at: .zero + .seconds(20) + .milliseconds($0))[0] != nil })
    }

    @Test func `A key frame request for one layer affects only that layer`() throws {
        var plan = try plan()
        for index in 0..<1000 {
            if index % 10 == 3 {
                plan.requestKeyFrame(layer: 1)
                plan.requestKeyFrame(layer: 1)
            }
            let tasks = plan.tasks(at: FrameRate(30).time(ofFrame: index))
            #expect(tasks[0]?.isKeyFrameRequested == false)
            if let low = tasks[1] {
                // Any number of requests since the last low frame make one key frame.
                let isExpected = (max(0, index - 5)...index).contains { $0 % 10 == 3 } && index > 0
                #expect(low.isKeyFrameRequested == isExpected, "frame \(index)")
            }
        }
    }

    @Test func `A disabled layer pauses and returns with a key frame`() throws {
        var plan = try plan()
        let times = (0..<90).map(FrameRate(30).time(ofFrame:))
        var low: [(Int, Bool)] = []
        for index in 0..<90 {
            if index == 20 { plan.setActive(false, layer: 1) }
            if index == 47 { plan.setActive(true, layer: 1) }
            let tasks = plan.tasks(at: times[index])
            #expect(tasks[0]?.isKeyFrameRequested == false)
            if let task = tasks[1] { low.append((index, task.isKeyFrameRequested)) }
        }
        #expect(low.map(\.0) == [0, 6, 12, 18, 47, 53, 59, 65, 71, 77, 83, 89])
        #expect(low.filter(\.1).map(\.0) == [47])
    }

    @Test func `A new bitrate applies to the layer's next frame`() throws {
        var plan = try plan()
        _ = plan.tasks(at: .zero)
        try plan.change(layer: 1) { $0.bitrate = .kilobits(30) }
        let tasks = plan.tasks(at: .zero + .milliseconds(200))
        #expect(tasks[0]?.settings.bitrate == .kilobits(800) && tasks[1]?.settings.bitrate == .kilobits(30))
    }

    @Test func `A start is a key frame on each layer's next frame`() throws {
        var plan = try plan()
        _ = plan.tasks(at: .zero, isDiscontinuity: true)
        _ = plan.tasks(at: .zero + .milliseconds(33))
        let beginning = plan.tasks(at: .zero + .milliseconds(66), isDiscontinuity: true)
        #expect(beginning[0]?.isKeyFrameRequested == true && beginning[1] == nil)
        let later = plan.tasks(at: .zero + .milliseconds(200))
        #expect(later[0]?.isKeyFrameRequested == false && later[1]?.isKeyFrameRequested == true)
    }

    @Test func `A skipped frame delays a slow layer by one frame of the source`() throws {
        var plan = try plan()
        var low: [Int] = []
        for index in 0..<40 {
            if index == 12 {
                plan.requestKeyFrame(layer: 1)
                plan.skipNextFrame(layer: 0)
                plan.skipNextFrame(layer: 1)
            }
            let tasks = plan.tasks(at: FrameRate(30).time(ofFrame: index))
            #expect((tasks[0] == nil) == (index == 12), "frame \(index)")
            if let task = tasks[1] {
                low.append(index)
                #expect(task.isKeyFrameRequested == (index == 13), "the request stays for the frame after it")
            }
        }
        #expect(low == [0, 6, 13, 18, 24, 30, 36])
    }

    @Test func `A frame can be smaller than its share, but not below a quarter`() throws {
        var plan = try plan()
        // 800 kbit/s are 3333 bytes per frame.
        let excess = [0, 1000, 1_000_000, 0, -5, 500]
        let limits = (0..<6).map { index -> Int? in
            plan.reduceNextFrames(layer: 0, by: excess[index])
            return plan.tasks(at: FrameRate(30).time(ofFrame: index))[0]?.byteLimit
        }
        #expect(limits == [nil, 2833, 833, nil, nil, 3083])
        // At half of the rate a frame's share is twice as large.
        plan.reduceNextFrames(layer: 0, by: 1000)
        #expect(plan.tasks(at: FrameRate(30).time(ofFrame: 7))[0]?.byteLimit == 6166)
        #expect(plan.tasks(at: FrameRate(30).time(ofFrame: 8))[0]?.byteLimit == nil)
    }

    @Test func `Tasks before a key frame that discards older ones are outdated`() throws {
        var plan = try plan()
        let before = try #require(plan.tasks(at: .zero)[0])
        #expect(!plan.isOutdated(before, layer: 0))
        plan.requestKeyFrameDiscardingOlder(layer: 0)
        let after = try #require(plan.tasks(at: .zero + .milliseconds(33))[0])
        #expect(plan.isOutdated(before, layer: 0) && !plan.isOutdated(after, layer: 0))
        #expect(after.isKeyFrameRequested)
        #expect(!plan.isOutdated(before, layer: 1))
    }

    @Test func `The plan's burst limit is for layers without one, in real time`() throws {
        var own = LayerSettings.low
        own.encoder.burstLimit = .milliseconds(50)
        var plan = try SimulcastPlan(layers: [.high(.vga, bitrate: .kilobits(800)), own])
        plan.burstLimit = .milliseconds(120)
        let tasks = plan.tasks(at: .zero)
        #expect(tasks[0]?.settings.encoder.burstLimit == .milliseconds(120))
        #expect(tasks[1]?.settings.encoder.burstLimit == .milliseconds(50))
        #expect(tasks[0]?.settings.encoder.bufferSize == .milliseconds(400))
        #expect(tasks[1]?.settings.encoder.bufferSize == own.encoder.bufferSize)
        plan.burstLimit = nil
        #expect(plan.tasks(at: .zero + .milliseconds(33))[0]?.settings.encoder.burstLimit == nil)
    }

    @Test func `A request is not lost with a dropped frame`() throws {
        var plan = try plan()
        plan.requestKeyFrame(layer: 0)
        let dropped = try #require(plan.tasks(at: .zero)[0])
        let next = try #require(plan.tasks(at: .zero + .milliseconds(33))[0])
        #expect(dropped.isKeyFrameRequested && !next.isKeyFrameRequested)
        #expect(next.merging(dropped).isKeyFrameRequested)
    }

    @Test func `Layers that cannot be are refused by name`() {
        #expect(throws: CodecError.self) { try SimulcastPlan(layers: []) }
        #expect(throws: CodecError.self) { try SimulcastPlan(layers: [.low, .low]) }
        let four = ["a", "b", "c", "d"].map { rid in
            LayerSettings(rid: .init(stringLiteral: rid), resolution: .vga, frameRate: 30, bitrate: .kilobits(100))
        }
        #expect(throws: CodecError.self) { try SimulcastPlan(layers: four) }
    }
}
