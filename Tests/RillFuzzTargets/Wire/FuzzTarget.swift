/// A function that takes any bytes, and traps where what it makes of them contradicts itself.
///
/// libFuzzer looks for such bytes (`Scripts/fuzz`); `swift test` runs every target over its corpus, the files in
/// `Tests/Corpus/NAME`. To add one: its functions in a file of their own, a line in ``wire`` or `all`, and a folder
/// that `RILL_WRITE_CORPUS=1 Scripts/test --filter FuzzCorpus` fills from its `seeds`. An input that once brought a
/// target down is kept there too, under a name that says why.
public struct FuzzTarget: Sendable {
    /// What scripts and folders call it.
    public let name: String
    /// Good inputs to begin from, small, each of which reaches another part of the code; always the same.
    public let seeds: @Sendable () -> [Seed]
    /// Takes any bytes.
    public let run: @Sendable (Span<UInt8>) -> Void

    /// One good input.
    public struct Seed: Sendable {
        /// What its file is called.
        public let name: String
        /// The input.
        public let bytes: [UInt8]

        /// What `write` appends, at most that many bytes.
        package init(_ name: String, capacity: Int = 512, _ write: (inout OutputSpan<UInt8>) -> Void) {
            self.name = name
            bytes = [UInt8](capacity: capacity) { output in write(&output) }
        }

        /// What two sides agreed on, and datagrams, 16 ms from each to the next: two bytes before each, eleven bits of
        /// its length and in the upper five the time since the one before, in units of 8 ms, which is 2 if not told
        /// otherwise.
        package init(_ name: String, agreed: UInt8, _ datagrams: [[UInt8]], units: UInt16 = 2) {
            var bytes = [agreed]
            for datagram in datagrams {
                let word = units << 11 | UInt16(datagram.count)
                bytes += [UInt8(word >> 8), UInt8(word & 0xFF)]
                bytes += datagram
            }
            self.init(name, bytes: bytes)
        }

        /// Those bytes.
        package init(_ name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    package init(
        _ name: String, seeds: @escaping @Sendable () -> [Seed], run: @escaping @Sendable (Span<UInt8>) -> Void
    ) {
        self.name = name
        self.seeds = seeds
        self.run = run
    }

    /// The targets of the wire, which need RillRTP alone.
    public static let wire = [
        FuzzTarget("rtp", seeds: rtpSeeds, run: fuzzRTP),
        FuzzTarget("rtcp", seeds: rtcpSeeds, run: fuzzRTCP),
        FuzzTarget("vp8-descriptor", seeds: vp8DescriptorSeeds, run: fuzzVP8Descriptor),
        FuzzTarget("vp9-descriptor", seeds: vp9DescriptorSeeds, run: fuzzVP9Descriptor),
        FuzzTarget("repair", seeds: repairSeeds, run: fuzzRepair),
        FuzzTarget("sdp", seeds: sdpSeeds, run: fuzzSDP),
    ]
}
