import RillWHIP
import ServeCommand

/// Makes what is served.
///
/// - Parameter media: the port and the addresses of media.
/// - Throws: what keeps it from being made, such as a port that is taken.
func makeHost(_ media: MediaOptions) throws -> some StreamHost {
    // The forwarder: LiveForwarder of RillForward, through an adapter that makes it a StreamHost.
    try missingForwarder()
}

/// Until the forwarder is there, the program says so and ends.
private func missingForwarder() throws(MissingForwarder) -> MemoryStreamHost { throw MissingForwarder() }

private struct MissingForwarder: Error, CustomStringConvertible {
    var description: String { "this build has no forwarder: nothing could be published" }
}
