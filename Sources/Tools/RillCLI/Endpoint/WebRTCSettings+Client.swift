#if Server
import RillCore
import Rill
import RillPeer

extension WebRTCSettings {
    /// Those of a client of a server. A server that is gone is noticed after three seconds of silence, so that a client
    /// is back within five seconds of its restart; two lost checks are not noticed.
    static var ofClient: WebRTCSettings {
        var settings = WebRTCSettings()
        settings.ice.consentInterval = .seconds(1)
        settings.ice.disconnectedTimeout = .seconds(3)
        settings.connectTimeout = .seconds(15)
        return settings
    }
}
#endif
