#if Server
import Testing

/// ``Room`` at `rill serve`, a process of its own: whole apps in one process, with sockets, DTLS and codecs. One test at
/// a time.
@Suite(.serialized) struct RoomTests {}
#endif
