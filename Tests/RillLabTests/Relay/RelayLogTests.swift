import RillCore
import RillFiles
import RillLink
import RillTestSupport
import Testing

@testable import RillLab

@Suite struct RelayLogTests {
    private let folder = TemporaryFolder()

    private func record(_ number: Int) -> RelayRecord {
        RelayRecord(
            RelayEntry(
                pair: 0, direction: .forward, number: number, byteCount: 9, arrival: .zero + .milliseconds(number),
                outcome: .lost(.random)))!  // what is lost has a record
    }

    @Test func `Written data is read back, complete and in order`() throws {
        let path = folder.path("relay.csv")
        let log = try RelayLog(path: path, name: path)
        let all = (0..<5000).map(record)
        for start in stride(from: 0, to: all.count, by: 50) {
            var some = Array(all[start..<start + 50])
            log.append(&some)
            #expect(some.isEmpty)
        }
        try log.finish()
        let text = String(decoding: try read(path), as: UTF8.self)
        #expect(RelayLog.records(in: text) == all && log.dropped == 0)
        #expect(RelayLog.records(in: text + "x") == nil && RelayLog.records(in: "") == nil)
    }

    @Test func `More than there is room for is dropped, and counted`() throws {
        let path = folder.path("relay.csv")
        let log = try RelayLog(path: path, name: path)
        var flood = [RelayRecord](repeating: record(1), count: 300_000)
        log.append(&flood)
        try log.finish()
        let records = RelayLog.records(in: String(decoding: try read(path), as: UTF8.self)) ?? []
        #expect(records.count + log.dropped == 300_000 && records.count == 65_536)
    }

    @Test func `A full disk at the start is reported at once`() throws {
        var reason: (any Error)?
        do {
            // The head alone does not fit.
            _ = try RelayLog(path: "/dev/full", name: "relay.csv")
        } catch { reason = error }
        #expect(reason.map { "\($0)" }?.contains("No space left") == true)
    }

    @Test func `Times are written and read with all their nanoseconds`() {
        for nanoseconds in [0, 1, 999_999_999, 1_000_000_000, 86_400_000_000_001, Int64.max] {
            var one = record(1)
            one.arrival = MediaTime(nanoseconds: nanoseconds)
            #expect(RelayRecord(line: one.line) == one, "\(nanoseconds)")
        }
        for line in ["1,forward,0,1,9223372037.000000000,lost,random,,,", "1,forward,0,1,1.5,lost,random,,,"] {
            #expect(RelayRecord(line: line) == nil, "\(line)")
        }
    }
}
