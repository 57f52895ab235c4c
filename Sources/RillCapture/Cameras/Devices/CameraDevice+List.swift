extension CameraDevice {
    /// The cameras that are there, in the order of their nodes.
    ///
    /// Takes some milliseconds a camera: each is opened, asked and closed. One that cannot be opened is left out, as is
    /// one that goes meanwhile.
    public static func list() -> [CameraDevice] {
        list(SystemDeviceCalls())
    }

    package static func list(_ calls: some DeviceCalls) -> [CameraDevice] {
        calls.nodes().compactMap { entry in
            // Not a camera, gone, or not ours to open: whoever wants that very one is told when it opens it.
            try? CameraDevice(entry, calls)
        }
    }

    /// Asks one node.
    ///
    /// - Throws: ``CameraError/notACamera(path:)``, ``CameraError/callFailed(_:path:code:)``.
    package init(_ entry: VideoNodeEntry, _ calls: some DeviceCalls) throws(CameraError) {
        let node = try VideoNode(entry.path, calls)
        self.init(entry, node, formats: try node.formats())
    }

    init(_ entry: VideoNodeEntry, _ node: borrowing VideoNode, formats: [CameraFormat]) {
        let identity = node.identity
        self.init(
            path: entry.path, stablePath: entry.stablePath, name: identity.name, bus: identity.bus,
            driver: identity.driver, isMultiPlanar: node.isMultiPlanar, formats: formats)
    }
}
