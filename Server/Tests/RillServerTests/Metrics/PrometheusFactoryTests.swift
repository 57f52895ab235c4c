import Metrics
import RillServer
import Testing

@Suite struct PrometheusFactoryTests {
    private let factory = PrometheusFactory()

    @Test func `Counters and meters are written with their dimensions, sorted`() {
        Counter(label: "b_total", dimensions: [("x", "2"), ("a", "1")], factory: factory).increment(by: 3)
        Counter(label: "b_total", dimensions: [("a", "1"), ("x", "2")], factory: factory).increment()
        Counter(label: "b_total", factory: factory).increment()
        let meter = Meter(label: "a.level", factory: factory)
        meter.set(2.5)
        meter.decrement(by: 4)
        #expect(
            factory.text
                == "# TYPE a_level gauge\na_level -1.5\n# TYPE b_total counter\nb_total 1\nb_total{a=\"1\",x=\"2\"} 4\n"
        )
    }

    @Test func `A timer is a histogram in seconds, a recorder a summary`() {
        let timer = Timer(label: "t", factory: factory)
        timer.recordMilliseconds(3)
        timer.recordSeconds(20)
        Recorder(label: "r", factory: factory).record(7)
        Recorder(label: "s", aggregate: false, factory: factory).record(9)
        let lines = factory.text.split(separator: "\n").map(String.init)
        for line in [
            "# TYPE t histogram", "t_bucket{le=\"0.0025\"} 0", "t_bucket{le=\"0.005\"} 1", "t_bucket{le=\"10.0\"} 1",
            "t_bucket{le=\"+Inf\"} 2", "t_sum 20.003", "t_count 2", "# TYPE r summary", "r_sum 7", "r_count 1",
            "# TYPE s gauge", "s 9",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func `Names and values that Prometheus does not allow are replaced or escaped`() {
        Counter(label: "9 lives-ä", dimensions: [("k\"", "a\"b\\c\nd")], factory: factory).increment()
        #expect(factory.text.hasSuffix("_9_lives__{k_=\"a\\\"b\\\\c\\nd\"} 1\n"), "\(factory.text)")
    }

    @Test func `The number of series is limited, and a name keeps its first kind`() {
        Counter(label: "x", factory: factory).increment()
        Meter(label: "x", factory: factory).set(5)
        for index in 0..<PrometheusFactory.maximumSeriesCount + 5 {
            Counter(label: "y", dimensions: [("i", "\(index)")], factory: factory).increment()
        }
        let lines = factory.text.split(separator: "\n")
        #expect(lines.contains("x 1") && lines.count == PrometheusFactory.maximumSeriesCount + 2)
    }
}
