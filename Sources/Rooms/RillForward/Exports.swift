// Re-exports the modules whose types appear in this module's API.
@_exported public import RillCore
@_exported public import RillPeer
