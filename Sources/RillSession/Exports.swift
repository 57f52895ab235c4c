// What this room's signatures speak of comes with it.
@_exported public import RillCore
@_exported public import RillRTP
@_exported public import RillReceive
@_exported public import RillSend
