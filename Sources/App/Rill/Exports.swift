// What `import Rill` exports: the types that an app uses in a call. Everything else needs its own import.

// Copying bytes out of a `Span`.
@_exported public import RillBytes

// Picture processing.
@_exported public import enum RillBeauty.BeautyError
@_exported public import enum RillBeauty.BeautyLevel
@_exported public import struct RillBeauty.BeautyOptions
@_exported public import struct RillBeauty.BeautyStatistics
@_exported public import enum RillBeauty.FaceDetection
@_exported public import struct RillBeauty.FaceRegion
@_exported public import struct RillCapture.CameraConstraints
// Cameras and clips.
@_exported public import struct RillCapture.CameraControl
@_exported public import class RillCapture.CameraControls
@_exported public import struct RillCapture.CameraDevice
@_exported public import enum RillCapture.CameraError
@_exported public import enum RillCapture.CameraEvent
@_exported public import struct RillCapture.CameraFormat
@_exported public import struct RillCapture.CameraMode
@_exported public import enum RillCapture.CameraPixelFormat
@_exported public import enum RillCapture.CameraSelection
@_exported public import struct RillCapture.CameraStatistics
@_exported public import class RillCapture.CameraStatus
@_exported public import class RillCapture.CameraWatch
@_exported public import class RillCapture.LiveClip
@_exported public import class RillCapture.SourceSwitcher
@_exported public import class RillCapture.V4L2Camera
// Layers and codecs.
@_exported public import struct RillCodec.AdaptationSettings
@_exported public import enum RillCodec.CodecError
@_exported public import struct RillCodec.Degradation
@_exported public import enum RillCodec.DegradationPreference
@_exported public import struct RillCodec.LayerSettings
@_exported public import struct RillCodec.PostProcessing
@_exported public import class RillCodec.VPXDecoder
@_exported public import class RillCodec.VPXEncoder
// Basic types.
@_exported public import struct RillCore.Bitrate
@_exported public import struct RillCore.ColorSpace
@_exported public import enum RillCore.DecoderOutcome
@_exported public import struct RillCore.DecoderStatistics
@_exported public import struct RillCore.EncodedFrame
@_exported public import protocol RillCore.EncodedFrameSink
@_exported public import enum RillCore.EncoderOutcome
@_exported public import struct RillCore.EncoderSettings
@_exported public import struct RillCore.EncoderStatistics
@_exported public import enum RillCore.FrameError
@_exported public import class RillCore.FramePool
@_exported public import struct RillCore.FrameRate
@_exported public import protocol RillCore.FrameSink
@_exported public import protocol RillCore.FrameSource
@_exported public import class RillCore.FrameTap
@_exported public import struct RillCore.FrameTimestamps
@_exported public import enum RillCore.IPAddress
@_exported public import struct RillCore.MediaDuration
@_exported public import struct RillCore.MediaTime
@_exported public import struct RillCore.MutableFrame
@_exported public import struct RillCore.MutablePlane
@_exported public import struct RillCore.MutablePlanes
@_exported public import protocol RillCore.PacketSink
@_exported public import class RillCore.PacketTap
@_exported public import enum RillCore.PixelFormat
@_exported public import struct RillCore.Plane
@_exported public import struct RillCore.Resolution
@_exported public import enum RillCore.Rotation
@_exported public import struct RillCore.SourceFormat
@_exported public import enum RillCore.SourceOutput
@_exported public import struct RillCore.StreamLayer
@_exported public import enum RillCore.TemporalPattern
@_exported public import struct RillCore.UDPAddress
@_exported public import struct RillCore.VideoCodec
@_exported public import protocol RillCore.VideoDecoder
@_exported public import protocol RillCore.VideoEncoder
@_exported public import struct RillCore.VideoFrame
@_exported public import enum RillImage.AspectPolicy
// Streams.
@_exported public import struct RillRTP.PayloadType
@_exported public import struct RillRTP.RepairSettings
@_exported public import struct RillRTP.SSRC
@_exported public import struct RillRTP.SessionDescription
@_exported public import struct RillRTP.StreamDescription
@_exported public import struct RillReceive.InboundStatistics
@_exported public import struct RillReceive.JitterBufferSettings
@_exported public import struct RillReceive.PlayoutDelayBounds
@_exported public import enum RillReceive.ReceiveEvent
@_exported public import struct RillReceive.RepairStatistics
@_exported public import struct RillReceive.StreamReceiverSettings
// A call: keys, and what became of its packets and frames.
@_exported public import struct RillSecurity.SRTPKey
@_exported public import enum RillSecurity.SecurityError
@_exported public import struct RillSend.FECSettings
@_exported public import struct RillSend.RTPStreamStatistics
@_exported public import struct RillSend.RetransmissionSettings
@_exported public import struct RillSession.CongestionSettings
@_exported public import struct RillSession.SessionStatistics
// Clocks and sockets.
@_exported public import struct RillThreads.LiveClock
@_exported public import class RillTransport.ConnectedUDPSocket
@_exported public import protocol RillTransport.DatagramTransport
@_exported public import enum RillTransport.TransportError
@_exported public import class RillTransport.UDPSocket
