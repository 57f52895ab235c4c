extension CameraDevice {
    /// Returns the connected cameras, in the order of their nodes.
    ///
    /// Takes some milliseconds per camera: each is opened, queried and closed. Cameras that cannot be opened, or that
    /// disappear meanwhile, are left out.
    public static func list() -> [CameraDevice] {
        list(SystemDeviceCalls())
    }

    package static func list(_ calls: some DeviceCalls) -> [CameraDevice] {
        calls.nodes().compactMap { entry in
            // Not a camera, gone, or no permission. A caller that needs this very camera gets the error when it opens
            // it.
            try? CameraDevice(entry, calls)
        }
    }

    /// Queries one node.
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
