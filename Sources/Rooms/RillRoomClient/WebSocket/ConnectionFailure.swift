#if Rooms
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Why there is no connection.
package enum ConnectionFailure {
    /// A clause that says what an error of a connection means.
    package static func reason(of error: any Error) -> String {
        switch error {
        case let error as IOError: error.reason
        case let error as NIOConnectionError: error.reason
        case let error as NIOSSLError where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            "its certificate is not trusted; --ca FILE trusts one"
        default: "\(error)"
        }
    }
}

extension NIOConnectionError {
    fileprivate var reason: String {
        if let first = connectionErrors.first { return (first.error as? IOError)?.reason ?? "\(first.error)" }
        if dnsAError != nil || dnsAAAAError != nil { return "no address of \(host) is known" }
        return "no connection with \(host)"
    }
}

extension IOError {
    fileprivate var reason: String {
        // A constant text of the C library.
        guard let text = unsafe strerror(errnoCode) else { return "error \(errnoCode)" }
        return unsafe String(cString: text).lowercased()
    }
}
#endif
