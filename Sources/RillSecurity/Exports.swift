// What this room's signatures speak of comes with it.
@_exported public import RillRTP
