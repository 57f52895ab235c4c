import ArgumentParser
import RillWHIP

/// An ICE server on the command line: `stun:stun.example.net`, or `turn:turn.example.net,USER,PASSWORD`.
struct ICEServerArgument: ExpressibleByArgument, Sendable {
    let server: ICEServer

    init?(argument: String) {
        let parts = argument.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard ICEServer.isUsable(parts[0]), parts.count == 1 || parts.count == 3 else { return nil }
        server =
            parts.count == 1 ? ICEServer(parts[0]) : ICEServer(parts[0], username: parts[1], credential: parts[2])
    }
}
