// The signatures of this module speak of `MediaTime`, `EncodedFrame`, `SSRC` and the like. Who links `RillReceive` alone
// gets them with it, as one import.
@_exported public import RillCore
@_exported public import RillRTP
