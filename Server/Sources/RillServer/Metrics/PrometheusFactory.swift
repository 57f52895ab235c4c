public import Metrics
import NIOConcurrencyHelpers

/// Metrics of swift-metrics, written as Prometheus reads them (its text format, version 0.0.4).
///
/// ```swift
/// let factory = PrometheusFactory()
/// MetricsSystem.bootstrap(factory)
/// Counter(label: "rill_visits_total").increment()
/// print(factory.text)
/// ```
///
/// Counters and meters become counters and gauges, timers become histograms in seconds, recorders become summaries. At
/// most ``maximumSeriesCount`` series are kept; those behind it count for themselves and are not shown. May be used
/// from any thread.
public final class PrometheusFactory: MetricsFactory {
    /// The most combinations of a name and dimensions.
    public static let maximumSeriesCount = 10_000

    private let series = NIOLockedValueBox<[SeriesKey: PrometheusSeries]>([:])

    /// A factory without metrics.
    public init() {}

    /// All metrics, sorted by name and dimensions.
    public var text: String {
        let all = series.withLockedValue { $0 }.sorted { $0.key < $1.key }
        var text = ""
        var name: String?
        for (key, series) in all {
            if key.name != name {
                text += "# TYPE \(key.name) \(series.kind.rawValue)\n"
                name = key.name
            }
            series.write(key, into: &text)
        }
        return text
    }

    /// The same series for the same name and dimensions. A name that is used for two kinds keeps the first one's.
    private func series(
        _ label: String, _ dimensions: [(String, String)], _ kind: PrometheusSeries.Kind
    ) -> PrometheusSeries {
        let key = SeriesKey(label, dimensions)
        return series.withLockedValue { all in
            if let known = all[key], known.kind == kind { return known }
            let made = PrometheusSeries(kind)
            if all[key] == nil, all.count < Self.maximumSeriesCount { all[key] = made }
            return made
        }
    }

    /// A counter.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter)
    }

    /// A meter.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge)
    }

    /// A recorder; one that does not aggregate is a gauge.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions, aggregate ? .summary : .gauge)
    }

    /// A timer.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram)
    }

    // Series stay: Prometheus expects those that it knows.

    /// Does nothing.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing.
    public func destroyTimer(_ handler: any TimerHandler) {}
}
