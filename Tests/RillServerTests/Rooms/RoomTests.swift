#if Server
import Testing

/// ``Room`` at `rill serve`, a process of its own: whole apps in one process, with sockets, DTLS and codecs. They run
/// one after another.
@Suite(.serialized) struct RoomTests {}
#endif
