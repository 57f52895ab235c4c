import COpenSSL

/// What OpenSSL says of its last failure in this thread.
struct OpenSSLFailure {
    /// The code: library and reason. 0 if there is none.
    let code: UInt
    /// OpenSSL's words: `SSL routines: wrong version number`.
    let reason: String

    /// Takes the failure from the thread's queue, and empties that.
    static func take() -> OpenSSLFailure {
        // The last of the queue is the cause of those before it.
        let code = ERR_peek_last_error()
        ERR_clear_error()
        // The names are constants of the library.
        let words = unsafe [ERR_lib_error_string(code), ERR_reason_error_string(code)].compactMap { text in
            unsafe text.map { unsafe String(cString: $0) }
        }
        return OpenSSLFailure(code: code, reason: words.isEmpty ? "no reason" : words.joined(separator: ": "))
    }
}

/// Overwrites bytes that were secret. Unlike an ordinary store, this one is not optimized away as dead.
func overwrite(_ bytes: inout [UInt8]) {
    // The buffer is the array's own, and as long as it says.
    unsafe bytes.withUnsafeMutableBytes { buffer in unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
}
