// Re-exported because this module's signatures use it.
@_exported public import RillCore
@_exported public import RillRTP
