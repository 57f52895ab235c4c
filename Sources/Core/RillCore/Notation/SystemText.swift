import Glibc

/// Returns the system's message for an error: `Address already in use (errno 98)`.
package func systemText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    let text = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        // `strerror_r` writes a zero-terminated string into the buffer, which is never empty.
        unsafe strerror_r(code, buffer.baseAddress!, buffer.count) == 0
            ? String(cString: buffer.baseAddress!) : "unknown error"
    }
    return "\(text) (errno \(code))"
}
