public import ArgumentParser

/// Where media goes.
public struct MediaOptions: ParsableArguments, Sendable {
    /// The UDP port of all sessions; 0 for any that is free.
    @Option(name: .customLong("media"), help: ArgumentHelp("The UDP port for media.", valueName: "port"))
    public var port: UInt16 = 8189

    /// The address that clients are told, where it is not one of the machine's own.
    @Option(help: ArgumentHelp("An address to announce beside the machine's own, behind NAT.", valueName: "ip"))
    public var announce: [String] = []

    /// The defaults.
    public init() {}
}
