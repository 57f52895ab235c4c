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
            Writes a random key and salt in base64, for --key-file of `rill call`, `rill send` and `rill receive`. The \
            length of the key selects the SRTP suite:

              gcm-256  44 bytes, AEAD_AES_256_GCM
              gcm-128  28 bytes, AEAD_AES_128_GCM
              cm-80    30 bytes, AES_CM_128_HMAC_SHA1_80: for FFmpeg and
                       others without GCM

            Anybody who has the key can watch the call and send pictures into it. Transfer it to the other side \
            confidentially, and make a new key for each call.

            Only its owner can read the file. An existing file is never overwritten.

            Examples:
              rill key call.key
              rill key stream.key --suite cm-80
              rill key | ssh other-machine 'umask 077; cat > call.key'
            """)

    @Argument(help: "The file to write (default: standard output).", completion: .file())
    var file: String?

    @Option(help: "The SRTP suite of the key (default: gcm-256).")
    var suite: SuiteChoice?

    @Option(help: "128 or 256: the same as gcm-128 or gcm-256.", completion: .list(["128", "256"]))
    var bits: Int?

    func run() throws {
        let key = SRTPKey.generate((suite ?? (bits == 128 ? .gcm128 : .gcm256)).profile)
        guard let file else { return try StandardOutput.print(key.base64) }
        try SecretFile.write(key.base64 + "\n", to: file, refusal: "already exists: a key is never overwritten")
    }

    func validate() throws {
        guard let bits else { return }
        guard bits == 128 || bits == 256 else { throw ValidationError("--bits is 128 or 256, not \(bits)") }
        guard suite == nil else { throw ValidationError("--suite and --bits mean the same: give one of them") }
    }
}
