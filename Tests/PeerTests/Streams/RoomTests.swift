import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// Rooms of `rill serve`, with programs of others.
    @Suite struct RoomTests {
        @Test(.enabled(if: PythonPeer.aiortc != nil, "aiortc is not installed"))
        func `Three of aiortc meet over WebSocket, after one offer each: they see, hear and read each other`()
            async throws
        {
            let server = try await StreamServer()
            let python = try existing(PythonPeer.aiortc)
            let url = server.url("rooms").replacing("http:", with: "ws:")
            let program = try await python.start(["-c", RoomScript.text, url, "3"], limit: 90).finished()
            guard program.status == 0 else { throw TestFailure("\(program.errors)\n\(server.log)") }
            let outcome = try JSONDecoder().decode(RoomScript.Outcome.self, from: Data(program.output))
            #expect(outcome == RoomScript.Outcome(exchanges: [1, 1, 1]), "\(server.log)")
        }
    }
}
