import Glibc
public import RillCore

/// What is wrong with the settings of an emulated network, by the name of the setting, or what a real one refused.
public enum NetworkError: Error, Equatable, Sendable {
    /// A part of the text has a name that no setting has.
    case unknownSetting(String)
    /// A setting stands without `=` and value.
    case missingValue(LinkSettings.Name)
    /// A setting stands twice in one text.
    case repeatedSetting(LinkSettings.Name)
    /// The value of a setting is not the quantity that it should be.
    case invalidValue(LinkSettings.Name, NotationError)
    /// The seed is no whole number from 0 to 18446744073709551615.
    case invalidSeed(String)
    /// A duration is below zero or above the most that a link takes.
    case durationOutOfRange(LinkSettings.Name, MediaDuration, most: MediaDuration)
    /// A rate is outside ``LinkSettings/rateRange``.
    case rateOutOfRange(Bitrate)

    /// A text is not an address and a port.
    case invalidAddress(String)
    /// The name service has no address of that host.
    case hostNotFound(String, reason: String)
    /// The system refused a socket something; `code` is its `errno`.
    case socketFailed(SocketOperation, UDPAddress?, code: Int32)

    /// What was asked of a socket.
    public enum SocketOperation: String, Sendable, CaseIterable {
        /// To be there.
        case open
        /// To have buffers of some size, or to share a port.
        case configure
        /// To receive at an address.
        case bind
        /// To exchange datagrams with an address.
        case connect
        /// To send a datagram.
        case send
        /// To receive one.
        case receive
    }
}

extension NetworkError: CustomStringConvertible {
    /// One sentence for whoever chose the settings.
    public var description: String {
        switch self {
        case .unknownSetting(let part):
            "\"\(part)\" is no setting of a link: expected "
                + LinkSettings.Name.allCases.map(\.rawValue).joined(separator: ", ")
        case .missingValue(let name):
            "\(name.rawValue) has no value: expected something like \(name.rawValue)=\(name.example)"
        case .repeatedSetting(let name):
            "\(name.rawValue) stands there twice"
        case .invalidValue(let name, let error):
            "\(name.rawValue): \(error)"
        case .invalidSeed(let text):
            "seed: \"\(text)\" is no whole number from 0 to \(UInt64.max)"
        case .durationOutOfRange(let name, let duration, let most):
            "\(name.rawValue): \(duration.notation) is outside 0s to \(most.notation)"
        case .rateOutOfRange(let rate):
            "rate: \(rate) is outside \(LinkSettings.rateRange.lowerBound) to \(LinkSettings.rateRange.upperBound);"
                + " leave it out for a link without a limit"
        case .invalidAddress(let text):
            "\"\(text)\" is no address: expected HOST:PORT, like 127.0.0.1:5004, [::1]:5004 or example.org:5004"
        case .hostNotFound(let host, let reason):
            "\(host): no address found: \(reason)"
        case .socketFailed(let operation, let address, let code):
            "UDP\(address.map { " \($0)" } ?? ""): cannot \(operation.rawValue): \(systemText(code))\(advice(code))"
        }
    }
}

/// `Address already in use (errno 98)`.
private func systemText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    let text = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        // The text ends with a zero inside the buffer, which is never empty.
        unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0
            ? String(cString: buffer.baseAddress!) : "unknown error"
    }
    return "\(text) (errno \(code))"
}

/// What to do about it, where that is not plain.
private func advice(_ code: Int32) -> String {
    switch code {
    case EADDRINUSE: "; choose another port, or 0 for any"
    case EADDRNOTAVAIL: "; the address is none of this machine's"
    case EACCES: "; ports below 1024 and broadcasts need rights"
    case EMSGSIZE: "; send smaller packets"
    case ENETUNREACH, EHOSTUNREACH: "; no way leads there from this machine"
    case EMFILE, ENFILE: "; too many files and sockets are open"
    default: ""
    }
}
