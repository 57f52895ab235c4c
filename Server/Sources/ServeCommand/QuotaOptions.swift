public import ArgumentParser
import RillCore
import RillWHIP

/// What clients may take: connections and requests of an address. 0 is no limit.
public struct QuotaOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The most connections of an address; 0 for no limit.", valueName: "count"))
    var addressConnections = AddressLimits().connections

    @Option(help: ArgumentHelp("The most requests a second of an address; 0 for no limit.", valueName: "count"))
    var addressRequests = AddressLimits().requestsPerSecond

    /// The defaults.
    public init() {}

    /// Checks the numbers.
    public func validate() throws {
        guard addressConnections >= 0, addressRequests >= 0 else {
            throw ValidationError("--address-connections and --address-requests must not be negative.")
        }
    }

    /// The limits.
    var address: AddressLimits {
        var limits = AddressLimits()
        limits.connections = addressConnections.orUnlimited
        limits.requestsPerSecond = addressRequests.orUnlimited
        limits.requestBurst = min(addressRequests.orUnlimited, .max / 2) * 2
        return limits
    }
}

extension Int {
    /// The number, or for 0 the largest one that can be doubled.
    package var orUnlimited: Int { self == 0 ? .max / 2 : Swift.min(self, .max / 2) }
}

/// An IP address on the command line.
struct AddressArgument: ExpressibleByArgument, Sendable {
    let ip: IPAddress

    init?(argument: String) {
        guard let ip = IPAddress(argument) else { return nil }
        self.ip = ip
    }
}
