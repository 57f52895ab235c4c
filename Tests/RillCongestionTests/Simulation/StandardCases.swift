import RillCongestion
import RillCore

/// The cases of congestion control: the links on which Chromium 156 was measured, and others.
extension Case {
    /// A window without changes.
    private static func steady(
        _ name: String, _ plan: CallPlan, _ windows: [(Double, Double)] = [(30, 60)],
        use: (Double, Double) = (0.9, 0.85), mean: (Double, Double) = (20, 25), tail: (Double, Double) = (60, 80),
        latency: Double = 95, knownMiss: String? = nil
    ) -> Case {
        Case(name, plan, knownMiss: knownMiss) { call in
            windows.flatMap { window in
                figures(call, window, use: use, mean: mean, tail: tail, latency: latency)
            }
        }
    }

    private static func figures(
        _ call: SimulatedCall, _ window: (Double, Double), use: (Double, Double) = (0.9, 0.85),
        mean: (Double, Double) = (20, 25), tail: (Double, Double) = (60, 80), latency: Double = 95
    ) -> [Figure] {
        let wait = call.wait(window.0, window.1)
        return [
            Figure("use", call.utilization(window.0, window.1), .atLeast(use.0, worst: use.1)),
            Figure("wait", wait.mean, .atMost(mean.0, worst: mean.1)),
            Figure("p95", wait.p95, .atMost(tail.0, worst: tail.1)),
            Figure("with cuts", wait.p95All),
            Figure("latency", call.latency(window.0, window.1), .atMost(latency, worst: .infinity)),
        ]
    }

    private static func rise(_ call: SimulatedCall, to rate: Double, at start: Double, within limit: Double) -> [Figure]
    {
        let reached = call.time(toReach: 0.9 * rate, after: start)
        return [
            Figure("90 % after s", reached, .mostlyAtMost(limit)),
            Figure("queue", call.maximumWait(start, start + min(reached, 10)), .mostlyAtMost(120)),
        ]
    }

    private static func drop(_ call: SimulatedCall, to rate: Double, at start: Double) -> [Figure] {
        [
            Figure("cut after s", call.timeOfCut(after: start), .mostlyAtMost(0.3)),
            Figure("below 110 %", call.time(toFallTo: 1.1 * rate, after: start), .mostlyAtMost(0.5)),
            Figure("drained", call.timeDrained(after: start), .mostlyAtMost(1.2)),
            Figure("lost", call.lossShare(start, start + 10), .mostlyAtMost(0.09)),
            Figure(".75 paid", call.timePaying(0.75, after: start + 0.5), .mostlyAtMost(5.5)),
        ]
    }

    static let clean: [Case] = [
        Case("start 1000", CallPlan(60, rate: 1e6)) { call in
            rise(call, to: 1e6, at: 0, within: 2.5) + figures(call, (30, 60))
        },
        Case("start 2000", CallPlan(60, rate: 2e6)) { call in
            rise(call, to: 2e6, at: 0, within: 3) + figures(call, (30, 60))
                + [Figure("padding", call.paddingShare(before: 60), .atMost(0.02, worst: 0.02))]
        },
        Case("1000-2500", CallPlan(100, steps: [(1e6, 0), (2.5e6, 40), (6e5, 60), (1e6, 80)])) { call in
            rise(call, to: 2.5e6, at: 40, within: 5) + figures(call, (20, 40))
        },
        Case("2500-600-1000", CallPlan(100, steps: [(1e6, 0), (2.5e6, 40), (6e5, 60), (1e6, 80)])) { call in
            drop(call, to: 6e5, at: 60) + figures(call, (70, 80))
        },
        Case("2500-500", CallPlan(60, steps: [(2.5e6, 0), (5e5, 30)])) { call in
            drop(call, to: 5e5, at: 30) + figures(call, (20, 30)) + figures(call, (40, 60))
        },
        Case("500-2500", CallPlan(100, steps: [(2.5e6, 0), (5e5, 30), (2.5e6, 60)])) { call in
            rise(call, to: 2.5e6, at: 60, within: 7) + figures(call, (85, 100))
        },
        // Each frame fits into one packet: only those after a scene cut measure the capacity.
        steady("150", CallPlan(60, rate: 150_000), use: (0.85, 0.8), mean: (25, 30)),
        steady("300", CallPlan(60, rate: 300_000), use: (0.88, 0.85)),
        steady("600", CallPlan(60, rate: 600_000)),
        steady("10 Mbit/s", CallPlan(60, rate: 1e7).with { $0.flows[0].maximum = .megabits(12) }),
    ]

    static let lossy: [Case] = [
        steady("loss 1 %", CallPlan(60, rate: 2e6, "loss=1%"), use: (0.88, 0.83)),
        steady("loss 2 %", CallPlan(60, rate: 2e6, "loss=2%"), use: (0.88, 0.83)),
        steady("loss 5 %", CallPlan(60, rate: 2e6, "loss=5%"), use: (0.87, 0.82)),
        steady("loss 10 %", CallPlan(60, rate: 2e6, "loss=10%"), use: (0.80, 0.75)),
        steady("jitter in order", CallPlan(60, rate: 2e6, "jitter=30ms")),
        steady(
            "overtaking", CallPlan(60, rate: 2e6, "jitter=30ms,order=by-delay"), use: (0.88, 0.83)),
        steady(
            "reverse path",
            CallPlan(60, rate: 2e6).with {
                $0.back = "rate=100k,queue=300ms,delay=50ms"
                $0.crossBack = CrossTraffic(rate: 110_000)
            }),
    ]

    /// The figures of flows with equal shares in a window: Jain's index, the lowest share, the sum, and the waits.
    private static func fairness(
        _ call: SimulatedCall, _ window: (Double, Double), worst: Double = 0.98, tail: (Double, Double) = (60, 80)
    ) -> [Figure] {
        let (count, least) = (Double(call.flows.count), 0.76 / Double(call.flows.count))
        let shares = call.flows.indices.map { call.utilization(window.0, window.1, flow: $0) }
        let (sum, squares) = (shares.reduce(0, +), shares.reduce(0) { $0 + $1 * $1 })
        let waits = call.flows.indices.map { call.wait(window.0, window.1, flow: $0) }
        return [
            Figure("Jain", sum * sum / (count * squares), .atLeast(0.98, worst: worst)),
            Figure("least", shares.min() ?? 0, .atLeast(least, worst: worst / 0.98 * least)),
            Figure("sum", sum, .atLeast(0.85, worst: 0.8)), Figure("wait", waits[0].mean),
            Figure("p95", waits.map(\.p95).max() ?? 0, .atMost(tail.0, worst: tail.1)),
        ]
    }

    /// Two flows whose frames are made at the same time: their trains always interleave in the same way.
    private static func inStep(_ name: String, _ rate: Double, isJudged: Bool) -> Case {
        let flow = FlowPlan(phase: 0, maximum: max(.kilobits(2500), Bitrate(bitsPerSecond: Int(rate))))
        let plan = CallPlan(90, rate: rate).with {
            $0.flows = [flow, flow]
            $0.flows[1].start = 15
        }
        return Case(name, plan) { call in
            fairness(call, (45, 90), worst: 0.95).map { isJudged ? $0 : Figure($0.name, $0.value) }
        }
    }

    static let shared: [Case] = [
        Case(
            "two flows",
            CallPlan(90, rate: 3e6).with {
                $0.flows = [FlowPlan(), FlowPlan()]
                $0.flows[1].start = 15
            }
        ) { call in fairness(call, (45, 90)) },
        inStep("two flows in step", 3e6, isJudged: true),
        // Far from the rates at which pacing rates differ least.
        inStep("two flows in step on 1000", 1e6, isJudged: false),
        inStep("two flows in step on 8000", 8e6, isJudged: false),
        Case(
            "three flows in step",
            CallPlan(120, rate: 3e6).with {
                $0.flows = [FlowPlan(phase: 0), FlowPlan(phase: 0), FlowPlan(phase: 0)]
                ($0.flows[1].start, $0.flows[2].start) = (20, 40)
            }
        ) { call in fairness(call, (70, 120), worst: 0.88, tail: (80, 100)) },
        Case(
            "three flows",
            CallPlan(120, rate: 3e6).with {
                $0.flows = [FlowPlan(), FlowPlan(), FlowPlan()]
                $0.flows[0].end = 100
                ($0.flows[1].start, $0.flows[1].end) = (20, 120)
                ($0.flows[2].start, $0.flows[2].end) = (40, 80)
            }
        ) { call in
            let spans = [(0, 100), (20, 120), (40, 80)]
            func half(_ second: Double) -> Double {
                // Alone a flow reaches its own maximum, 2.5 of 3 Mbit/s.
                let count = spans.count { Double($0.0) <= second && second < Double($0.1) }
                return 0.5 / Double(max(count, 1))
            }
            let below = spans.indices.map { call.longestBelow(half, spans[$0].0, spans[$0].1, flow: $0) }
            let tails = spans.indices.map { call.wait(Double(spans[$0].0) + 5, Double(spans[$0].1), flow: $0).p95 }
            let shares = [0, 1, 2].map { call.utilization(50, 80, flow: $0) }
            return [
                Figure("below half s", below.max() ?? 0, .mostlyAtMost(10)),
                Figure("p95", tails.max() ?? 0, .mostlyAtMost(80)),
                Figure("least of three", shares.min() ?? 0), Figure("most", shares.max() ?? 0),
                Figure("sum", shares.reduce(0, +)),
            ]
        },
        steady(
            "cross 1000 of 2500",
            CallPlan(60, rate: 2.5e6).with { $0.cross = CrossTraffic(rate: 1e6, byteCount: 1000, start: 10) },
            use: (0.5, 0.4), mean: (35, 60), tail: (80, 100), latency: 150),
        // Its packets are in the link, which ``QueueJudge`` does not observe: only the share is reported.
        Case("beside CUBIC", CallPlan(90, rate: 3e6, "cubic=100ms@10s")) { call in
            [Figure("use", call.utilization(45, 90))]
        },
    ]

    /// The reverse path, feedback timeouts, idle senders, and paths that change.
    static let robust: [Case] = [
        steady("feedback lost 30 %", CallPlan(60, rate: 2e6).with { $0.back += ",loss=30%" }),
        steady("feedback 500 ms late", CallPlan(60, rate: 2e6).with { $0.back = "rate=10M,delay=500ms" }),
        steady(
            "feedback in disorder",
            CallPlan(60, rate: 2e6).with {
                $0.back += ",duplicate=20%,duplicate-delay=70ms,reorder=20%,reorder-delay=80ms"
            }),
        Case("feedback forged", CallPlan(60, rate: 2e6).with { $0.flows[0].forge = forge }) { call in
            [
                Figure("use", call.utilization(30, 60)), Figure("wait", call.wait(30, 60).mean),
                Figure("highest", (call.flows[0].rates.map { Double($0.rate) }.max() ?? 0) / 2e6),
            ]
        },
        Case("silence", CallPlan(90, rate: 2e6).with { $0.back += ",blackout=20s@30s" }) { call in
            [
                Figure("at the minimum s", call.time(toFallTo: 50_000, after: 30), .mostlyAtMost(5)),
                Figure("90 % after s", call.time(toReach: 1.8e6, after: 50), .mostlyAtMost(8)),
                Figure("queue", call.maximumWait(50, 60)),
            ] + figures(call, (70, 90))
        },
        Case(
            "muted, and back on 500",
            CallPlan(70, steps: [(2.5e6, 0), (5e5, 30)]).with {
                $0.flows[0].appLimit = { (20..<40).contains($0.seconds) ? 0 : .infinity }
            }
        ) { call in
            [
                Figure("held", call.flows[0].rates.last { $0.time.seconds < 40 }.map { Double($0.rate) / 1000 } ?? 0),
                Figure("cut after s", call.timeOfCut(after: 40)),
                Figure("below 110 %", call.time(toFallTo: 5.5e5, after: 40), .mostlyAtMost(0.5)),
                Figure("lost", call.lossShare(40, 50), .mostlyAtMost(0.09)),
            ] + figures(call, (55, 70))
        },
        Case(
            "muted, and back",
            CallPlan(70, rate: 2e6).with { $0.flows[0].appLimit = { (20..<40).contains($0.seconds) ? 0 : .infinity } }
        ) { call in
            [
                Figure("90 % used after s", call.timePaying(0.85, after: 40), .mostlyAtMost(1)),
                Figure("lost", call.lossShare(40, 50), .mostlyAtMost(0.01)),
            ] + figures(call, (50, 70))
        },
        Case(
            "little, then all",
            CallPlan(90, rate: 2e6).with {
                $0.flows[0].hasScenes = false
                $0.flows[0].appLimit = { $0.seconds < 50 ? 60_000 : .infinity }
            }
        ) { call in
            [
                Figure(
                    "known before",
                    (call.flows[0].rates.last { $0.time.seconds < 50 }.map { Double($0.rate) } ?? 0) / 2e6),
                Figure("90 % after s", call.time(toReach: 1.8e6, after: 50), .mostlyAtMost(3)),
                Figure("padding", call.paddingShare(before: 50), .atMost(0.04, worst: 0.05)),
                Figure("lost", call.lossShare(50, 60), .mostlyAtMost(0.01)),
            ] + figures(call, (70, 90))
        },
        Case(
            "the same without probes",
            CallPlan(90, rate: 2e6).with {
                $0.flows[0].hasScenes = false
                $0.flows[0].isProbing = false
                $0.flows[0].appLimit = { $0.seconds < 50 ? 60_000 : .infinity }
            }
        ) { call in
            [
                Figure(
                    "known before",
                    (call.flows[0].rates.last { $0.time.seconds < 50 }.map { Double($0.rate) } ?? 0) / 2e6),
                Figure("90 % after s", call.time(toReach: 1.8e6, after: 50)),
                Figure("padding", call.paddingShare(before: 50)),
                Figure("lost", call.lossShare(50, 60), .mostlyAtMost(0.01)),
            ] + figures(call, (70, 90))
        },
        Case(
            "another path, notified",
            CallPlan(60, rate: 2.5e6).with {
                $0.change = PathChange(
                    time: 30, forward: "rate=400k,delay=120ms", back: "rate=10M,delay=80ms", capacity: 4e5)
            }
        ) { call in
            [
                Figure("lost", call.lossShare(30, 40), .mostlyAtMost(0.02)),
                Figure("queue", call.maximumWait(30, 40)),
            ]
                + figures(call, (45, 60), latency: 120)
        },
        Case(
            "another path, not notified",
            CallPlan(60, rate: 1e6).with {
                $0.change = PathChange(
                    time: 30, forward: "rate=1M,delay=120ms", back: "rate=10M,delay=80ms", capacity: 1e6,
                    isNotified: false)
            }
        ) { call in [Figure("lost", call.lossShare(30, 40))] + figures(call, (45, 60)) },
        Case("short queue", CallPlan(60, rate: 1e6).with { $0.queue = "20ms" }) { call in
            [Figure("lost", call.lossShare(30, 60))] + figures(call, (30, 60))
        },
        Case("queue of 1 s", CallPlan(60, steps: [(2.5e6, 0), (5e5, 30)]).with { $0.queue = "1s" }) { call in
            [Figure("drained", call.timeDrained(after: 30)), Figure("queue", call.maximumWait(30, 40))]
                + figures(call, (40, 60))
        },
    ]

    /// Changes some bytes of every fifth feedback after its header: numbers, times, and which packets arrived.
    private static let forge: @Sendable (inout [UInt8], inout SeededGenerator) -> Void = { bytes, generator in
        guard bytes.count > 14, Int.random(in: 0..<5, using: &generator) == 0 else { return }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            bytes[Int.random(in: 12..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
    }

    static let all = clean + lossy + shared + robust
}
