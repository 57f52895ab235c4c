public import ArgumentParser

/// Where media goes.
public struct MediaOptions: ParsableArguments, Sendable {
    /// The UDP port of all sessions; 0 for any that is free.
    @Option(name: .customLong("media"), help: ArgumentHelp("The UDP port for media.", valueName: "port"))
    public var port: UInt16 = 8189

    /// The address that clients are told, where it is not one of the machine's own.
    @Option(help: ArgumentHelp("An address to announce beside the machine's own, behind NAT.", valueName: "ip"))
    public var announce: [String] = []

    /// The most sessions.
    @Option(
        help: ArgumentHelp(
            "The most sessions of publishers and viewers. A tenth is for publishers.", valueName: "count"))
    public var sessions = 1000

    /// The most sessions of a token, or of all tokens of a subject.
    @Option(help: ArgumentHelp("The most sessions of a token or its subject; 0 for no limit.", valueName: "count"))
    public var tokenSessions = 300

    /// The most sessions of an address.
    @Option(help: ArgumentHelp("The most sessions of an address; 0 for no limit.", valueName: "count"))
    public var addressSessions = 300

    /// The most viewers of a stream.
    @Option(help: ArgumentHelp("The most viewers of a stream; 0 for no limit.", valueName: "count"))
    public var streamViewers = 800

    /// The most sessions that are not connected yet.
    @Option(
        help: ArgumentHelp(
            "The most sessions that are not connected yet; of a token or an address a quarter. The oldest one goes.",
            valueName: "count"))
    public var halfOpen = 200

    /// The defaults.
    public init() {}

    /// Checks the numbers.
    public func validate() throws {
        guard sessions > 0, halfOpen > 0, tokenSessions >= 0, addressSessions >= 0, streamViewers >= 0 else {
            throw ValidationError("--sessions and --half-open must be positive, other limits not negative.")
        }
    }
}
