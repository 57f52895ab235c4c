// `import Rill` gives an app every room that it drives.
@_exported public import RillBeauty
@_exported public import RillCapture
@_exported public import RillCodec
@_exported public import RillCore
@_exported public import RillFiles
@_exported public import RillImage
@_exported public import RillNetwork
@_exported public import RillRTP
@_exported public import RillReceive
@_exported public import RillSend
