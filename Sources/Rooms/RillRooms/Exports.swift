// Re-exports the module whose types appear in this module's API.
@_exported public import RillCore
