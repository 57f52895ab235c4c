import ArgumentParser
import Rill
import RillSecurity

/// `rill key`: a key for a call.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make a key for one call.",
        usage: "rill key [<file>] [--suite <suite>]",
        discussion: """
            Writes base64 of random bytes, a key and its salt, for --key-file of `rill call`, `rill send` and `rill receive`. \
            Its length says what it is for:

              gcm-256  44 bytes, AEAD_AES_256_GCM
              gcm-128  28 bytes, AEAD_AES_128_GCM
              cm-80    30 bytes, AES_CM_128_HMAC_SHA1_80: for FFmpeg and
                       others that have no GCM

            Whoever has the key can watch the call and speak in it: bring it to the other side by a way that nobody else \
            reads, and make a new one for each call.

            A file is readable by its owner alone, and is never overwritten.

            Examples:
              rill key call.key
              rill key stream.key --suite cm-80
              rill key | ssh other-machine 'umask 077; cat > call.key'
            """)

    @Argument(help: "The file to write (default: standard output).", completion: .file())
    var file: String?

    @Option(help: "What the key is for (default: gcm-256).")
    var suite: SuiteChoice?

    @Option(help: "128 or 256: the same as gcm-128 or gcm-256.", completion: .list(["128", "256"]))
    var bits: Int?

    func run() throws {
        let key = SRTPKey.generate((suite ?? (bits == 128 ? .gcm128 : .gcm256)).profile)
        guard let file else { return try StandardOutput.print(key.base64) }
        try SecretFile.write(key.base64 + "\n", to: file, refusal: "is there already: a key is never overwritten")
    }

    func validate() throws {
        guard let bits else { return }
        guard bits == 128 || bits == 256 else { throw ValidationError("--bits is 128 or 256, not \(bits)") }
        guard suite == nil else { throw ValidationError("--suite and --bits say the same: give one of them") }
    }
}
