package import RillCore

/// The addresses at which this machine is reached, for host candidates.
package enum MachineAddresses {
    /// The address that this machine has towards others, if it has any, and the loopback address.
    package static var known: [IPAddress] {
        // Nothing is sent: the socket only looks up a route. A machine without one has no address for other machines.
        let routed = try? ConnectedUDPSocket(to: UDPAddress(.v4(0xC633_6401), port: 9)).localAddress.ip
        return (routed.map { [$0] } ?? []) + [.loopback]
    }
}
