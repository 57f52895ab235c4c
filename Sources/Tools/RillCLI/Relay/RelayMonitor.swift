import Rill
import RillCore
import RillLab
import RillThreads

/// Follows a relay on the terminal to its end: a status line that is updated each second.
struct RelayMonitor {
    private let line = StatusLine()
    private var last = RelayProgress()

    /// Waits until the time is over, the relay has failed, or the user interrupts it.
    mutating func follow(_ relay: LiveRelay, limit: MediaDuration?, isInterrupted: () -> Bool) {
        let clock = LiveClock()
        let end = limit.map { MediaTime.zero + $0 } ?? .distantFuture
        var nextLine = MediaTime.zero + .seconds(1)
        while clock.now < end, relay.failure == nil, !isInterrupted() {
            clock.sleep(until: min(clock.now + .milliseconds(50), end))
            guard clock.now >= nextLine else { continue }
            nextLine += .seconds(1)
            let progress = relay.progress
            line.show(RelayMonitor.parts(progress, since: last))
            last = progress
        }
        line.clear()
    }

    /// `12 s  forward 2000/s 1920 kbit/s lost 2.1 %  return 50/s 21 kbit/s lost 0.0 %  in flight 81  late 0.09 ms (99
    /// %)`
    static func parts(_ now: RelayProgress, since last: RelayProgress) -> [String] {
        let length = (now.duration - last.duration).seconds
        guard now.duration > .zero, length > 0 else { return ["no datagram yet"] }
        func figures(_ direction: KeyPath<RelayProgress, RelayProgress.Direction>) -> String {
            let (new, old) = (now[keyPath: direction], last[keyPath: direction])
            let (came, lost) = (new.came - old.came, new.lost - old.lost)
            return "\(Decimal.text(Double(came) / length, decimals: 0))/s "
                + "\(Decimal.text(Double(new.cameBytes - old.cameBytes) * 8 / 1000 / length, decimals: 0)) kbit/s "
                + "lost \(Decimal.percent(came == 0 ? 0 : Double(lost) / Double(came)))"
        }
        return [
            "\(Decimal.text(now.duration.seconds, decimals: 0)) s", "forward \(figures(\.forward))",
            "return \(figures(\.back))", "in flight \(now.onTheWay)",
            "late \(Decimal.text(now.lateness, decimals: 2)) ms (99 %)",
        ]
    }
}
