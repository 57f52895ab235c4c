#if Server
import ArgumentParser
import Logging
import RillCore
import RillForward
import RillRooms
import RillServer
import RillTransport

/// Where media goes.
struct MediaOptions: ParsableArguments, Sendable {
    /// The UDP port of all sessions; 0 for any that is free.
    @Option(name: .customLong("media"), help: ArgumentHelp("The UDP port for media.", valueName: "port"))
    var port: UInt16 = 8189

    /// The address that clients are told, where it is not one of the machine's own.
    @Option(help: ArgumentHelp("An address to announce beside the machine's own, behind NAT.", valueName: "ip"))
    var announce: [AddressArgument] = []

    /// The most sessions.
    @Option(
        help: ArgumentHelp(
            "The most sessions of publishers and viewers. A tenth is for publishers.", valueName: "count"))
    var sessions = 1000

    /// The most sessions of a token, or of all tokens of a subject: of streams, and of rooms.
    @Option(help: ArgumentHelp("The most sessions of a token or its subject; 0 for no limit.", valueName: "count"))
    var tokenSessions = 300

    /// The most sessions of an address.
    @Option(help: ArgumentHelp("The most sessions of an address; 0 for no limit.", valueName: "count"))
    var addressSessions = 300

    /// The most viewers of a stream.
    @Option(help: ArgumentHelp("The most viewers of a stream; 0 for no limit.", valueName: "count"))
    var streamViewers = 800

    /// The most sessions that are not connected yet.
    @Option(
        help: ArgumentHelp(
            "The most sessions that are not connected yet; of a token or an address a quarter. The oldest one goes.",
            valueName: "count"))
    var halfOpen = 200

    func validate() throws {
        guard sessions > 0, halfOpen > 0, tokenSessions >= 0, addressSessions >= 0, streamViewers >= 0 else {
            throw ValidationError("--sessions and --half-open must be positive, other limits not negative.")
        }
    }

    /// What is served: RillForward's streams, on the port for media.
    ///
    /// - Throws: what keeps it from being made, such as a port that is in use.
    func host() throws -> ForwarderHost {
        try ForwarderHost(logger: Logger(label: "rill-forward")) { handle in
            try LiveForwarder(
                boundTo: UDPAddress(.anyV6, port: port),
                announcing: announce.isEmpty ? nil : announce.map(\.ip) + MachineAddresses.known, settings,
                handle: handle)
        }
    }

    /// The limits of rooms.
    var rooms: RoomSettings {
        var settings = RoomService.defaults
        settings.sessionsPerToken = tokenSessions.orUnlimited
        settings.sessionsPerAddress = addressSessions.orUnlimited
        return settings
    }

    private var settings: ForwardSettings {
        var settings = ForwardSettings()
        settings.sessionLimit = sessions
        settings.quotas.publisherReserve = sessions / 10
        settings.quotas.sessionsPerBearer = tokenSessions.orUnlimited
        settings.quotas.sessionsPerAddress = addressSessions.orUnlimited
        settings.quotas.viewersPerStream = streamViewers.orUnlimited
        settings.quotas.halfOpenLimit = halfOpen
        settings.quotas.halfOpenPerBearer = max(halfOpen / 4, 1)
        settings.quotas.halfOpenPerAddress = max(halfOpen / 4, 1)
        return settings
    }
}
#endif
