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

/// Repeats a system call as long as a signal interrupts it. Returns its result; `errno` is that of the last call.
package func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
