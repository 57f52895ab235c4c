@_exported public import RillBytes
