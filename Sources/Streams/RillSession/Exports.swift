// Re-exports the modules whose types appear in this module's interface.
@_exported public import RillCore
@_exported public import RillRTP
@_exported public import RillReceive
@_exported public import RillSend
