#if Server
import Testing

@testable import RillServer

@Suite struct ServerMetricsTests {
    @Test func `Metrics are written as Prometheus reads them, sorted by name`() {
        let metrics = ServerMetrics()
        metrics.addConnections(3)
        metrics.addConnections(-1)
        metrics.answered(method: "POST", status: 201, after: .milliseconds(3))
        metrics.answered(method: "GET", status: 200, after: .seconds(20))
        metrics.answered(method: "MADE-UP", status: 405, after: .milliseconds(1))
        let lines = metrics.text(levels: ["streams": 2], totals: ["frames_forwarded": 7]).split(separator: "\n")
        for line in [
            "# TYPE rill_http_connections gauge", "rill_http_connections 2", "# TYPE rill_streams gauge",
            "rill_streams 2", "# TYPE rill_frames_forwarded_total counter", "rill_frames_forwarded_total 7",
            "# TYPE rill_http_requests_total counter", "rill_http_requests_total{method=\"POST\",status=\"201\"} 1",
            "rill_http_requests_total{method=\"other\",status=\"405\"} 1", "# TYPE rill_http_request_seconds histogram",
            "rill_http_request_seconds_bucket{le=\"0.001\"} 1", "rill_http_request_seconds_bucket{le=\"0.005\"} 2",
            "rill_http_request_seconds_bucket{le=\"10.0\"} 2", "rill_http_request_seconds_bucket{le=\"+Inf\"} 3",
            "rill_http_request_seconds_sum 20.004", "rill_http_request_seconds_count 3",
        ] {
            #expect(lines.contains { $0 == line }, "\(line)")
        }
        let names = lines.filter { $0.hasPrefix("# TYPE") }
        #expect(names == names.sorted() && lines.contains { $0.hasPrefix("process_resident_memory_bytes ") })
    }
}
#endif
