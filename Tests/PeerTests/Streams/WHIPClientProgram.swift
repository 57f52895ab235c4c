import RillTestSupport

/// `whip-client` of the Debian package simple-whip-client: GStreamer's webrtcbin, with an encoder of VP8.
struct WHIPClientProgram {
    private let folder = TemporaryFolder()
    private let program: RunningProgram

    static var isInstalled: Bool { Program(named: "whip-client") != nil && Program(named: "clang") != nil }

    /// Publishes a moving ball, 640x360 at 30 frames a second.
    init(_ url: String) throws {
        let (clang, client) = (Program(named: "clang"), Program(named: "whip-client"))
        guard let clang, var client else { throw TestFailure("whip-client or clang is not installed") }
        // Debian 12's program ends at once: it has libsoup 2, its libnice loads libsoup 3 for UPnP, and that refuses to
        // be in one process with the other. Nobody asks for UPnP here.
        try write(Array(WHIPClientProgram.withoutUPnP.utf8), to: folder.path("upnp.c"))
        let library = folder.path("libgupnp-igd-1.0.so.4")
        let built = try clang.run(["-shared", "-fPIC", "-o", library, folder.path("upnp.c")])
        guard built.status == 0 else { throw TestFailure(built.errors) }
        client.environment["LD_LIBRARY_PATH"] = folder.root
        let pipeline = """
            videotestsrc is-live=true pattern=ball ! video/x-raw,width=640,height=360,framerate=30/1 ! videoconvert ! queue ! \
            vp8enc deadline=1 cpu-used=8 keyframe-max-dist=3000 ! rtpvp8pay pt=96 ssrc=2 picture-id-mode=15-bit ! queue ! \
            application/x-rtp,media=video,encoding-name=VP8,payload=96
            """
        program = try client.start(["--url", url, "--disable-colors", "--video", pipeline], limit: 60)
    }

    /// What it says.
    var log: String { program.outputSoFar + program.errorsSoFar }

    /// Ends it as Ctrl-C does.
    func end() async throws {
        program.interrupt()
        _ = try await program.finished()
    }

    private static let withoutUPnP = """
        void *gupnp_simple_igd_thread_new(void) { return 0; }
        unsigned long gupnp_simple_igd_get_type(void) { return 0; }
        void gupnp_simple_igd_add_port(void) {}
        void gupnp_simple_igd_remove_port_local(void) {}

        """
}
