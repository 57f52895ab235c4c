import Arguments
import Foundation
import Rill

/// `rill relay` as a program of its own: the network of a call in real time.
final class RelayProgram {
    /// A datagram that was relayed forward.
    struct Passage {
        /// When it arrived at the relay, since the first datagram.
        var arrival: MediaTime
        var byteCount: Int
        /// The wait in the queue, and when the link schedules its arrival; `nil` if the queue dropped it.
        var wait: MediaDuration?
        var scheduled: MediaTime?
    }

    /// The port that replaces the target.
    let port: UInt16
    private let process = Process()
    private let log: String

    /// Starts the relay and waits until it listens.
    ///
    /// - Parameters:
    ///   - rill: the path of the program.
    ///   - target: the port on this machine that it forwards to.
    ///   - trial: the networks of both directions.
    ///   - seed: the seed of their random numbers.
    init(rill: String, to target: UInt16, over trial: CongestionCase, seed: UInt64) throws {
        log = FileManager.default.temporaryDirectory.appendingPathComponent("rill-relay-\(getpid()).csv").path
        process.executableURL = URL(fileURLWithPath: rill)
        process.arguments = [
            "relay", "--listen", "0", "--to", "127.0.0.1:\(target)", "--network", "\(trial.forward),seed=\(seed)",
            "--return-network", "\(trial.back),seed=\(seed + 1000)", "--log", log,
        ]
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let data = errors.fileHandleForReading.availableData
            guard !data.isEmpty else { throw WrongUse("rill relay ended: \(text)") }
            text += String(decoding: data, as: UTF8.self)
        }
        // listening on 127.0.0.1:40000 for 127.0.0.1:50000
        let address = text.split(separator: " ").dropFirst(2).first?.split(separator: ":").last
        guard let port = address.flatMap({ UInt16($0) }) else { throw WrongUse("rill relay said: \(text)") }
        self.port = port
    }

    /// Stops the relay, and returns what it did with each datagram in the forward direction, in order.
    func stop() throws -> [Passage] {
        process.interrupt()
        process.waitUntilExit()
        // A file that stays in the temporary folder does not change a figure.
        defer { try? FileManager.default.removeItem(atPath: log) }
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        let columns = lines.first.map { $0.split(separator: ",").map(String.init) } ?? []
        func column(_ name: String) throws -> Int {
            guard let index = columns.firstIndex(of: name) else { throw WrongUse("the relay's log has no \(name)") }
            return index
        }
        let names = ["direction", "number", "bytes", "arrival_s", "scheduled_s", "wait_s"]
        let places = try names.map(column)
        var passages: [Int: Passage] = [:]
        for line in lines.dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            guard cells[places[0]] == "forward", let number = Int(cells[places[1]]), let bytes = Int(cells[places[2]]),
                let arrival = Double(cells[places[3]])
            else { continue }
            let (scheduled, wait) = (Double(cells[places[4]]), Double(cells[places[5]]))
            passages[number] = Passage(
                arrival: .zero + .seconds(arrival), byteCount: bytes, wait: wait.map { .seconds($0) },
                scheduled: scheduled.map { .zero + .seconds($0) })
        }
        return passages.sorted { $0.key < $1.key }.map(\.value)
    }

    deinit { if process.isRunning { process.terminate() } }
}
