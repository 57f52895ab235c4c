import ForwarderHost
import Logging
import RillCore
import RillForward
import RillTransport
import RillWHIP
import ServeCommand

/// Makes what is served.
///
/// - Parameter media: the port and the addresses of media.
/// - Throws: what keeps it from being made, such as a port that is taken.
func makeHost(_ media: MediaOptions) throws -> ForwarderHost {
    let announced = try media.announce.map { text in
        guard let ip = IPAddress(text) else { throw BadAddress(text: text) }
        return ip
    }
    return try ForwarderHost(logger: Logger(label: "rill-forward")) { handle in
        try LiveForwarder(
            boundTo: UDPAddress(.v4(0), port: media.port), announcing: announced.isEmpty ? nil : announced,
            settings(media), handle: handle)
    }
}

private func settings(_ media: MediaOptions) -> ForwardSettings {
    var settings = ForwardSettings()
    settings.sessionLimit = media.sessions
    settings.quotas.publisherReserve = media.sessions / 10
    settings.quotas.sessionsPerBearer = media.tokenSessions.orUnlimited
    settings.quotas.sessionsPerAddress = media.addressSessions.orUnlimited
    settings.quotas.viewersPerStream = media.streamViewers.orUnlimited
    settings.quotas.halfOpenLimit = media.halfOpen
    settings.quotas.halfOpenPerBearer = max(media.halfOpen / 4, 1)
    settings.quotas.halfOpenPerAddress = max(media.halfOpen / 4, 1)
    return settings
}

private struct BadAddress: Error, CustomStringConvertible {
    let text: String
    var description: String { "\"\(text)\" is not an IP address" }
}
