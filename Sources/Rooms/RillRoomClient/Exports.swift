// Re-exports the modules whose types appear in this module's API.
@_exported public import Rill
@_exported public import RillRooms
