import Arguments
import Foundation
import Rill
import RillPeer
import RillTransport
import Scenes
import Synchronization

/// A live call between WebRTC peers, at whose port unknown peers send forged STUN requests: with the right username and
/// the wrong password. Prints what the network threads take without and with them, in CPU seconds, and the pictures
/// shown.
struct FloodWork {
    private let seconds: Double
    private let rate: Int

    init(_ arguments: Arguments) throws {
        (seconds, rate) = (Double(try arguments.number("seconds") ?? 10), try arguments.number("rate") ?? 50_000)
    }

    func run() throws {
        let scene = try PortraitScene(resolution: .vga, frameRate: 30)
        let camera = try VideoCall(
            VideoCallSettings(layers: [.high(.vga, bitrate: .kilobits(500))]), source: scene)
        let screen = try VideoCall(VideoCallSettings(layers: []), source: nil)
        let ports = try [camera, screen].map { try WebRTCPort(for: $0, announcing: [.loopback]) }
        let viewer = try ports[1].offer()
        let peer = try ports[0].answer(viewer.localDescription)
        try viewer.accept(peer.localDescription)
        let shown = Atomic(0)
        try viewer.participant?.show(on: FrameTap { _ in shown.add(1, ordering: .relaxed) })
        let deadline = ContinuousClock.now + .seconds(20)
        while shown.load(ordering: .relaxed) < 60 {
            guard ContinuousClock.now < deadline else { throw WrongUse("the peers did not connect") }
            usleep(10_000)
        }

        let quiet = try FloodWork.networkSeconds()
        usleep(UInt32(seconds * 1e6))
        let (start, before) = (try FloodWork.networkSeconds(), shown.load(ordering: .relaxed))
        let requests = try self.requests(viewer.localDescription)
        let refused = try FloodWork.datagramsRefused()
        let sent = try flood(requests, at: UDPAddress(.loopback, port: ports[1].localAddress.port))
        let loud = try FloodWork.networkSeconds() - start
        print("frames=\(shown.load(ordering: .relaxed) - before)")
        print("quiet=\(start - quiet)\nloud=\(loud)\nsent=\(sent)\nseconds=\(seconds)")
        // Datagrams that a full socket dropped cost the threads nothing.
        print("refused=\(try FloodWork.datagramsRefused() - refused)")
        print("connected=\(viewer.connectionState == .connected ? 1 : 0)")
    }

    private func requests(_ description: String) throws -> [[UInt8]] {
        let prefix = "a=ice-ufrag:"
        guard let line = description.split(separator: "\r\n").first(where: { $0.hasPrefix(prefix) }) else {
            throw WrongUse("the description has no fragment")
        }
        let key = STUNIntegrityKey(password: Array("not the password of anyone".utf8))
        return (0..<UInt64(64)).map { number in
            [UInt8](unsafeUninitializedCapacity: 200) { buffer, count in
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                let writer = STUNMessageWriter(
                    .bindingRequest, STUNTransactionID(high: 3, low: number), into: &output)
                writer.append(.username(Array("\(line.dropFirst(prefix.count)):peer".utf8)), into: &output)
                writer.append(.iceControlling(7), into: &output)
                writer.append(.useCandidate, into: &output)
                writer.append(.priority(1_853_824_767), into: &output)
                writer.finish(key, into: &output)
                count = output.finalize(for: buffer)
            }
        }
    }

    /// Sends them for a number of seconds, from 64 addresses, and returns how many were sent.
    private func flood(_ requests: [[UInt8]], at target: UDPAddress) throws -> Int {
        let sockets = try (0..<64).map { try UDPSocket(boundTo: UDPAddress(.v4(0x7F00_0101 + $0), port: 0)) }
        let begin = ContinuousClock.now
        var batch = OutgoingDatagrams(capacity: 64, datagramByteCount: 200)
        var (sent, elapsed) = (0, 0.0)
        while elapsed < seconds {
            for socket in sockets.prefix((Int(elapsed * Double(rate)) - sent) / requests.count) {
                batch.removeAll()
                for request in requests {
                    batch.append(to: target) { output in for byte in request { output.append(byte) } }
                }
                _ = socket.send(&batch)
                sent += requests.count
            }
            usleep(1000)
            elapsed = (ContinuousClock.now - begin) / .seconds(1)
        }
        return sent
    }

    /// The datagrams that sockets of this machine had no room for so far (RcvbufErrors of /proc/net/snmp).
    private static func datagramsRefused() throws -> Int {
        let text = try String(contentsOfFile: "/proc/net/snmp", encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("Udp:") }.map { $0.split(separator: " ") }
        guard rows.count == 2, let place = rows[0].firstIndex(of: "RcvbufErrors"), place < rows[1].count else {
            throw WrongUse("/proc/net/snmp says nothing of UDP")
        }
        return Int(rows[1][place]) ?? 0
    }

    /// The CPU seconds of the calls' network threads so far (proc(5)).
    private static func networkSeconds() throws -> Double {
        let tasks = "/proc/self/task"
        var ticks = 0
        for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
            let text = try String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
            guard text.contains("(rill-network)"), let rest = text.split(separator: ")").last else { continue }
            // From the state, which is the third, on: utime and stime are 14 and 15.
            let fields = rest.split(separator: " ")
            ticks += (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
        }
        return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
