import Testing

@testable import RillCLI

@Suite struct CapacityModelTests {
    /// What loads truly take: 2 ms a layer, 50 µs a packet, 10 and 40 ms a million pixels, and so much more while others work.
    private func measured(
        _ load: StreamLoad, sharing: Double, waking: Double = 0, feeder: Double = 0
    ) -> LoadMeasurement {
        let rest = 2e-3 * load.layers + 50e-6 * load.packets
        let pixels = 10e-9 * load.highPixels + 40e-9 * load.lowPixels
        // What it takes depends on what it takes: found by going round until it stands still.
        var cpu = rest + pixels
        for _ in 0..<500 {
            let busy = (cpu + feeder) / 2
            cpu = rest * (1 + waking * busy) + pixels * (1 + sharing * busy)
        }
        return LoadMeasurement(load: load, cpu: cpu, feederCPU: feeder, inTime: 1)
    }

    private let loads = [
        StreamLoad(highLayers: 1, packets: 160, highPixels: 27e6),
        StreamLoad(highLayers: 2, packets: 320, highPixels: 54e6),
        StreamLoad(highLayers: 1, packets: 90, highPixels: 7e6),
        StreamLoad(lowLayers: 24, packets: 180, lowPixels: 2.3e6),
        StreamLoad(lowLayers: 24, packets: 600, lowPixels: 2.3e6),
        StreamLoad(lowLayers: 24, packets: 360, lowPixels: 6.9e6),
        StreamLoad(lowLayers: 96, packets: 720, lowPixels: 9.2e6),
        StreamLoad(lowLayers: 200, packets: 1400, lowPixels: 19e6),
    ]

    @Test(arguments: [(0, 0), (0.3, 0), (0.8, 0.5), (0.5, -0.6)])
    func `Costs are found again, and foretell loads that were not seen`(sharing: Double, waking: Double) throws {
        let model = try #require(
            CapacityModel(
                fitting: loads.map { measured($0, sharing: sharing, waking: waking, feeder: 0.1) }, threads: 2))
        let found = [model.perLayer, model.perPacket, model.perHighPixel, model.perLowPixel]
        for (found, cost) in zip(found, [2e-3, 50e-6, 10e-9, 40e-9]) {
            #expect(abs(found / cost - 1) < 0.05, "\(found) for \(cost)")
        }
        let unseen = StreamLoad(highLayers: 2, lowLayers: 2, packets: 500, highPixels: 40e6, lowPixels: 1e6)
        let truth = measured(unseen, sharing: sharing, waking: waking, feeder: 0.2)
        #expect(abs(model.cpu(of: unseen, feederCPU: 0.2) / truth.cpu - 1) < 0.02)
    }

    @Test func `What more threads would take than there are is too much`() throws {
        let model = try #require(CapacityModel(fitting: loads.map { measured($0, sharing: 0.5) }, threads: 2))
        let one = StreamLoad(highLayers: 1, lowLayers: 1, packets: 200, highPixels: 27e6, lowPixels: 1e5)
        #expect(model.holds(one))
        #expect(!model.holds(one * 10))
        #expect(model.cpu(of: one * 100) == .infinity)
        // A feeder that leaves no room is counted too.
        #expect(!model.holds(one, feederCPU: 1.8))
    }

    @Test func `No cost is negative, whatever chance has measured`() throws {
        let noisy = loads.enumerated().map { index, load in
            var measurement = measured(load, sharing: 0.2)
            measurement.cpu *= index % 2 == 0 ? 0.8 : 1.25
            return measurement
        }
        let model = try #require(CapacityModel(fitting: noisy, threads: 2))
        #expect([model.perLayer, model.perPacket, model.perHighPixel, model.perLowPixel].allSatisfy { $0 >= 0 })
    }

    @Test func `Nothing measured is no model`() {
        #expect(CapacityModel(fitting: [], threads: 2) == nil)
        #expect(CapacityModel(fitting: [LoadMeasurement(load: loads[0], cpu: 0, inTime: 0)], threads: 2) == nil)
    }
}

@Suite struct LoadCostsTests {
    private let loads = [
        StreamLoad(highLayers: 1, packets: 160, highPixels: 27e6),
        StreamLoad(highLayers: 4, packets: 640, highPixels: 110e6),
        StreamLoad(highLayers: 2, packets: 200, highPixels: 14e6),
        StreamLoad(lowLayers: 24, packets: 180, lowPixels: 2.3e6),
        StreamLoad(lowLayers: 24, packets: 600, lowPixels: 2.3e6),
        StreamLoad(lowLayers: 24, packets: 360, lowPixels: 6.9e6),
        StreamLoad(lowLayers: 96, packets: 720, lowPixels: 9.2e6),
    ]
    private let unseen = StreamLoad(highLayers: 1, lowLayers: 16, packets: 300, highPixels: 27e6, lowPixels: 1.5e6)

    private func measured(_ load: StreamLoad) -> LoadMeasurement {
        LoadMeasurement(
            load: load, cpu: 0.1, instructions: instructions(load), memoryBytes: Int(bytes(load)), inTime: 1)
    }

    private func instructions(_ load: StreamLoad) -> Double {
        2e6 * load.layers + 30e3 * load.packets + 12 * load.highPixels + 40 * load.lowPixels
    }

    /// 20 MiB of the program, two MiB a stream and 9 bytes a pixel of its picture, one MiB a thumbnail, how many ever are shown.
    private func bytes(_ load: StreamLoad) -> Double {
        21e6 + 2e6 * load.highLayers + 9 * load.highPixels / 30 + 1e6 * load.lowLayers
    }

    @Test func `Instructions and bytes of loads that were not seen are the sum of their streams`() throws {
        let measurements = loads.map(measured)
        let work = try #require(LoadCosts(instructionsOf: measurements))
        #expect(abs(work.total(of: unseen) / instructions(unseen) - 1) < 1e-6)
        #expect(work.process == 0)
        let memory = try #require(LoadCosts(memoryOf: measurements))
        #expect(abs(memory.total(of: unseen) / bytes(unseen) - 1) < 1e-5)
        #expect(memory.perPacket == 0 && abs(memory.process / 21e6 - 1) < 1e-4)
    }

    @Test func `Where one load was not counted there is no model`() {
        var measurements = loads.map(measured)
        measurements[2].instructions = nil
        measurements[3].memoryBytes = nil
        #expect(LoadCosts(instructionsOf: measurements) == nil)
        #expect(LoadCosts(memoryOf: measurements) == nil)
        #expect(LoadCosts(instructionsOf: []) == nil)
    }
}

@Suite struct NonNegativeFitTests {
    @Test func `Unknowns that fit exactly are found`() throws {
        let rows = [[1.0, 2, 0], [0, 1, 5], [3, 0, 1], [1, 1, 1]]
        let values = rows.map { $0[0] * 2 + $0[1] * 3 + $0[2] * 0.5 }
        let fit = try #require(NonNegativeFit.solve(rows, values))
        for (found, value) in zip(fit.unknowns, [2, 3, 0.5]) { #expect(abs(found - value) < 1e-9) }
        #expect(fit.error < 1e-18)
    }

    @Test func `An unknown that would be negative is nothing, and the others make the best of it`() throws {
        // Without a limit the answer is (2, -1).
        let fit = try #require(NonNegativeFit.solve([[1, 0], [0, 1], [1, 1]], [2, -1, 1]))
        #expect(fit.unknowns[1] == 0)
        #expect(abs(fit.unknowns[0] - 1.5) < 1e-9)
    }

    @Test func `Quantities of which nothing is known stay nothing`() throws {
        let fit = try #require(NonNegativeFit.solve([[1, 0], [2, 0]], [3, 6]))
        #expect(fit.unknowns == [3, 0])
        #expect(NonNegativeFit.solve([], []) == nil)
    }
}
